#include "core/model/pointer_network/cpu_pointer_network.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/base/status_macros.h"
#include "core/base/stop_status.h"
#include "core/model/pointer_network/pointer_architecture.h"
#include "core/model/pointer_network/pointer_pass.h"
#include "core/model/policy/engine_workers.h"
#include "core/model/policy/phase_clock.h"
#include "core/model/policy/trajectory_table.h"

namespace vrp {
namespace {

// Approximate maximum number of trajectories in a group: enough rows for efficient products of a
// step, few enough for the caches.
constexpr int64_t kPointerGroupRows = 72;

struct PointerWorker : EngineWorker<PointerGroup, float> {
  float* sum = nullptr;  // the memory to which the gradient is added
};
using Workers = EngineWorkers<PointerWorker>;

class CpuPointerNetwork final : public PolicyEngine {
 public:
  CpuPointerNetwork(const PointerNetworkOptions& options, uint64_t seed)
      : plain_(options, Bf16::kNone), parameters_(plain_.pass.weights().layout(), seed) {
    if (UsableBf16() != Bf16::kNone) bf16_ = std::make_unique<PackedPass>(options, UsableBf16());
  }

  std::string_view architecture() const override { return PointerArchitecture().name; }
  const NetworkInputs& inputs() const override { return plain_.pass.weights().inputs(); }
  bool HasBf16() const override { return bf16_ != nullptr; }
  FlatParameters& parameters() override { return parameters_; }
  const FlatParameters& parameters() const override { return parameters_; }
  absl::Status ParametersChanged() override {
    plain_.Invalidate();
    if (bf16_ != nullptr) bf16_->Invalidate();
    return absl::OkStatus();
  }

  absl::StatusOr<Trajectories> Run(const NetworkBatch& batch,
                                   const RolloutRequest& request) const override {
    TrajectoryTable table(batch, request);
    VRP_RETURN_IF_ERROR(table.status());
    const PointerPass& pass = PassFor(request).Pack(parameters_, request.pool);
    Workers workers = idle_.Checkout(EngineThreads(request));
    ForEachGroup<PointerWorker>(Groups(batch, request), request.pool, workers,
                                [&](PointerWorker& worker, InstanceRange range) {
                                  pass.Encode(batch, range.first, range.count, {}, worker.group);
                                  worker.status = request.choice == Choice::kBeam
                                                      ? pass.Beam(request, worker.group, table)
                                                      : pass.Rollout(request, worker.group, table);
                                });
    absl::Status status = idle_.Return(std::move(workers));
    if (!status.ok()) return status;
    return table.Take();
  }

  absl::StatusOr<GradientOutcome> AddGradient(const NetworkBatch& batch,
                                              const GradientRequest& request,
                                              WeighTrajectories weigh) override {
    TrajectoryTable table(batch, request);
    VRP_RETURN_IF_ERROR(table.status());
    CpuPool* const pool = request.rollout.pool;
    const PointerPass& pass = PassFor(request.rollout).Pack(parameters_, pool);
    Workers workers = idle_.Checkout(EngineThreads(request.rollout));
    ForEachOkWorker<PointerWorker>(pool, workers, [&](PointerWorker& worker, size_t w) {
      worker.sum = parameters_.gradient().data();
      if (w > 0) {  // the first worker adds directly to the gradient
        worker.gradient.assign(static_cast<size_t>(parameters_.size()), 0.0f);
        worker.sum = worker.gradient.data();
      }
      pass.weights().Clear(worker.group.sums);
    });
    ForEachGroup<PointerWorker>(
        Groups(batch, request.rollout, request.micro_batch), pool, workers,
        [&](PointerWorker& worker, InstanceRange range) {
          worker.status = AddGroup(batch, request, range, {pass, weigh, table}, worker);
        });
    GradientOutcome outcome = SumOutcomes(workers);
    if (AllWorkersOk(workers)) SumGradients(pass.weights(), workers, pool);
    absl::Status status = idle_.Return(std::move(workers));
    if (!status.ok()) return status;
    VRP_ASSIGN_OR_RETURN(outcome.trajectories, table.Take());
    return outcome;
  }

 private:
  // A pass whose weights are packed on first use after a change. Thread-safe.
  struct PackedPass {
    PackedPass(const PointerNetworkOptions& options, Bf16 bf16) : pass(options, BestIsa(), bf16) {}
    void Invalidate() {
      const absl::MutexLock lock(&mu);
      packed = false;
    }
    const PointerPass& Pack(const FlatParameters& parameters, CpuPool* pool) {
      const absl::MutexLock lock(&mu);
      if (!packed) pass.weights().Pack(parameters.values().data(), pool);
      packed = true;
      return pass;
    }

    PointerPass pass;
    absl::Mutex mu;
    bool packed ABSL_GUARDED_BY(mu) = false;
  };

  PackedPass& PassFor(const RolloutRequest& request) const {
    return request.bf16 && bf16_ != nullptr ? *bf16_ : plain_;
  }

  struct Work {
    const PointerPass& pass;
    WeighTrajectories weigh;
    TrajectoryTable& table;
  };

  static std::vector<InstanceRange> Groups(const NetworkBatch& batch, const RolloutRequest& request,
                                           int32_t max_active_instances = 0) {
    return CutIntoGroups(
        {batch.size(), kPointerGroupRows, EngineThreads(request), max_active_instances},
        [&](int32_t b) { return int64_t{b} * request.trajectories; });
  }

  absl::Status AddGroup(const NetworkBatch& batch, const GradientRequest& request,
                        InstanceRange range, const Work& work, PointerWorker& worker) const {
    PhaseClock clock(worker.seconds);
    const PointerPass& pass = work.pass;
    const RolloutRequest& rollout = request.rollout;
    pass.Encode(batch, range.first, range.count,
                {.dropout = request.dropout,
                 .seed = rollout.seed,
                 .stream = rollout.stream,
                 .first_instance = rollout.first_instance},
                worker.group);
    clock.Spent(Phase::kEncode);
    const bool forced = rollout.choice == Choice::kForced;
    VRP_RETURN_IF_ERROR(forced ? pass.ReplayChoices(rollout, worker.group, work.table)
                               : pass.Rollout(rollout, worker.group, work.table));
    worker.weights.resize(static_cast<size_t>(range.count) * work.table.count());
    work.weigh(range.first, work.table.Costs(range.first, range.count), worker.weights);
    clock.Spent(Phase::kRollout);
    PointerPass::SecondPass second{.request = &request,
                                   .weights = worker.weights.data(),
                                   .table = &work.table,
                                   .score = forced};
    pass.ForwardSteps(second, worker.group);
    clock.Spent(Phase::kSecondPass);
    pass.BackwardSteps(second, worker.group, worker.sum);
    pass.BackwardNodes(worker.group, worker.sum);
    clock.Spent(Phase::kBackward);
    worker.loss += second.loss;
    worker.pass_difference = std::max(worker.pass_difference, second.difference);
    return StopStatus(rollout.stop.Check());
  }

  // Adds the gradients in the order of the workers, so that sums do not depend on which thread
  // adds.
  void SumGradients(const PointerWeights& weights, const Workers& workers, CpuPool* pool) {
    const std::span<float> to = parameters_.gradient();
    const auto parts = static_cast<int64_t>(workers.size());
    const auto size = static_cast<int64_t>(to.size());
    const float* const values = parameters_.values().data();
    ForEachWorker(pool, parts, [&](int64_t w) {
      weights.Finish(values, workers[w]->group.sums, workers[w]->sum);
    });
    ForEachWorker(pool, parts, [&](int64_t part) {
      for (size_t w = 1; w < workers.size(); ++w) {
        const float* const from = workers[w]->sum;
        for (int64_t i = size * part / parts; i < size * (part + 1) / parts; ++i) to[i] += from[i];
      }
    });
  }

  mutable PackedPass plain_;
  std::unique_ptr<PackedPass> bf16_;  // null without bf16
  FlatParameters parameters_;
  mutable WorkerPool<PointerWorker> idle_;
};

}  // namespace

std::unique_ptr<PolicyEngine> MakeCpuPointerNetwork(const PointerNetworkOptions& options,
                                                    uint64_t seed) {
  return std::make_unique<CpuPointerNetwork>(options, seed);
}

}  // namespace vrp
