// BatchImprover on a CUDA device.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <optional>

#include "core/base/status_macros.h"
#include "core/kernels/batch_improver.h"
#include "core/kernels/cuda/cuda_scratch.h"
#include "core/kernels/cuda/improve_launch.h"
#include "core/kernels/improve/improve_calls.h"
#include "core/kernels/improve/packed_plans.h"

namespace vrp {
namespace {

// Of the memory that is free.
constexpr int64_t kMemoryShare = 2;

// An array of the host, on the device.
template <typename T>
absl::StatusOr<Scratch> Uploaded(const std::vector<T>& values, cudaStream_t stream) {
  const size_t bytes = values.size() * sizeof(T);
  VRP_ASSIGN_OR_RETURN(Scratch memory, Scratch::Create(static_cast<int64_t>(bytes), stream));
  VRP_RETURN_IF_ERROR(CudaStatus(
      cudaMemcpyAsync(memory.bytes(), values.data(), bytes, cudaMemcpyHostToDevice, stream),
      "copying plans to the device"));
  return memory;
}

class CudaBatchImprover final : public BatchImprover {
 public:
  explicit CudaBatchImprover(int32_t device) : device_(device) {}
  ~CudaBatchImprover() override {
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }

  absl::StatusOr<int32_t> Improve(std::span<ImprovedPlan> plans,
                                  const ImproveOptions& options) override {
    // The thread keeps it: to choose the one before again would begin to use that, where the thread
    // used none, which takes hundreds of MiB there. Who works on a device chooses it first.
    VRP_RETURN_IF_ERROR(CudaStatus(cudaSetDevice(device_), "choosing the device"));
    VRP_RETURN_IF_ERROR(Begin());
    size_t available = 0;
    size_t total = 0;
    VRP_RETURN_IF_ERROR(CudaStatus(cudaMemGetInfo(&available, &total), "free memory"));
    return ImproveInParts(plans, options, static_cast<int64_t>(available) / kMemoryShare,
                          [this](std::span<ImprovedPlan> part, const ImproveOptions& own) {
                            return ImprovePart(part, own);
                          });
  }

 private:
  absl::Status Begin() {
    if (stream_ != nullptr) return absl::OkStatus();
    VRP_ASSIGN_OR_RETURN(limits_, QueryLimits());
    return CudaStatus(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream");
  }

  absl::StatusOr<int32_t> ImprovePart(std::span<ImprovedPlan> plans,
                                      const ImproveOptions& options) {
    PackedPlans packed(plans);
    const auto size = static_cast<int64_t>(packed.plans().size());
    VRP_ASSIGN_OR_RETURN(const Scratch distances, Uploaded(packed.distances(), stream_));
    VRP_ASSIGN_OR_RETURN(const Scratch demands, Uploaded(packed.demands(), stream_));
    VRP_ASSIGN_OR_RETURN(const Scratch current, Uploaded(packed.plans(), stream_));
    VRP_ASSIGN_OR_RETURN(const Scratch best, Scratch::Create(size, stream_));
    // Smaller plans leave ends of their places unwritten, which are copied back with the rest.
    VRP_RETURN_IF_ERROR(CudaStatus(
        cudaMemsetAsync(best.bytes(), 0, static_cast<size_t>(size), stream_), "clearing plans"));
    VRP_ASSIGN_OR_RETURN(const Scratch near, Scratch::Create(2 * packed.near_count(), stream_));
    const std::vector<ImproveTask> placed =
        packed.TasksAt(reinterpret_cast<const int32_t*>(distances.bytes()),
                       reinterpret_cast<const int32_t*>(demands.bytes()),
                       reinterpret_cast<uint16_t*>(near.bytes()));
    VRP_ASSIGN_OR_RETURN(const Scratch tasks, Uploaded(placed, stream_));
    const ImproveBatch batch = {.instances = packed.size(),
                                .nodes = packed.nodes(),
                                .routes = packed.routes(),
                                .tasks = reinterpret_cast<const ImproveTask*>(tasks.bytes()),
                                .current = current.bytes(),
                                .best = best.bytes()};
    VRP_ASSIGN_OR_RETURN(const int32_t rounds, Run(batch, options));
    // By this stream: the default one would wait for what others do on the device.
    VRP_RETURN_IF_ERROR(
        CudaStatus(cudaMemcpyAsync(packed.plans().data(), best.bytes(), packed.plans().size(),
                                   cudaMemcpyDeviceToHost, stream_),
                   "copying plans from the device"));
    VRP_RETURN_IF_ERROR(CudaStatus(cudaStreamSynchronize(stream_), "copying plans"));
    packed.Unpack(packed.plans(), plans);
    return rounds;
  }

  absl::StatusOr<int32_t> Run(const ImproveBatch& batch, const ImproveOptions& options) {
    const ImprovePlan plan =
        PlanImprove(batch.instances, ImproveRoomBytes(batch.nodes, batch.routes), *limits_);
    VRP_ASSIGN_OR_RETURN(const Scratch scratch, Scratch::Create(plan.scratch_bytes, stream_));
    const ImproveLaunch launch = {.plan = plan, .scratch = scratch.bytes(), .stream = stream_};
    return CallImprove(options, [&](const ImproveRequest& request) -> absl::Status {
      VRP_RETURN_IF_ERROR(CudaStatus(LaunchImprove(batch, request, launch), "improving plans"));
      return CudaStatus(cudaStreamSynchronize(stream_), "improving plans");
    });
  }

  const int32_t device_;
  cudaStream_t stream_ = nullptr;
  std::optional<DeviceLimits> limits_;
};

}  // namespace

std::unique_ptr<BatchImprover> MakeCudaBatchImprover(int32_t device) {
  return std::make_unique<CudaBatchImprover>(device);
}

}  // namespace vrp
