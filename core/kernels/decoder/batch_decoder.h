// The decoder of attention models for a whole batch, on the device that holds the batch. One launch
// runs the rollout or the second pass of all instances' trajectories. attention_decoder.h defines
// the results and the draws. Every device runs the programs in decoder_program*.h.
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
// only enqueue work. They return CUDA's immediate errors as CudaStatus does (cuda_scratch.h). Later
// errors appear at the stream's next synchronisation.
template <typename T>
class BatchDecoder {
 public:
  virtual ~BatchDecoder() = default;

  virtual absl::Status Rollout(const DecoderBatch<T>& batch, const BatchRolloutRequest& request,
                               const BatchRolloutResult& result) = 0;

  // Writes log_likelihoods [B, P]. Adds the gradient of sum(weights * log_likelihoods) to
  // `gradient`, unless gradient.first.keys is null. Instances may share the gradient of
  // shares_weight.
  virtual absl::Status SecondPass(const DecoderBatch<T>& batch,
                                  const BatchSecondPassRequest& request, double* log_likelihoods,
                                  const BatchNodes<T>& gradient) = 0;
};

// Returns a decoder that runs the same programs on the CPU. One thread decodes an instance: a
// thread of `pool`, which must outlive the decoder. The calling thread decodes if `pool` is null or
// the batch has one instance. The calling thread also runs a second pass whose instances share the
// gradient of shares_weight. This decoder is the reference for CUDA and for float64, and slower
// than AttentionDecoder.
template <typename T>
std::unique_ptr<BatchDecoder<T>> MakeSerialBatchDecoder(CpuPool* pool = nullptr);

// A function that allocates device memory in the order of a stream. Releasing the pointer frees the
// memory. May throw when memory runs out.
using DeviceAllocator = std::function<std::shared_ptr<uint8_t>(int64_t bytes)>;

// The stream and the memory of a decoder on CUDA.
struct CudaDecoderOptions {
  void* stream = nullptr;      // a cudaStream_t of the current device
  bool deterministic = false;  // whether to sum gradients in a fixed order, which is slower
  // Whether second passes may round operands of products to 10 bits, because the projections are
  // no more precise.
  bool coarse = false;
  bool bf16 = false;  // whether all keys, values and logit keys are numbers of bf16
  // Allocates scratch for groups that do not fit into shared memory. If null, CUDA allocates the
  // scratch, outside of the limits that bound other users of the memory.
  DeviceAllocator allocate = {};
};
// Returns a decoder on the current CUDA device, or null in a build without CUDA.
std::unique_ptr<BatchDecoder<float>> MakeCudaBatchDecoder(const CudaDecoderOptions& options);

}  // namespace vrp
