#include "core/model/graph_transformer/cpu_graph_transformer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/base/status_macros.h"
#include "core/base/stop_status.h"
#include "core/base/text.h"
#include "core/kernels/decoder/beam_search.h"
#include "core/model/graph_transformer/graph_transformer_architecture.h"
#include "core/model/graph_transformer/graph_transformer_pass.h"
#include "core/model/policy/engine_workers.h"
#include "core/model/policy/phase_clock.h"
#include "core/model/policy/trajectory_table.h"

namespace vrp {
namespace {

// Approximate maximum number of rows of nodes in a group: enough for efficient products, few enough
// for the caches.
constexpr int64_t kGroupRows = 220;
// Number of elements of the workers' gradients that are added together: a constant, so that GCC
// compiles the loop to vectors.
constexpr int64_t kSumBlock = 256;
// Threads share an instance's trajectories in multiples of this number, the decoder's vector width
// with AVX-512. The last thread also gets the rest.
constexpr int32_t kSharedTrajectories = 16;

// The memory of one thread, reused by all steps.
template <typename T>
struct Worker : EngineWorker<GraphTransformerGroup<T>, T> {
  std::vector<T> decoder_scratch;
  BeamSearch beams;
  std::vector<double> log_likelihoods;  // [P]
};

struct DecodeJob {
  const NetworkBatch& batch;
  const RolloutRequest& request;
  TrajectoryTable& table;
};

// An engine that computes weights and gradients in type T.
template <typename T>
class CpuGraphTransformer final : public Float64Engine {
 public:
  CpuGraphTransformer(const GraphTransformerOptions& options, uint64_t seed)
      : pass_(options, BestIsa()),
        decoder_(MakeAttentionDecoder<T>(
            {.hidden = options.hidden, .heads = options.heads, .clip = options.logit_clip},
            BestIsa())),
        parameters_(pass_.layout(), seed) {
    Pack();
  }

  std::string_view architecture() const override { return GraphTransformerArchitecture().name; }
  const NetworkInputs& inputs() const override { return pass_.inputs(); }
  bool HasBf16() const override { return pass_.HasBf16(); }
  FlatParameters& parameters() override { return parameters_; }
  const FlatParameters& parameters() const override { return parameters_; }
  std::span<const double> LastGradient() const override { return last_gradient_; }

  absl::Status ParametersChanged() override {
    Pack();
    return absl::OkStatus();
  }

  absl::StatusOr<Trajectories> Run(const NetworkBatch& batch,
                                   const RolloutRequest& request) const override {
    TrajectoryTable table(batch, request);
    VRP_RETURN_IF_ERROR(table.status());
    const DecodeJob job{batch, request, table};
    Workers workers = TakeWorkers(request);
    if (SharesTrajectories(batch, request)) {
      for (int32_t b = 0; b < batch.size(); ++b) RunShared(job, b, workers);
    } else {
      ForEachGroup<Worker<T>>(Groups(batch, request), request.pool, workers,
                              [&](Worker<T>& worker, InstanceRange range) {
                                pass_.Encode(batch, range.first, range.count, false, worker.group);
                                worker.status = Decode(job, worker);
                              });
    }
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
    Workers workers = TakeWorkers(request.rollout);
    const auto groups = Groups(batch, request.rollout, request.micro_batch);
    ForEachOkWorker<Worker<T>>(pool, workers, [&](Worker<T>& worker, size_t w) {
      worker.gradient.assign(static_cast<size_t>(parameters_.size()), T{0});
      pass_.ClearSums(worker.group);
      ForEachGroupOf(groups, w, workers, [&](InstanceRange range) {
        worker.status = AddGroup(batch, request, range, {weigh, table}, worker);
      });
      if (worker.status.ok()) pass_.Finish(Values(), worker.group, worker.gradient.data());
    });
    GradientOutcome outcome = SumOutcomes(workers);
    if (AllWorkersOk(workers)) SumGradients(workers, pool);
    absl::Status status = idle_.Return(std::move(workers));
    if (!status.ok()) return status;
    VRP_ASSIGN_OR_RETURN(outcome.trajectories, table.Take());
    return outcome;
  }

 private:
  using Workers = EngineWorkers<Worker<T>>;

  struct Outputs {
    WeighTrajectories weigh;
    TrajectoryTable& table;
  };

  Workers TakeWorkers(const RolloutRequest& request) const {
    Workers workers = idle_.Checkout(EngineThreads(request));
    pass_.PackEncoder(Values(), request.bf16);
    for (const auto& worker : workers) worker->group.bf16 = request.bf16;
    return workers;
  }
  static std::vector<InstanceRange> Groups(const NetworkBatch& batch, const RolloutRequest& request,
                                           int32_t max_active_instances = 0) {
    return CutIntoGroups({batch.size(), kGroupRows, EngineThreads(request), max_active_instances},
                         [&](int32_t b) { return batch.first_rows[b]; });
  }

  void Pack() {
    if constexpr (!std::is_same_v<T, float>) {
      values_.assign(parameters_.values().begin(), parameters_.values().end());
    }
    pass_.Pack(Values());
  }

  const T* Values() const {
    if constexpr (std::is_same_v<T, float>) {
      return parameters_.values().data();
    } else {
      return values_.data();
    }
  }

  // Whether threads share the trajectories of each instance, because there are fewer instances than
  // threads. Needs enough trajectories and no beam search.
  static bool SharesTrajectories(const NetworkBatch& batch, const RolloutRequest& request) {
    return batch.size() < EngineThreads(request) && request.choice != Choice::kBeam &&
           request.trajectories >= 2 * kSharedTrajectories;
  }

  void RunShared(const DecodeJob& job, int32_t instance, const Workers& workers) const {
    GraphTransformerGroup<T>& group = workers[0]->group;
    pass_.Encode(job.batch, instance, 1, false, group);
    const int64_t blocks = job.table.count() / kSharedTrajectories;
    const auto first_of = [&](int64_t w) {
      if (w == std::ssize(workers)) return job.table.count();
      return static_cast<int32_t>(blocks * w / std::ssize(workers)) * kSharedTrajectories;
    };
    ForEachOkWorker<Worker<T>>(job.request.pool, workers, [&](Worker<T>& worker, size_t w) {
      const int32_t first = first_of(static_cast<int64_t>(w));
      const int32_t end = first_of(static_cast<int64_t>(w) + 1);
      const TrajectoryRange range{.first = first, .count = end - first};
      if (range.count == 0) return;
      worker.status = DecodeOne(job, pass_.Nodes(group, 0), {instance, range}, worker);
    });
  }

  absl::Status Decode(const DecodeJob& job, Worker<T>& worker) const {
    for (int32_t b = 0; b < worker.group.count; ++b) {
      VRP_RETURN_IF_ERROR(DecodeOne(job, pass_.Nodes(worker.group, b),
                                    {worker.group.first + b, job.table.all()}, worker));
    }
    return absl::OkStatus();
  }

  struct InstanceTrajectories {
    int32_t instance = 0;
    TrajectoryRange range;
  };
  absl::Status DecodeOne(const DecodeJob& job, const DecoderNodes<const T>& nodes,
                         const InstanceTrajectories& part, Worker<T>& worker) const {
    const RoutingProblem& problem = job.batch.problems[part.instance];
    const RolloutRequest& request = job.request;
    GrowTo(worker.decoder_scratch, decoder_->ScratchSize(problem, part.range.count));
    const DecodeResult<T> result = job.table.Result<T>(part.instance, part.range.first);
    T* const scratch = worker.decoder_scratch.data();
    const DecodeStatus status =
        request.choice == Choice::kBeam
            ? decoder_->Beam(problem, nodes, {part.range.count, &worker.beams, request.stop},
                             result, scratch)
            : decoder_->Rollout(problem, nodes,
                                job.table.Request(request, part.instance, part.range), result,
                                scratch);
    if (status == DecodeStatus::kDone) return absl::OkStatus();
    return job.table.Error(status, part.instance, request.stop);
  }

  absl::Status AddGroup(const NetworkBatch& batch, const GradientRequest& request,
                        InstanceRange range, const Outputs& outputs, Worker<T>& worker) const {
    PhaseClock clock(worker.seconds);
    pass_.Encode(batch, range.first, range.count, true, worker.group);
    clock.Spent(Phase::kEncode);
    VRP_RETURN_IF_ERROR(Decode({batch, request.rollout, outputs.table}, worker));
    worker.weights.resize(static_cast<size_t>(range.count) * outputs.table.count());
    outputs.weigh(range.first, outputs.table.Costs(range.first, range.count), worker.weights);
    clock.Spent(Phase::kRollout);
    pass_.ClearGradients(worker.group);
    for (int32_t b = 0; b < range.count; ++b) SecondPass(batch, request, b, outputs.table, worker);
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

  // Adds the gradients in the order of the workers, so that sums do not depend on which thread
  // adds.
  void SumGradients(const Workers& workers, CpuPool* pool) {
    const auto parts = static_cast<int64_t>(workers.size());
    const int64_t size = parameters_.size();
    if constexpr (!std::is_same_v<T, float>) last_gradient_.resize(static_cast<size_t>(size));
    ForEachWorker(pool, parts, [&](int64_t part) {
      for (int64_t i = size * part / parts; i < size * (part + 1) / parts; i += kSumBlock) {
        SumBlock(workers, i, std::min(size * (part + 1) / parts - i, kSumBlock));
      }
    });
    ClearFrozenGradients();
  }

  // Adds `count` elements of the workers' gradients, from `first` on.
  void SumBlock(const Workers& workers, int64_t first, int64_t count) {
    std::array<T, kSumBlock> sums{};
    for (const auto& worker : workers) {
      const T* const from = worker->gradient.data() + first;
      if (count == kSumBlock) {
        for (int64_t i = 0; i < kSumBlock; ++i) sums[i] += from[i];  // in vectors
      } else {
        for (int64_t i = 0; i < count; ++i) sums[i] += from[i];
      }
    }
    float* const to = parameters_.gradient().data() + first;
    for (int64_t i = 0; i < count; ++i) to[i] += static_cast<float>(sums[i]);
    if constexpr (!std::is_same_v<T, float>) {
      std::copy_n(sums.begin(), count, last_gradient_.begin() + first);
    }
  }

  void ClearFrozenGradients() {
    for (const ParameterShape& shape : parameters_.layout().shapes()) {
      if (!shape.frozen) continue;
      const auto values = parameters_.gradient().subspan(
          static_cast<size_t>(parameters_.layout().Offset(shape.name)),
          static_cast<size_t>(ParameterLayout::Elements(shape)));
      std::fill(values.begin(), values.end(), 0.0f);
    }
  }

  GraphTransformerPass<T> pass_;
  const std::unique_ptr<AttentionDecoder<T>> decoder_;
  FlatParameters parameters_;
  std::vector<T> values_;              // the parameters as T, if T is not float
  std::vector<double> last_gradient_;  // the last gradient before rounding, if T is not float
  mutable WorkerPool<Worker<T>> idle_;
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
