// Fuzzes the parsers of the formats of Li and Lim and of Cordeau.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/problem/formats/cordeau.h"
#include "core/problem/formats/li_lim.h"
#include "tests/fuzz/exercise.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto parse : {vrp::ParseLiLim, vrp::ParseCordeau}) {
    const auto instance = parse(text, "fuzz");
    if (instance.ok()) vrp::fuzz::Exercise(*instance);
  }
  return 0;
}
