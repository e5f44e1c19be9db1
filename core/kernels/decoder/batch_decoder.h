// The decoder of attention models for a whole batch, on the device that holds it: rollouts and the
// second pass of all instances' trajectories, each in one launch. What is computed, and how draws
// are made, says attention_decoder.h; the programs are decoder_program*.h on every device.
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

// All pointers are to the device's memory. One thread at a time. On CUDA both calls only put work
// into the stream; kInternal says what CUDA reports at once, later errors come with the stream's
// next synchronisation.
template <typename T>
class BatchDecoder {
 public:
  virtual ~BatchDecoder() = default;

  virtual absl::Status Rollout(const DecoderBatch<T>& batch, const BatchRolloutRequest& request,
                               const BatchRolloutResult& result) = 0;

  // Writes log_likelihoods [B, P]; adds the gradient of sum(weights * log_likelihoods) to
  // `gradient`, unless its keys are null. Where instances share an array of it, nothing is lost.
  virtual absl::Status SecondPass(const DecoderBatch<T>& batch,
                                  const BatchSecondPassRequest& request, double* log_likelihoods,
                                  const BatchNodes<T>& gradient) = 0;
};

// On the CPU, by the same programs with one thread a trajectory: what CUDA is compared with, and
// float64's reference. Slower than AttentionDecoder.
template <typename T>
std::unique_ptr<BatchDecoder<T>> MakeSerialBatchDecoder(CpuPool* pool = nullptr);

// So many bytes of a device's memory, in its stream's order, until they are let go. May throw where
// there are none.
using DeviceBytes = std::function<std::shared_ptr<uint8_t>(int64_t bytes)>;

struct CudaDecoderOptions {
  void* stream = nullptr;      // a cudaStream_t of the current device
  bool deterministic = false;  // sums of gradients in a fixed order, slower
  // Where groups of threads that do not fit into shared memory have their room. Null: of CUDA
  // itself, which no bound on others' shares of the memory counts.
  DeviceBytes bytes = {};
};
// Null in a build without CUDA.
std::unique_ptr<BatchDecoder<float>> MakeCudaBatchDecoder(const CudaDecoderOptions& options);

}  // namespace vrp
