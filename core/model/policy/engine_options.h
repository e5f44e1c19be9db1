// How an engine computes: what the configuration of a training run may choose. No torch here.
#pragma once

#include "core/device/step_stream.h"

namespace vrp {

enum class Precision {
  kFp32,
  kBf16,  // products in bf16, sums and everything else in fp32
  kFp16,  // CUDA alone: products in fp16, the loss scaled so that small gradients do not vanish
};

struct EngineOptions {
  Precision precision = Precision::kFp32;
  // The next six: engines with LibTorch inside alone.
  // Rollouts and second passes run in one launch each, where the network knows how; otherwise step
  // by step in torch's operators, which is what the launches are compared with.
  bool fused = true;
  bool allow_tf32 = false;     // fp32 products on CUDA with 10 bits of mantissa
  bool deterministic = false;  // the same bits at each run on CUDA too; slower
  // Encoder layers are computed again in the backward pass, not kept: memory for a third more time.
  bool gradient_checkpointing = false;
  // Batches reach a CUDA device through page-locked memory, and the host goes on meanwhile.
  bool pinned = true;
  // Where whole training steps and recorded rollouts run; null: on the CUDA device, on the CPU
  // nowhere. A fake in tests.
  StepStreamFactory step_stream = nullptr;
};

}  // namespace vrp
