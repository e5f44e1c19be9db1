// Streams and graphs by torch's C++ API, so that its allocator and autograd know of them.
#include "core/device/step_stream.h"

#if VRP_WITH_CUDA
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>

#include <utility>

#include "core/base/status_macros.h"
#endif

namespace vrp {

#if VRP_WITH_CUDA
namespace {

using c10::cuda::CUDAStream;
using c10::cuda::CUDAStreamGuard;

// What this thread has put into its current stream goes before what `stream` gets from now on.
void PutBehindCurrent(const CUDAStream& stream) {
  at::cuda::CUDAEvent before;
  before.record(c10::cuda::getCurrentCUDAStream(stream.device_index()));
  before.block(stream);
}

class CudaStepGraph final : public StepGraph {
 public:
  explicit CudaStepGraph(const CUDAStream& stream) : stream_(stream) {}

  absl::Status Record(const std::function<absl::Status()>& work) {
    const CUDAStreamGuard guard(stream_);
    // Serving threads may call what a capture forbids its own thread.
    graph_.capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
    absl::Status status;
    try {
      status = work();
    } catch (...) {
      Abandon();
      throw;
    }
    if (!status.ok()) {
      Abandon();
      return status;
    }
    graph_.capture_end();
    return absl::OkStatus();
  }

  absl::Status Replay() override {
    PutBehindCurrent(stream_);
    const CUDAStreamGuard guard(stream_);
    graph_.replay();
    return absl::OkStatus();
  }

 private:
  // The stream must not stay in the capture, whatever becomes of the graph.
  void Abandon() {
    try {
      graph_.capture_end();
    } catch (const c10::Error&) {
      return;  // the error that led here says more
    }
  }

  const CUDAStream stream_;
  at::cuda::CUDAGraph graph_;
};

class CudaStepCopy final : public StepCopy {
 public:
  explicit CudaStepCopy(std::shared_ptr<at::cuda::CUDAEvent> done) : done_(std::move(done)) {}

  absl::Status Wait() override {
    done_->synchronize();
    return absl::OkStatus();
  }

 private:
  const std::shared_ptr<at::cuda::CUDAEvent> done_;
};

class CudaStepStream final : public StepStream {
 public:
  explicit CudaStepStream(c10::DeviceIndex index)
      : main_(c10::cuda::getStreamFromPool(false, index)),
        side_(c10::cuda::getStreamFromPool(false, index)) {}

  absl::Status Run(absl::FunctionRef<absl::Status()> work) override {
    PutBehindCurrent(main_);
    const CUDAStreamGuard guard(main_);
    return work();
  }

  absl::StatusOr<std::unique_ptr<StepGraph>> Capture(std::function<absl::Status()> work) override {
    main_.synchronize();
    auto graph = std::make_unique<CudaStepGraph>(main_);
    VRP_RETURN_IF_ERROR(graph->Record(work));
    return std::unique_ptr<StepGraph>(std::move(graph));
  }

  absl::StatusOr<std::unique_ptr<StepCopy>> CopyAside(void* to, const void* from,
                                                      int64_t bytes) override {
    if (last_copy_ != nullptr) last_copy_->block(main_);
    at::cuda::CUDAEvent ready;
    ready.record(main_);
    ready.block(side_);
    const CUDAStreamGuard guard(side_);
    C10_CUDA_CHECK(cudaMemcpyAsync(to, from, static_cast<size_t>(bytes), cudaMemcpyDeviceToHost,
                                   side_.stream()));
    last_copy_ = std::make_shared<at::cuda::CUDAEvent>();
    last_copy_->record(side_);
    return std::unique_ptr<StepCopy>(std::make_unique<CudaStepCopy>(last_copy_));
  }

  absl::Status Wait() override {
    main_.synchronize();
    return absl::OkStatus();
  }

 private:
  const CUDAStream main_;
  const CUDAStream side_;
  std::shared_ptr<at::cuda::CUDAEvent> last_copy_;
};

}  // namespace

std::unique_ptr<StepStream> MakeCudaStepStream(int32_t device_index) {
  return std::make_unique<CudaStepStream>(static_cast<c10::DeviceIndex>(device_index));
}
#else
std::unique_ptr<StepStream> MakeCudaStepStream(int32_t) { return nullptr; }
#endif

}  // namespace vrp
