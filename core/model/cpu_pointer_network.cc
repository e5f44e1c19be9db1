#include "core/model/cpu_pointer_network.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/base/status_macros.h"
#include "core/base/stop_status.h"
#include "core/model/phase_clock.h"
#include "core/model/pointer_pass.h"
#include "core/model/trajectory_table.h"

namespace vrp {
namespace {

// Trajectories that go through the network together: enough rows for the products of a step, few
// enough for the caches.
constexpr int64_t kGroupRows = 72;

struct Worker {
  PointerGroup group;
  std::vector<float> gradient;
  std::vector<double> weights;  // [count, P]
  PhaseSeconds seconds{};
  double loss = 0;
  double pass_difference = 0;
  absl::Status status;
};

struct Range {
  int32_t first = 0;
  int32_t count = 0;
};

// Instances first .. last - 1, which are one thread's, in groups of nearly equal size.
std::vector<Range> CutIntoGroups(Range share, int32_t trajectories) {
  const int64_t limit = std::max<int64_t>(1, kGroupRows / trajectories);
  const int64_t groups = (share.count + limit - 1) / limit;
  std::vector<Range> ranges;
  for (int64_t g = 0; g < groups; ++g) {
    const auto begin = static_cast<int32_t>(share.count * g / groups);
    const auto end = static_cast<int32_t>(share.count * (g + 1) / groups);
    ranges.push_back({.first = share.first + begin, .count = end - begin});
  }
  return ranges;
}

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
    auto workers = TakeWorkers(Threads(request));
    ForEachShare(batch, request, workers, [&](Worker& worker, Range range) {
      pass_.Encode(batch, range.first, range.count, {}, worker.group);
      worker.status = pass_.Rollout(request, worker.group, table);
    });
    absl::Status status = GiveBack(std::move(workers));
    if (!status.ok()) return status;
    return table.Take();
  }

  absl::StatusOr<GradientOutcome> AddGradient(const NetworkBatch& batch,
                                              const GradientRequest& request,
                                              WeighTrajectories weigh) override {
    TrajectoryTable table(batch, request.rollout);
    VRP_RETURN_IF_ERROR(table.status());
    auto workers = TakeWorkers(Threads(request.rollout));
    for (auto& worker : workers) {
      worker->gradient.assign(static_cast<size_t>(parameters_.size()), 0.0f);
      pass_.weights().Clear(worker->group.sums);
    }
    ForEachShare(batch, request.rollout, workers, [&](Worker& worker, Range range) {
      worker.status = AddGroup(batch, request, range, {weigh, table}, worker);
    });
    GradientOutcome outcome;
    for (const auto& worker : workers) {
      outcome.loss += worker->loss;
      outcome.pass_difference = std::max(outcome.pass_difference, worker->pass_difference);
      for (size_t i = 0; i < outcome.seconds.size(); ++i) outcome.seconds[i] += worker->seconds[i];
    }
    const bool sound = std::all_of(workers.begin(), workers.end(),
                                   [](const auto& worker) { return worker->status.ok(); });
    if (sound) SumGradients(workers, request.rollout.pool);
    absl::Status status = GiveBack(std::move(workers));
    if (!status.ok()) return status;
    outcome.trajectories = table.Take();
    return outcome;
  }

 private:
  using Workers = std::vector<std::unique_ptr<Worker>>;

  struct Sinks {
    WeighTrajectories weigh;
    TrajectoryTable& table;
  };

  static int Threads(const RolloutRequest& request) {
    return request.pool == nullptr ? 1 : request.pool->threads();
  }

  static void ForEachWorker(CpuPool* pool, int64_t count, absl::FunctionRef<void(int64_t)> body) {
    if (pool == nullptr || count == 1) {
      body(0);
    } else {
      pool->ParallelFor(count, body);
    }
  }

  // Each worker has a fixed share of the batch.
  static void ForEachShare(const NetworkBatch& batch, const RolloutRequest& request,
                           Workers& workers, absl::FunctionRef<void(Worker&, Range)> body) {
    const auto count = static_cast<int64_t>(workers.size());
    ForEachWorker(request.pool, count, [&](int64_t w) {
      Worker& worker = *workers[w];
      const auto first = static_cast<int32_t>(batch.size() * w / count);
      const auto last = static_cast<int32_t>(batch.size() * (w + 1) / count);
      const Range share{.first = first, .count = last - first};
      for (const Range range : CutIntoGroups(share, request.trajectories)) {
        if (worker.status.ok()) body(worker, range);
      }
    });
  }

  absl::Status AddGroup(const NetworkBatch& batch, const GradientRequest& request, Range range,
                        const Sinks& sinks, Worker& worker) const {
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

  Workers TakeWorkers(int count) const {
    Workers taken;
    {
      const absl::MutexLock lock(&mu_);
      while (!idle_.empty() && static_cast<int>(taken.size()) < count) {
        taken.push_back(std::move(idle_.back()));
        idle_.pop_back();
      }
    }
    while (static_cast<int>(taken.size()) < count) taken.push_back(std::make_unique<Worker>());
    for (auto& worker : taken) {
      worker->seconds = {};
      worker->loss = worker->pass_difference = 0;
      worker->status = absl::OkStatus();
    }
    return taken;
  }

  // The first error of the workers, who are kept for the next call.
  absl::Status GiveBack(Workers workers) const {
    absl::Status status;
    for (const auto& worker : workers) {
      if (status.ok()) status = worker->status;
    }
    const absl::MutexLock lock(&mu_);
    for (auto& worker : workers) idle_.push_back(std::move(worker));
    return status;
  }

  PointerPass pass_;
  FlatParameters parameters_;
  mutable absl::Mutex mu_;
  mutable Workers idle_ ABSL_GUARDED_BY(mu_);
};

}  // namespace

std::unique_ptr<PolicyEngine> MakeCpuPointerNetwork(const PointerNetworkOptions& options,
                                                    uint64_t seed) {
  return std::make_unique<CpuPointerNetwork>(options, seed);
}

}  // namespace vrp
