// Streams and graphs by torch's C++ API, so that its allocator and autograd know of them.
#include "core/device/step_stream.h"

#if VRP_WITH_CUDA
#include <ATen/core/CachingHostAllocator.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
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
    // A graph's memory is its own, and in a capture none of what earlier steps left can be freed.
    c10::cuda::CUDACachingAllocator::emptyCache();
    absl::Status status;
    try {
      // Serving threads may call what a capture forbids its own thread.
      graph_.capture_begin(pool_, cudaStreamCaptureModeThreadLocal);
      status = work();
      if (status.ok()) graph_.capture_end();
    } catch (...) {
      Abandon();
      throw;
    }
    if (!status.ok()) Abandon();
    return status;
  }

  absl::Status Replay() override {
    PutBehindCurrent(stream_);
    const CUDAStreamGuard guard(stream_);
    graph_.replay();
    return absl::OkStatus();
  }

 private:
  // The stream must not stay in the capture, whatever becomes of the graph. The error that led here
  // says more than those of this.
  void Abandon() {
    try {
      graph_.capture_end();
    } catch (const c10::Error&) {
      LeavePool();
    }
  }

  // As capture_end does, but not where the capture has become invalid: the allocators would ask the
  // graph for ever, also when it is gone, whether an allocation is its.
  void LeavePool() {
    try {
      const c10::DeviceIndex index = stream_.device_index();
      c10::cuda::CUDACachingAllocator::endAllocateToPool(index, pool_);
      c10::cuda::CUDACachingAllocator::releasePool(index, pool_);
      at::HostAllocator* const host = at::getHostAllocator(at::kCUDA);
      host->end_allocate_to_pool(pool_);
      host->release_pool(pool_);
    } catch (const c10::Error&) {
      return;  // it has left
    }
  }

  const CUDAStream stream_;
  const c10::MempoolId_t pool_ = at::cuda::graph_pool_handle();
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
    side_.synchronize();
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
