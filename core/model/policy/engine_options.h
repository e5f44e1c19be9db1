// Options for the computation of an engine with LibTorch. A training configuration may set some of
// them. This header needs no torch.
#pragma once

#include "core/device/step_stream.h"

namespace vrp {

// The precision of a network's products.
enum class Precision {
  kFp32,
  kBf16,  // products in bf16, sums and everything else in fp32
  kFp16,  // CUDA only: products in fp16, the loss scaled so that small gradients do not vanish
};

// The options of an engine with LibTorch. The CPU's own engines ignore them and read the precision
// from RolloutRequest::bf16.
struct EngineOptions {
  Precision precision = Precision::kFp32;
  bool fused = true;           // whether a decoder's pass is one launch; only tests change it
  bool allow_tf32 = false;     // whether fp32 products on CUDA may have 10 bits of mantissa
  bool deterministic = false;  // whether runs are bitwise equal on CUDA too; slower
  // Whether the backward pass recomputes encoder layers instead of keeping their activations. It
  // needs less memory and a third more time.
  bool gradient_checkpointing = false;
  // Whether batches go to a CUDA device through page-locked memory, so that the host can continue.
  bool pinned = true;
  // Factory of the streams of captured steps and captured rollouts. Null: streams of the CUDA
  // device, none on the CPU. Tests pass a fake.
  StepStreamFactory step_stream = nullptr;
};

}  // namespace vrp
