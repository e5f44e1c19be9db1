// Distribution of a decoder's batch over a GPU's blocks, and the groups' memory. Does not depend on
// CUDA.
#pragma once

#include <cstdint>

#include "core/kernels/decoder/decoder_nodes.h"
#include "core/kernels/launch/launch_limits.h"

namespace vrp {

// The sizes on which a plan depends.
struct DecoderLaunchSize {
  DecoderShape shape;
  int32_t instances = 0;            // B
  int32_t nodes = 0;                // N
  int32_t trajectories = 1;         // P
  int64_t group_scratch_bytes = 0;  // of a group
  bool gradient = false;            // whether the launch is a second pass
  bool deterministic = false;       // whether one group adds all of an instance's gradient
  bool exact = true;                // whether gradients are as precise as in float32
  bool bf16 = false;                // whether keys, values and logit keys are numbers of bf16
};

// A plan for blocks_per_instance * slices groups per instance. Group g takes the trajectories p
// with p % trajectory_parts == g % trajectory_parts, and part g / trajectory_parts of their steps.
// Groups without a part of the steps do nothing.
struct DecoderLaunchPlan {
  int32_t slices = 1;
  int32_t blocks_per_instance = 1;
  int32_t trajectory_parts = 1;
  int32_t step_parts = 1;
  bool staged = false;       // whether keys, values and logit keys are copied to shared memory
  int64_t shared_bytes = 0;  // of a block
  int64_t global_scratch_bytes = 0;  // of all blocks; 0 if shared memory holds the scratch
  int64_t blocks(int32_t instances) const { return int64_t{instances} * blocks_per_instance; }
};

// Plans a launch. Puts the scratch into global memory if shared memory cannot hold it.
DecoderLaunchPlan PlanDecoderLaunch(const DecoderLaunchSize& size, const DeviceLimits& limits);

}  // namespace vrp
