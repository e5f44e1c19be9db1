#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "client/support/matrix_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::istringstream stream(std::string(reinterpret_cast<const char*>(data), size));
  const auto file = vrp::client::ReadMatrixFile(stream);
  if (!file.ok()) return 0;
  const size_t wanted = static_cast<size_t>(file->size) * static_cast<size_t>(file->size);
  if (file->distances.size() != wanted) std::abort();
  if (!file->durations.empty() && file->durations.size() != wanted) std::abort();
  vrp::client::MatrixMessages messages(*file);
  size_t sent = 0;
  for (auto message = messages.Next(); message->has_value(); message = messages.Next()) {
    sent += static_cast<size_t>((*message)->chunk().values_size());
  }
  if (sent != file->distances.size() + file->durations.size()) std::abort();
  return 0;
}
