#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/problem/formats/solomon.h"
#include "tests/fuzz/exercise.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto instance = vrp::ParseSolomon({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (instance.ok()) vrp::fuzz::Exercise(*instance);
  return 0;
}
