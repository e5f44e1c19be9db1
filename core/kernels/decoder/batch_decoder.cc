#include "core/kernels/decoder/batch_decoder.h"

#include <algorithm>

#include "absl/functional/function_ref.h"

namespace vrp {
namespace {

// A group's scratch on the heap.
template <typename T>
class HeapScratch {
 public:
  HeapScratch(const DecoderBatch<T>& batch, bool gradient) {
    const DecoderScratchLayout layout = LayOutDecoderScratch<T>(batch.shape, batch.nodes, gradient);
    memory_ = std::make_unique<Line[]>(static_cast<size_t>(layout.bytes) / sizeof(Line));
    pieces_ = DecoderScratchAt<T>(layout, reinterpret_cast<uint8_t*>(memory_.get()));
  }

  const DecoderScratch<T>& pieces() const { return pieces_; }

 private:
  struct alignas(16) Line {
    uint8_t bytes[16];
  };
  std::unique_ptr<Line[]> memory_;
  DecoderScratch<T> pieces_;
};

template <typename T>
class SerialBatchDecoder final : public BatchDecoder<T> {
 public:
  explicit SerialBatchDecoder(CpuPool* pool) : pool_(pool) {}

  absl::Status Rollout(const DecoderBatch<T>& batch, const BatchRolloutRequest& request,
                       const BatchRolloutResult& result) override {
    ForInstances(batch, [&](int64_t b) {
      const HeapScratch<T> scratch(batch, false);
      const DecoderTask<T> task = batch.MakeTask(b);
      const int64_t first = b * request.trajectories;
      for (int64_t row = first; row < first + request.trajectories; ++row) {
        RollOut(SerialGroup(), task, scratch.pieces(), request, row, result);
      }
    });
    return absl::OkStatus();
  }

  absl::Status SecondPass(const DecoderBatch<T>& batch, const BatchSecondPassRequest& request,
                          double* log_likelihoods, const BatchNodes<T>& gradient) override {
    std::fill_n(log_likelihoods, int64_t{batch.instances} * request.trajectories, 0.0);
    const auto body = [&](int64_t b) {
      const HeapScratch<T> scratch(batch, true);
      const DecoderTask<T> task = batch.MakeTask(b);
      const int64_t first = b * request.trajectories;
      for (int64_t row = first; row < first + request.trajectories; ++row) {
        RunSecondPass(SerialGroup(), task, scratch.pieces(), request,
                      MakeTrajectoryPass(request, row, log_likelihoods), gradient.At(b));
      }
    };
    // Only one thread may add to sums that instances share.
    if (gradient.first.shares_weight != nullptr && gradient.weights_batch_stride == 0) {
      for (int32_t b = 0; b < batch.instances; ++b) body(b);
    } else {
      ForInstances(batch, body);
    }
    return absl::OkStatus();
  }

 private:
  void ForInstances(const DecoderBatch<T>& batch, absl::FunctionRef<void(int64_t)> body) const {
    if (pool_ != nullptr && batch.instances > 1) {
      pool_->ParallelFor(batch.instances, body);
      return;
    }
    for (int32_t b = 0; b < batch.instances; ++b) body(b);
  }

  CpuPool* const pool_;
};

}  // namespace

template <typename T>
std::unique_ptr<BatchDecoder<T>> MakeSerialBatchDecoder(CpuPool* pool) {
  return std::make_unique<SerialBatchDecoder<T>>(pool);
}
template std::unique_ptr<BatchDecoder<float>> MakeSerialBatchDecoder(CpuPool*);
template std::unique_ptr<BatchDecoder<double>> MakeSerialBatchDecoder(CpuPool*);

}  // namespace vrp
