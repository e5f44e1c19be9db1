// Fuzzes the head of a request to the monitoring endpoint, which needs no token.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "server/telemetry/http_message.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const vrp::ParsedRequest parsed =
      vrp::ParseHttpRequest({reinterpret_cast<const char*>(data), size});
  if (parsed.request.has_value() != (parsed.refusal == 0)) std::abort();
  if (parsed.request.has_value() && parsed.request->path.find('?') != std::string_view::npos) {
    std::abort();
  }
  return 0;
}
