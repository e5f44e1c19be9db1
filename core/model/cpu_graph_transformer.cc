#include "core/model/cpu_graph_transformer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/base/status_macros.h"
#include "core/base/stop_status.h"
#include "core/base/text.h"
#include "core/model/graph_transformer_pass.h"
#include "core/model/phase_clock.h"
#include "core/model/trajectory_table.h"

namespace vrp {
namespace {

// Rows of nodes that go through the network together: enough for the products, few enough for the
// caches.
constexpr int64_t kGroupRows = 420;

// Consecutive instances of a batch: first .. first + count - 1.
struct Range {
  int32_t first = 0;
  int32_t count = 0;
};

// Depends on the batch and the number of threads alone.
std::vector<Range> CutIntoGroups(const NetworkBatch& batch, int threads) {
  const int64_t share = (batch.rows() + threads - 1) / threads;
  const int64_t limit = std::min(kGroupRows, share);
  std::vector<Range> groups;
  int64_t rows = 0;
  for (int32_t b = 0; b < batch.size(); ++b) {
    if (groups.empty() || rows + batch.nodes(b) > limit) {
      groups.push_back({.first = b, .count = 0});
      rows = 0;
    }
    ++groups.back().count;
    rows += batch.nodes(b);
  }
  return groups;
}

// What a thread works with; kept from step to step.
template <typename T>
struct Worker {
  GraphTransformerGroup<T> group;
  std::vector<T> decoder_scratch;
  std::vector<T> gradient;
  std::vector<double> weights;          // [count, P]
  std::vector<double> log_likelihoods;  // [P]
  PhaseSeconds seconds{};
  double loss = 0;
  double pass_difference = 0;
  absl::Status status;
};

// The weights and gradients as the passes compute them.
template <typename T>
class CpuGraphTransformer final : public Float64Engine {
 public:
  CpuGraphTransformer(const GraphTransformerOptions& options, uint64_t seed)
      : pass_(options, BestIsa()),
        decoder_(MakeAttentionDecoder<T>(
            {.hidden = options.hidden, .heads = options.heads, .clip = options.logit_clip},
            BestIsa())),
        parameters_(pass_.layout(), seed) {
    ParametersChanged();
  }

  std::string_view architecture() const override { return "gt"; }
  NodeOrder node_order() const override { return NodeOrder::kAsGiven; }
  FlatParameters& parameters() override { return parameters_; }
  const FlatParameters& parameters() const override { return parameters_; }
  std::span<const double> LastGradient() const override { return last_gradient_; }

  void ParametersChanged() override {
    if constexpr (!std::is_same_v<T, float>) {
      values_.assign(parameters_.values().begin(), parameters_.values().end());
    }
    pass_.Pack(Values());
  }

  absl::StatusOr<Trajectories> Run(const NetworkBatch& batch,
                                   const RolloutRequest& request) const override {
    TrajectoryTable table(batch, request);
    VRP_RETURN_IF_ERROR(table.status());
    const int threads = Threads(request);
    const std::vector<Range> groups = CutIntoGroups(batch, threads);
    std::vector<std::unique_ptr<Worker<T>>> workers = TakeWorkers(threads);
    ForEachWorker(request.pool, threads, [&](int64_t w) {
      Worker<T>& worker = *workers[w];
      for (size_t g = w; g < groups.size() && worker.status.ok(); g += threads) {
        pass_.Encode(batch, groups[g].first, groups[g].count, false, worker.group);
        worker.status = Decode(batch, request, worker, table);
      }
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
    const int threads = Threads(request.rollout);
    const std::vector<Range> groups = CutIntoGroups(batch, threads);
    std::vector<std::unique_ptr<Worker<T>>> workers = TakeWorkers(threads);
    ForEachWorker(request.rollout.pool, threads, [&](int64_t w) {
      Worker<T>& worker = *workers[w];
      worker.gradient.assign(static_cast<size_t>(parameters_.size()), T{0});
      pass_.ClearSums(worker.group);
      for (size_t g = w; g < groups.size() && worker.status.ok(); g += threads) {
        worker.status = AddGroup(batch, request, groups[g], {weigh, table}, worker);
      }
      if (worker.status.ok()) pass_.Finish(Values(), worker.group, worker.gradient.data());
    });
    GradientOutcome outcome = Summary(workers);
    const bool sound = std::all_of(workers.begin(), workers.end(),
                                   [](const auto& worker) { return worker->status.ok(); });
    if (sound) SumGradients(workers, request.rollout.pool);
    absl::Status status = GiveBack(std::move(workers));
    if (!status.ok()) return status;
    outcome.trajectories = table.Take();
    return outcome;
  }

 private:
  struct Sinks {
    WeighTrajectories weigh;
    TrajectoryTable& table;
  };

  static int Threads(const RolloutRequest& request) {
    return request.pool == nullptr ? 1 : request.pool->threads();
  }

  static void ForEachWorker(CpuPool* pool, int threads, absl::FunctionRef<void(int64_t)> body) {
    if (pool == nullptr || threads == 1) {
      body(0);
    } else {
      pool->ParallelFor(threads, body);
    }
  }

  const T* Values() const {
    if constexpr (std::is_same_v<T, float>) {
      return parameters_.values().data();
    } else {
      return values_.data();
    }
  }

  std::vector<std::unique_ptr<Worker<T>>> TakeWorkers(int count) const {
    std::vector<std::unique_ptr<Worker<T>>> taken;
    {
      const absl::MutexLock lock(&mu_);
      while (!idle_.empty() && static_cast<int>(taken.size()) < count) {
        taken.push_back(std::move(idle_.back()));
        idle_.pop_back();
      }
    }
    while (static_cast<int>(taken.size()) < count) taken.push_back(std::make_unique<Worker<T>>());
    for (auto& worker : taken) {
      worker->seconds = {};
      worker->loss = worker->pass_difference = 0;
      worker->status = absl::OkStatus();
    }
    return taken;
  }

  // The first error of the workers, who are kept for the next call.
  absl::Status GiveBack(std::vector<std::unique_ptr<Worker<T>>> workers) const {
    absl::Status status;
    for (const auto& worker : workers) {
      if (status.ok()) status = worker->status;
    }
    const absl::MutexLock lock(&mu_);
    for (auto& worker : workers) idle_.push_back(std::move(worker));
    return status;
  }

  absl::Status Decode(const NetworkBatch& batch, const RolloutRequest& request, Worker<T>& worker,
                      TrajectoryTable& table) const {
    for (int32_t b = 0; b < worker.group.count; ++b) {
      const int32_t instance = worker.group.first + b;
      const RoutingProblem& problem = batch.problems[instance];
      Grow(worker.decoder_scratch, decoder_->ScratchSize(problem, table.count()));
      const DecodeStatus status =
          decoder_->Rollout(problem, pass_.Nodes(worker.group, b), table.Request(request, instance),
                            table.Result<T>(instance), worker.decoder_scratch.data());
      if (status != DecodeStatus::kDone) return table.Error(status, instance, request.stop);
    }
    return absl::OkStatus();
  }

  absl::Status AddGroup(const NetworkBatch& batch, const GradientRequest& request, Range range,
                        const Sinks& sinks, Worker<T>& worker) const {
    PhaseClock clock(worker.seconds);
    pass_.Encode(batch, range.first, range.count, true, worker.group);
    clock.Spent(Phase::kEncode);
    VRP_RETURN_IF_ERROR(Decode(batch, request.rollout, worker, sinks.table));
    worker.weights.resize(static_cast<size_t>(range.count) * sinks.table.count());
    sinks.weigh(range.first, sinks.table.Costs(range.first, range.count), worker.weights);
    clock.Spent(Phase::kRollout);
    pass_.ClearGradients(worker.group);
    for (int32_t b = 0; b < range.count; ++b) SecondPass(batch, request, b, sinks.table, worker);
    clock.Spent(Phase::kSecondPass);
    pass_.Backward(batch, worker.group, worker.gradient.data());
    clock.Spent(Phase::kBackward);
    return StopStatus(request.rollout.stop.Check());
  }

  void SecondPass(const NetworkBatch& batch, const GradientRequest& request, int32_t b,
                  const TrajectoryTable& table, Worker<T>& worker) const {
    const int32_t instance = worker.group.first + b;
    const int32_t count = table.count();
    const double* const weights = worker.weights.data() + static_cast<int64_t>(b) * count;
    worker.log_likelihoods.resize(static_cast<size_t>(count));
    const SecondPassRequest<T> second{.trajectories = count,
                                      .distinct_starts = request.rollout.distinct_starts,
                                      .label_smoothing = request.label_smoothing,
                                      .max_steps = table.max_steps(),
                                      .choices = table.choices(instance),
                                      .weights = weights};
    decoder_->SecondPass(batch.problems[instance], pass_.Nodes(worker.group, b), second,
                         worker.log_likelihoods.data(),
                         pass_.NodeGradients(worker.group, b, worker.gradient.data()),
                         worker.decoder_scratch.data());
    for (int32_t p = 0; p < count; ++p) {
      worker.loss += weights[p] * worker.log_likelihoods[p];
      if (request.label_smoothing > 0) continue;
      worker.pass_difference = std::max(worker.pass_difference,
                                        table.Difference(instance, p, worker.log_likelihoods[p]));
    }
  }

  static GradientOutcome Summary(const std::vector<std::unique_ptr<Worker<T>>>& workers) {
    GradientOutcome outcome;
    for (const auto& worker : workers) {
      outcome.loss += worker->loss;
      outcome.pass_difference = std::max(outcome.pass_difference, worker->pass_difference);
      for (size_t i = 0; i < outcome.seconds.size(); ++i) outcome.seconds[i] += worker->seconds[i];
    }
    return outcome;
  }

  // In the order of the workers, whatever thread adds.
  void SumGradients(const std::vector<std::unique_ptr<Worker<T>>>& workers, CpuPool* pool) {
    const std::span<float> to = parameters_.gradient();
    const int64_t parts = static_cast<int64_t>(workers.size());
    const auto size = static_cast<int64_t>(to.size());
    if constexpr (!std::is_same_v<T, float>) last_gradient_.resize(to.size());
    ForEachWorker(pool, static_cast<int>(parts), [&](int64_t part) {
      for (int64_t i = size * part / parts; i < size * (part + 1) / parts; ++i) {
        T sum = 0;
        for (const auto& worker : workers) sum += worker->gradient[i];
        if constexpr (!std::is_same_v<T, float>) last_gradient_[i] = sum;
        to[i] += static_cast<float>(sum);
      }
    });
    ClearFrozen();
  }

  void ClearFrozen() {
    for (const ParameterShape& shape : parameters_.layout().shapes()) {
      if (!shape.frozen) continue;
      const auto values = parameters_.gradient().subspan(
          static_cast<size_t>(parameters_.layout().Offset(shape.name)),
          static_cast<size_t>(ParameterLayout::Elements(shape)));
      std::fill(values.begin(), values.end(), 0.0f);
    }
  }

  static void Grow(std::vector<T>& values, int64_t size) {
    if (static_cast<int64_t>(values.size()) < size) values.resize(static_cast<size_t>(size));
  }

  GraphTransformerPass<T> pass_;
  const std::unique_ptr<AttentionDecoder<T>> decoder_;
  FlatParameters parameters_;
  std::vector<T> values_;              // of the parameters, where T is not their type
  std::vector<double> last_gradient_;  // likewise
  mutable absl::Mutex mu_;
  mutable std::vector<std::unique_ptr<Worker<T>>> idle_ ABSL_GUARDED_BY(mu_);
};

}  // namespace

std::unique_ptr<PolicyEngine> MakeCpuGraphTransformer(const GraphTransformerOptions& options,
                                                      uint64_t seed) {
  return std::make_unique<CpuGraphTransformer<float>>(options, seed);
}

std::unique_ptr<Float64Engine> MakeFloat64GraphTransformer(const GraphTransformerOptions& options,
                                                           uint64_t seed) {
  return std::make_unique<CpuGraphTransformer<double>>(options, seed);
}

}  // namespace vrp
