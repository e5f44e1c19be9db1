// Creates streams and graphs through torch's C++ API, so that torch's allocator and autograd know
// of these streams and graphs.
#include "core/device/step_stream.h"

#if VRP_WITH_CUDA
#include <ATen/core/CachingHostAllocator.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>

#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "core/base/status_macros.h"
#include "core/device/joined_graph.h"
#endif

namespace vrp {

#if VRP_WITH_CUDA
namespace {

using c10::cuda::CUDAStream;
using c10::cuda::CUDAStreamGuard;

// Makes later work of `stream` wait for all work that this thread has enqueued into its current
// stream.
void WaitForCurrentStream(const CUDAStream& stream) {
  at::cuda::CUDAEvent before;
  before.record(c10::cuda::getCurrentCUDAStream(stream.device_index()));
  before.block(stream);
}

// Memory shared by captures. Later captures reuse blocks that an earlier one has freed. Torch drops
// a pool with its last capture and then accepts no more captures into it.
struct CapturePool {
  const c10::MempoolId_t id = at::cuda::graph_pool_handle();
};

// One capture by torch.
class TorchCapture {
 public:
  TorchCapture(const CUDAStream& stream, c10::MempoolId_t pool) : stream_(stream), pool_(pool) {}

  void Begin() {
    // Restricts only this thread, because others, such as serving's, may make calls that a capture
    // forbids.
    graph_.capture_begin(pool_, cudaStreamCaptureModeThreadLocal);
  }
  void End() { graph_.capture_end(); }

  // Ends the capture after an error, because the stream must leave the capture in any case. Ignores
  // further errors, because the first one says more.
  void Abandon() {
    try {
      End();
    } catch (const c10::Error&) {
      LeavePool();
    }
  }

  at::cuda::CUDAGraph& graph() { return graph_; }

 private:
  // Detaches the allocators from the graph, which capture_end omits for an invalidated capture.
  // Otherwise the allocators would keep asking the graph, even after its destruction, whether an
  // allocation belongs to it.
  void LeavePool() {
    try {
      const c10::DeviceIndex index = stream_.device_index();
      c10::cuda::CUDACachingAllocator::endAllocateToPool(index, pool_);
      c10::cuda::CUDACachingAllocator::releasePool(index, pool_);
      at::HostAllocator* const host = at::getHostAllocator(at::kCUDA);
      host->end_allocate_to_pool(pool_);
      host->release_pool(pool_);
    } catch (const c10::Error&) {
      return;  // the capture has left the pool already
    }
  }

  const CUDAStream stream_;
  const c10::MempoolId_t pool_;
  at::cuda::CUDAGraph graph_ = at::cuda::CUDAGraph(/*keep_graph=*/true);
};

// Consecutive captures that are launched as one graph.
class CudaStepGraph final : public StepGraph {
 public:
  CudaStepGraph(const CUDAStream& stream, std::shared_ptr<const CapturePool> pool)
      : stream_(stream), pool_(std::move(pool)) {}
  ~CudaStepGraph() override {
    if (joined_exec_ != nullptr) C10_CUDA_CHECK_WARN(cudaGraphExecDestroy(joined_exec_));
  }
  CudaStepGraph(const CudaStepGraph&) = delete;
  CudaStepGraph& operator=(const CudaStepGraph&) = delete;

  absl::Status Record(const std::function<absl::Status()>& work) {
    const CUDAStreamGuard guard(stream_);
    // Frees memory cached by earlier steps, which a capture cannot do. Graphs have their own
    // memory.
    c10::cuda::CUDACachingAllocator::emptyCache();
    absl::Status status;
    try {
      BeginPart({});
      status = work();
      if (status.ok()) EndPart();
    } catch (...) {
      Abandon();
      throw;
    }
    if (!status.ok()) Abandon();
    return status;
  }

  // Records a conditional part. Must be called from Record's `work`.
  absl::Status RecordPart(const StepFlags& condition, absl::FunctionRef<absl::Status()> part) {
    if (IsEmpty()) {  // at the start of the work, or directly after another conditional part
      parts_.back().condition = condition;
    } else {
      EndPart();
      BeginPart(condition);
    }
    VRP_RETURN_IF_ERROR(part());
    EndPart();
    BeginPart({});
    return absl::OkStatus();
  }

  bool has_conditional_parts() const { return parts_.size() > 1; }

  // Builds the launchable graph. Must be called once, after Record.
  void Instantiate() {
    const CUDAStreamGuard guard(stream_);  // conditions belong to the current device
    if (parts_.size() == 1) return parts_.front().capture->graph().instantiate();
    std::vector<GraphPart> joined;
    joined.reserve(parts_.size());
    for (const Part& part : parts_) {
      joined.push_back(
          {.graph = part.capture->graph().raw_cuda_graph(), .condition = part.condition});
    }
    C10_CUDA_CHECK(JoinGraphs(joined, joined_exec_));
  }

  absl::Status Replay() override {
    WaitForCurrentStream(stream_);
    const CUDAStreamGuard guard(stream_);
    if (joined_exec_ == nullptr) {
      parts_.front().capture->graph().replay();
    } else {
      C10_CUDA_CHECK(cudaGraphLaunch(joined_exec_, stream_.stream()));
    }
    return absl::OkStatus();
  }

 private:
  struct Part {
    StepFlags condition;
    std::unique_ptr<TorchCapture> capture;
  };

  void BeginPart(const StepFlags& condition) {
    parts_.push_back(
        {.condition = condition, .capture = std::make_unique<TorchCapture>(stream_, pool_->id)});
    recording_ = true;
    parts_.back().capture->Begin();
  }
  void EndPart() {
    parts_.back().capture->End();
    recording_ = false;
  }
  // Whether the part being recorded is empty.
  bool IsEmpty() const {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    unsigned long long id = 0;
    cudaGraph_t graph = nullptr;
    C10_CUDA_CHECK(cudaStreamGetCaptureInfo(stream_.stream(), &status, &id, &graph));
    if (status != cudaStreamCaptureStatusActive) return false;  // the capture's end reports why
    size_t nodes = 0;
    C10_CUDA_CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    return nodes == 0;
  }
  void Abandon() {
    if (recording_) parts_.back().capture->Abandon();
  }

  const CUDAStream stream_;
  const std::shared_ptr<const CapturePool> pool_;
  std::vector<Part> parts_;
  bool recording_ = false;                 // whether the last part is being recorded
  cudaGraphExec_t joined_exec_ = nullptr;  // set if there are several parts
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
  CudaStepStream(c10::DeviceIndex index, Priority priority)
      : main_(c10::cuda::getStreamFromPool(priority == Priority::kSolving, index)),
        side_(c10::cuda::getStreamFromPool(priority == Priority::kSolving, index)) {}

  absl::Status Run(absl::FunctionRef<absl::Status()> work) override {
    WaitForCurrentStream(main_);
    const CUDAStreamGuard guard(main_);
    return work();
  }

  absl::StatusOr<std::unique_ptr<StepGraph>> Capture(std::function<absl::Status()> work) override {
    main_.synchronize();
    VRP_ASSIGN_OR_RETURN(std::unique_ptr<CudaStepGraph> graph, Record(work));
    try {
      graph->Instantiate();
    } catch (const c10::AcceleratorError& error) {
      if (!graph->has_conditional_parts() || error.get_error_code() == cudaErrorMemoryAllocation)
        throw;
      TORCH_WARN("cannot create a conditional CUDA graph, so every step runs all of its parts: ",
                 error.what_without_backtrace());
      graph.reset();
      supports_conditions_ = false;
      VRP_ASSIGN_OR_RETURN(graph, Record(work));
      graph->Instantiate();
    }
    return std::unique_ptr<StepGraph>(std::move(graph));
  }

  absl::Status AddConditional(const StepFlags& flags,
                              absl::FunctionRef<absl::Status()> part) override {
    const bool is_conditional = recording_ != nullptr && supports_conditions_;
    return is_conditional ? recording_->RecordPart(flags, part) : part();
  }

  absl::StatusOr<std::unique_ptr<StepCopy>> CopyToHostAsync(void* to, const void* from,
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
  absl::StatusOr<std::unique_ptr<CudaStepGraph>> Record(const std::function<absl::Status()>& work) {
    std::shared_ptr<const CapturePool> pool = pool_.lock();
    if (pool == nullptr) pool = std::make_shared<const CapturePool>();
    pool_ = pool;
    auto graph = std::make_unique<CudaStepGraph>(main_, std::move(pool));
    recording_ = graph.get();
    const absl::Cleanup end = [this] { recording_ = nullptr; };
    VRP_RETURN_IF_ERROR(graph->Record(work));
    return graph;
  }

  const CUDAStream main_;
  const CUDAStream side_;
  std::weak_ptr<const CapturePool> pool_;  // shared by the live graphs
  CudaStepGraph* recording_ = nullptr;
  bool supports_conditions_ = true;  // whether no conditional graph has failed yet
  std::shared_ptr<at::cuda::CUDAEvent> last_copy_;
};

}  // namespace

std::unique_ptr<StepStream> MakeCudaStepStream(int32_t device_index, Priority priority) {
  return std::make_unique<CudaStepStream>(static_cast<c10::DeviceIndex>(device_index), priority);
}
#else
std::unique_ptr<StepStream> MakeCudaStepStream(int32_t, Priority) { return nullptr; }
#endif

}  // namespace vrp
