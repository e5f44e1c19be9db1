#include "core/model/cpu_pointer_network.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/status_macros.h"
#include "core/base/stop_status.h"
#include "core/model/engine_workers.h"
#include "core/model/phase_clock.h"
#include "core/model/pointer_pass.h"
#include "core/model/trajectory_table.h"

namespace vrp {
namespace {

// Trajectories that go through the network together: enough rows for the products of a step, few
// enough for the caches.
constexpr int64_t kGroupRows = 72;

using Worker = EngineWorker<PointerGroup, float>;
using Workers = EngineWorkers<Worker>;

class CpuPointerNetwork final : public PolicyEngine {
 public:
  CpuPointerNetwork(const PointerNetworkOptions& options, uint64_t seed)
      : pass_(options, BestIsa()), parameters_(pass_.weights().layout(), seed) {
    ParametersChanged();
  }

  std::string_view architecture() const override { return "ptrnet"; }
  NodeOrder node_order() const override { return NodeOrder::kByAngle; }
  FlatParameters& parameters() override { return parameters_; }
  const FlatParameters& parameters() const override { return parameters_; }
  void ParametersChanged() override { pass_.weights().Pack(parameters_.values().data()); }

  absl::StatusOr<Trajectories> Run(const NetworkBatch& batch,
                                   const RolloutRequest& request) const override {
    TrajectoryTable table(batch, request);
    VRP_RETURN_IF_ERROR(table.status());
    Workers workers = idle_.Take(EngineThreads(request));
    ForEachGroup<Worker>(Groups(batch, request), request.pool, workers,
                         [&](Worker& worker, InstanceRange range) {
                           pass_.Encode(batch, range.first, range.count, {}, worker.group);
                           worker.status = request.choice == Choice::kBeam
                                               ? pass_.Beam(request, worker.group, table)
                                               : pass_.Rollout(request, worker.group, table);
                         });
    absl::Status status = idle_.GiveBack(std::move(workers));
    if (!status.ok()) return status;
    return table.Take();
  }

  absl::StatusOr<GradientOutcome> AddGradient(const NetworkBatch& batch,
                                              const GradientRequest& request,
                                              WeighTrajectories weigh) override {
    TrajectoryTable table(batch, request);
    VRP_RETURN_IF_ERROR(table.status());
    CpuPool* const pool = request.rollout.pool;
    Workers workers = idle_.Take(EngineThreads(request.rollout));
    ForEachWorker(pool, std::ssize(workers), [&](int64_t w) {
      workers[w]->gradient.assign(static_cast<size_t>(parameters_.size()), 0.0f);
      pass_.weights().Clear(workers[w]->group.sums);
    });
    ForEachGroup<Worker>(Groups(batch, request.rollout), pool, workers,
                         [&](Worker& worker, InstanceRange range) {
                           worker.status = AddGroup(batch, request, range, {weigh, table}, worker);
                         });
    GradientOutcome outcome = SummaryOf(workers);
    if (AllSound(workers)) SumGradients(workers, pool);
    absl::Status status = idle_.GiveBack(std::move(workers));
    if (!status.ok()) return status;
    outcome.trajectories = table.Take();
    return outcome;
  }

 private:
  struct Sinks {
    WeighTrajectories weigh;
    TrajectoryTable& table;
  };

  static std::vector<InstanceRange> Groups(const NetworkBatch& batch,
                                           const RolloutRequest& request) {
    return CutIntoGroups({batch.size(), kGroupRows, EngineThreads(request)},
                         [&](int32_t b) { return int64_t{b} * request.trajectories; });
  }

  absl::Status AddGroup(const NetworkBatch& batch, const GradientRequest& request,
                        InstanceRange range, const Sinks& sinks, Worker& worker) const {
    PhaseClock clock(worker.seconds);
    const RolloutRequest& rollout = request.rollout;
    pass_.Encode(batch, range.first, range.count,
                 {.dropout = request.dropout,
                  .seed = rollout.seed,
                  .stream = rollout.stream,
                  .first_instance = rollout.first_instance},
                 worker.group);
    clock.Spent(Phase::kEncode);
    const bool walks = rollout.choice == Choice::kFollow && rollout.teacher_forcing >= 1;
    VRP_RETURN_IF_ERROR(walks ? pass_.Walk(rollout, worker.group, sinks.table)
                              : pass_.Rollout(rollout, worker.group, sinks.table));
    worker.weights.resize(static_cast<size_t>(range.count) * sinks.table.count());
    sinks.weigh(range.first, sinks.table.Costs(range.first, range.count), worker.weights);
    clock.Spent(Phase::kRollout);
    PointerPass::SecondPass second{.request = &request,
                                   .weights = worker.weights.data(),
                                   .table = &sinks.table,
                                   .score = walks};
    pass_.ForwardSteps(second, worker.group);
    clock.Spent(Phase::kSecondPass);
    pass_.BackwardSteps(second, worker.group, worker.gradient.data());
    pass_.BackwardNodes(worker.group, worker.gradient.data());
    clock.Spent(Phase::kBackward);
    worker.loss += second.loss;
    worker.pass_difference = std::max(worker.pass_difference, second.difference);
    return StopStatus(rollout.stop.Check());
  }

  // In the order of the workers, whatever thread adds.
  void SumGradients(const Workers& workers, CpuPool* pool) {
    const std::span<float> to = parameters_.gradient();
    const auto parts = static_cast<int64_t>(workers.size());
    const auto size = static_cast<int64_t>(to.size());
    const float* const values = parameters_.values().data();
    ForEachWorker(pool, parts, [&](int64_t w) {
      pass_.weights().Finish(values, workers[w]->group.sums, workers[w]->gradient.data());
    });
    ForEachWorker(pool, parts, [&](int64_t part) {
      for (const auto& worker : workers) {
        const float* const from = worker->gradient.data();
        for (int64_t i = size * part / parts; i < size * (part + 1) / parts; ++i) to[i] += from[i];
      }
    });
  }

  PointerPass pass_;
  FlatParameters parameters_;
  mutable IdleWorkers<Worker> idle_;
};

}  // namespace

std::unique_ptr<PolicyEngine> MakeCpuPointerNetwork(const PointerNetworkOptions& options,
                                                    uint64_t seed) {
  return std::make_unique<CpuPointerNetwork>(options, seed);
}

}  // namespace vrp
