// The decoder of attention models for a whole batch, on the device that holds it: rollouts and the
// second pass of all instances' trajectories, each in one launch. attention_decoder.h defines the
// results and the draws; decoder_program*.h are the programs on every device.
//
// Shapes: B instances, P trajectories each, T steps, N nodes (of the largest instance), H hidden.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "core/base/cpu_pool.h"
#include "core/kernels/decoder/decoder_batch.h"

namespace vrp {

// A decoder whose pointers all refer to the device's memory. Not thread-safe. On CUDA both calls
// only enqueue work; kInternal reports immediate errors of CUDA, and later ones appear at the
// stream's next synchronisation.
template <typename T>
class BatchDecoder {
 public:
  virtual ~BatchDecoder() = default;

  virtual absl::Status Rollout(const DecoderBatch<T>& batch, const BatchRolloutRequest& request,
                               const BatchRolloutResult& result) = 0;

  // Writes log_likelihoods [B, P]. Adds the gradient of sum(weights * log_likelihoods) to
  // `gradient`, unless its keys are null. Instances may share arrays of `gradient`.
  virtual absl::Status SecondPass(const DecoderBatch<T>& batch,
                                  const BatchSecondPassRequest& request, double* log_likelihoods,
                                  const BatchNodes<T>& gradient) = 0;
};

// Returns a decoder that runs the same programs on the CPU, with one thread per trajectory: the
// reference for CUDA and for float64. Slower than AttentionDecoder.
template <typename T>
std::unique_ptr<BatchDecoder<T>> MakeSerialBatchDecoder(CpuPool* pool = nullptr);

// Allocates device memory in the order of its stream; the pointer's release frees it. May throw
// when memory runs out.
using DeviceBytes = std::function<std::shared_ptr<uint8_t>(int64_t bytes)>;

struct CudaDecoderOptions {
  void* stream = nullptr;      // a cudaStream_t of the current device
  bool deterministic = false;  // slower gradient sums in a fixed order
  // Allocates scratch for groups that do not fit into shared memory. Null: CUDA allocates it,
  // outside of the limits that bound other users of the memory.
  DeviceBytes bytes = {};
};
// Returns null in a build without CUDA.
std::unique_ptr<BatchDecoder<float>> MakeCudaBatchDecoder(const CudaDecoderOptions& options);

}  // namespace vrp
