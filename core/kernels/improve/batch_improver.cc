#include "core/kernels/improve/batch_improver.h"

#include <utility>

#include "core/kernels/improve/improve_calls.h"
#include "core/kernels/improve/packed_plans.h"

namespace vrp {
namespace {

class SerialBatchImprover final : public BatchImprover {
 public:
  SerialBatchImprover(int64_t part_bytes, DeviceRunner runner)
      : part_bytes_(part_bytes), runner_(std::move(runner)) {}

  absl::StatusOr<int32_t> Improve(std::span<ImprovedPlan> plans,
                                  const ImproveOptions& options) override {
    return ImproveInParts(plans, options, part_bytes_,
                          [this](std::span<ImprovedPlan> part, const ImproveOptions& part_options) {
                            return ImprovePart(part, part_options);
                          });
  }

 private:
  absl::StatusOr<int32_t> ImprovePart(std::span<ImprovedPlan> plans,
                                      const ImproveOptions& options) const {
    PackedPlans packed(plans);
    std::vector<uint16_t> neighbours(static_cast<size_t>(packed.neighbour_count()));
    std::vector<uint8_t> best(packed.plans().size());
    const std::vector<ImproveTask> tasks =
        packed.TasksAt(packed.distances().data(), packed.demands().data(), neighbours.data());
    const ImproveBatch batch = {.instances = packed.size(),
                                .nodes = packed.nodes(),
                                .routes = packed.routes(),
                                .tasks = tasks.data(),
                                .current = packed.plans().data(),
                                .best = best.data()};
    const absl::StatusOr<int32_t> rounds =
        CallImprove(options, runner_, [&](const ImproveRequest& request) {
          ImproveAll(batch, request, options.pool);
          return absl::OkStatus();
        });
    if (rounds.ok()) packed.Unpack(best, plans);
    return rounds;
  }

  static void ImproveAll(const ImproveBatch& batch, const ImproveRequest& request, CpuPool* pool) {
    const auto improve_plan = [&](int64_t number) {
      std::vector<uint8_t> memory(
          static_cast<size_t>(ImproveScratchBytes(batch.nodes, batch.routes)));
      const ImproveTask& task = batch.tasks[number];
      vrp::Improve(SerialGroup(), batch, ImproveScratchAt(task.nodes, task.routes, memory.data()),
                   request, static_cast<int32_t>(number));
    };
    if (pool != nullptr && batch.instances > 1) {
      pool->ParallelFor(batch.instances, improve_plan);
      return;
    }
    for (int32_t number = 0; number < batch.instances; ++number) improve_plan(number);
  }

  const int64_t part_bytes_;
  const DeviceRunner runner_;
};

}  // namespace

std::unique_ptr<BatchImprover> MakeSerialBatchImprover(int64_t part_bytes, DeviceRunner runner) {
  return std::make_unique<SerialBatchImprover>(part_bytes, std::move(runner));
}

}  // namespace vrp
