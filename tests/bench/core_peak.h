// The cores' peak: multiply-adds on registers alone, of the kinds that the kernels use.
#pragma once

#include <string_view>
#include <vector>

#include "core/base/isa.h"

namespace vrp {

struct CorePeak {
  Bf16 kind = Bf16::kNone;  // kNone: float32
  double gflops = 0;        // of all threads at once, an addition and a multiplication counted each
};

// "fp32", "bf16_vectors" or "bf16_tiles".
std::string_view KindName(const CorePeak& peak);

// Measures the peak of BestIsa() in float32 and of each kind of bf16 product that this CPU has in
// hardware, with `threads` threads; the best of several rounds of some milliseconds.
std::vector<CorePeak> MeasureCorePeaks(int threads);

}  // namespace vrp
