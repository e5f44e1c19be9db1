// Dropout masks as a program for groups of threads (group.h), one row per group.
#pragma once

#include "core/kernels/routing/step_random.h"
#include "core/kernels/support/group.h"

namespace vrp {

// A mask to draw, in one device's memory.
struct DropoutMask {
  DropoutKey key;                  // of the first sequence's first step
  const int64_t* steps = nullptr;  // if set, the stream is the key's + *steps
  DropoutRate rate = {};
  int32_t length = 0;        // T
  int32_t sequences = 0;     // R
  int32_t hidden = 0;        // H, a multiple of 8
  float* factors = nullptr;  // [T, R, H]: one for each unit

  int64_t rows() const { return int64_t{length} * sequences; }
};

// Writes row t * R + r of the mask.
template <typename Group>
VRP_DEVICE void WriteMaskRow(const Group& group, const DropoutMask& mask, int64_t row) {
  const uint64_t stream = StreamOfStep(mask.key.stream, mask.steps);
  group.Each(mask.hidden / 8, [&](int32_t block) {
    DropoutKey key = mask.key;
    key.stream = stream;
    key.sequence += row % mask.sequences;
    key.step = static_cast<int32_t>(row / mask.sequences);
    key.block = block;
    WriteDropoutFactors(key, mask.rate, mask.factors + row * mask.hidden + int64_t{block} * 8);
  });
}

}  // namespace vrp
