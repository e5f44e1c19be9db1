// BatchImprover on a CUDA device.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/status_macros.h"
#include "core/kernels/improve/batch_improver.h"
#include "core/kernels/improve/improve_calls.h"
#include "core/kernels/improve/improve_launch.h"
#include "core/kernels/improve/packed_plans.h"
#include "core/kernels/launch/cuda_scratch.h"

namespace vrp {
namespace {

// The inverse of the largest share of the free memory that a part may use.
constexpr int64_t kFreeMemoryDivisor = 2;

// Copies a host array to the device.
template <typename T>
absl::StatusOr<CudaScratch> Upload(const std::vector<T>& values, cudaStream_t stream) {
  const size_t bytes = values.size() * sizeof(T);
  VRP_ASSIGN_OR_RETURN(CudaScratch memory,
                       CudaScratch::Create(static_cast<int64_t>(bytes), stream));
  VRP_RETURN_IF_ERROR(CudaStatus(
      cudaMemcpyAsync(memory.bytes(), values.data(), bytes, cudaMemcpyHostToDevice, stream),
      "copy plans to the device"));
  return memory;
}

// The device arrays of a part.
struct PartMemory {
  CudaScratch distances, demands, current, best, neighbours, tasks, scratch;
};

class CudaBatchImprover final : public BatchImprover {
 public:
  explicit CudaBatchImprover(const CudaImproverOptions& options) : options_(options) {}
  ~CudaBatchImprover() override {
    if (stream_ == nullptr) return;
    // Ignores errors, which mean that the device's thread has ended or that CUDA has failed. A
    // destructor cannot report them.
    static_cast<void>(
        RunWork([this] { return CudaStatus(cudaStreamDestroy(stream_), "destroy a stream"); }));
  }

  absl::StatusOr<int32_t> Improve(std::span<ImprovedPlan> plans,
                                  const ImproveOptions& options) override {
    int64_t part_bytes = 0;
    VRP_RETURN_IF_ERROR(RunWork([&] { return Begin(part_bytes); }));
    return ImproveInParts(plans, options, part_bytes,
                          [this](std::span<ImprovedPlan> part, const ImproveOptions& part_options) {
                            return ImprovePart(part, part_options);
                          });
  }

 private:
  // Runs `work` on the thread that owns the device.
  absl::Status RunWork(absl::FunctionRef<absl::Status()> work) const {
    return RunOnDevice(options_.runner, [&]() -> absl::Status {
      // Does not restore the thread's previous device. If the thread had none, restoring would
      // create a context on device 0, which takes hundreds of MiB. All device work chooses its
      // device first.
      VRP_RETURN_IF_ERROR(CudaStatus(cudaSetDevice(options_.device), "set the device"));
      return work();
    });
  }

  absl::Status Begin(int64_t& part_bytes) {
    if (stream_ == nullptr) {
      VRP_ASSIGN_OR_RETURN(limits_, QueryLimits());
      VRP_RETURN_IF_ERROR(CudaStatus(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking),
                                     "create a stream"));
    }
    size_t available = 0;
    size_t total = 0;
    VRP_RETURN_IF_ERROR(CudaStatus(cudaMemGetInfo(&available, &total), "get the free memory"));
    part_bytes = std::min(static_cast<int64_t>(available) / kFreeMemoryDivisor,
                          static_cast<int64_t>(total) / 100 * options_.memory_percent);
    return absl::OkStatus();
  }

  absl::StatusOr<int32_t> ImprovePart(std::span<ImprovedPlan> plans,
                                      const ImproveOptions& options) {
    PackedPlans packed(plans);
    std::optional<PartMemory> memory;
    ImproveBatch batch;
    VRP_RETURN_IF_ERROR(RunWork([&] { return Load(packed, memory, batch); }));
    const absl::StatusOr<int32_t> rounds = Run(batch, memory->scratch, options);
    const absl::Status stored = RunWork([&]() -> absl::Status {
      absl::Status status = rounds.ok() ? Store(batch, packed) : rounds.status();
      memory.reset();
      return status;
    });
    VRP_RETURN_IF_ERROR(stored);
    packed.Unpack(packed.plans(), plans);
    return rounds;
  }

  absl::Status Load(PackedPlans& packed, std::optional<PartMemory>& memory,
                    ImproveBatch& batch) const {
    const auto size = static_cast<int64_t>(packed.plans().size());
    VRP_ASSIGN_OR_RETURN(CudaScratch distances, Upload(packed.distances(), stream_));
    VRP_ASSIGN_OR_RETURN(CudaScratch demands, Upload(packed.demands(), stream_));
    VRP_ASSIGN_OR_RETURN(CudaScratch current, Upload(packed.plans(), stream_));
    VRP_ASSIGN_OR_RETURN(CudaScratch best, CudaScratch::Create(size, stream_));
    // Clears the unused ends of smaller plans, which are copied back with the rest.
    VRP_RETURN_IF_ERROR(CudaStatus(
        cudaMemsetAsync(best.bytes(), 0, static_cast<size_t>(size), stream_), "clear plans"));
    VRP_ASSIGN_OR_RETURN(CudaScratch neighbours,
                         CudaScratch::Create(2 * packed.neighbour_count(), stream_));
    const std::vector<ImproveTask> tasks_on_device =
        packed.TasksAt(reinterpret_cast<const int32_t*>(distances.bytes()),
                       reinterpret_cast<const int32_t*>(demands.bytes()),
                       reinterpret_cast<uint16_t*>(neighbours.bytes()));
    VRP_ASSIGN_OR_RETURN(CudaScratch tasks, Upload(tasks_on_device, stream_));
    batch = {.instances = packed.size(),
             .nodes = packed.nodes(),
             .routes = packed.routes(),
             .tasks = reinterpret_cast<const ImproveTask*>(tasks.bytes()),
             .current = current.bytes(),
             .best = best.bytes()};
    VRP_ASSIGN_OR_RETURN(CudaScratch scratch,
                         CudaScratch::Create(Plan(batch).global_scratch_bytes, stream_));
    memory.emplace(PartMemory{std::move(distances), std::move(demands), std::move(current),
                              std::move(best), std::move(neighbours), std::move(tasks),
                              std::move(scratch)});
    // The copy must finish before `tasks_on_device` is destroyed.
    return CudaStatus(cudaStreamSynchronize(stream_), "copy plans to the device");
  }

  // Copies on the improver's stream, because the default stream would wait for other work on the
  // device.
  absl::Status Store(const ImproveBatch& batch, PackedPlans& packed) const {
    VRP_RETURN_IF_ERROR(
        CudaStatus(cudaMemcpyAsync(packed.plans().data(), batch.best, packed.plans().size(),
                                   cudaMemcpyDeviceToHost, stream_),
                   "copy plans from the device"));
    return CudaStatus(cudaStreamSynchronize(stream_), "copy plans from the device");
  }

  ImproveLaunchPlan Plan(const ImproveBatch& batch) const {
    return PlanImproveLaunch(batch.instances, ImproveScratchBytes(batch.nodes, batch.routes),
                             *limits_);
  }

  absl::StatusOr<int32_t> Run(const ImproveBatch& batch, const CudaScratch& scratch,
                              const ImproveOptions& options) const {
    const ImproveLaunch launch = {
        .plan = Plan(batch), .scratch = scratch.bytes(), .stream = stream_};
    const auto runner = [this](absl::FunctionRef<absl::Status()> work) { return RunWork(work); };
    return CallImprove(options, runner, [&](const ImproveRequest& request) -> absl::Status {
      VRP_RETURN_IF_ERROR(CudaStatus(LaunchImprove(batch, request, launch), "improve plans"));
      return CudaStatus(cudaStreamSynchronize(stream_), "improve plans");
    });
  }

  const CudaImproverOptions options_;
  cudaStream_t stream_ = nullptr;
  std::optional<DeviceLimits> limits_;
};

}  // namespace

std::unique_ptr<BatchImprover> MakeCudaBatchImprover(const CudaImproverOptions& options) {
  return std::make_unique<CudaBatchImprover>(options);
}

}  // namespace vrp
