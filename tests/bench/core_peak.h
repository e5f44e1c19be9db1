// Measures the cores' peak: multiply-adds on registers only, of the kinds that the kernels use.
#pragma once

#include <string_view>
#include <vector>

#include "core/base/isa.h"

namespace vrp {

struct CorePeak {
  Bf16 kind = Bf16::kNone;  // kNone means float32
  double gflops = 0;        // sum over all threads; an addition and a multiplication count as two
};

// Returns "fp32", "bf16_vectors" or "bf16_tiles".
std::string_view KindName(const CorePeak& peak);

// Measures the peak of BestIsa() in float32 and of each kind of bf16 product that this CPU has in
// hardware, with `threads` threads. Returns the best of several rounds of a few milliseconds.
std::vector<CorePeak> MeasureCorePeaks(int threads);

}  // namespace vrp
