#include <cstddef>
#include <cstdint>
#include <string_view>

#include "server/config/config_file.h"
#include "server/config/listen_address.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto options = vrp::ParseConfigFile(text, "fuzz.yaml");
  if (options.ok()) (void)vrp::Merge(*options, {});
  (void)vrp::ParseListenAddress(text);
  return 0;
}
