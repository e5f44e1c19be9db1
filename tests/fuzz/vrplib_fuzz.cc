#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/problem/formats/vrplib/vrplib_reader.h"
#include "tests/fuzz/exercise.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto instance = vrp::ParseVrplib({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (instance.ok()) vrp::fuzz::Exercise(*instance);
  return 0;
}
