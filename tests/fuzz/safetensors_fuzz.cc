// Fuzzes safetensors. Accepted tensors are within the file, and writing keeps their number.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>

#include "core/model/weights/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto file =
      vrp::SafetensorsFile::Parse({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!file.ok()) return 0;
  for (const vrp::TensorView& tensor : file->tensors()) {
    int64_t bytes = vrp::TensorTypeBytes(tensor.type);
    for (const int64_t length : tensor.shape) bytes *= length;
    if (std::ssize(tensor.data) != bytes) std::abort();
    unsigned sum = 0;
    for (const std::byte byte : tensor.data) sum += std::to_integer<unsigned>(byte);
    if (sum > tensor.data.size() * 255) std::abort();
  }
  const auto reread = vrp::SafetensorsFile::Parse(
      vrp::WriteSafetensors(file->tensors(), file->metadata()), "again");
  if (!reread.ok() || reread->tensors().size() != file->tensors().size()) std::abort();
  return 0;
}
