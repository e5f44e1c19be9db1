#include "tests/bench/bench_training.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/file.h"
#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "core/model/architectures.h"
#include "core/model/make_engine.h"
#include "core/model/torch/engines.h"
#include "core/model/weights/model_card.h"
#include "core/problem/generate/generators.h"
#include "core/search/build/construct.h"
#include "tests/bench/json_line.h"

namespace vrp {
namespace {

constexpr double kAverageFactor = 0.8;  // Kool et al. 2019, exp_beta
constexpr double kMaxGradientNorm = 1;
constexpr int kMaxWeightsMiB = 256;

std::string DefaultSizes(const BenchCase& c) {
  if (!c.sizes.empty()) return c.sizes;
  if (c.architecture != "gt") {
    return R"({"hidden": 128, "layers": 1, "dropout": 0, "logit_clip": 10})";
  }
  return R"({"hidden": 128, "heads": 8, "feed_forward": 512, "layers": 3, "norm": "instance",
             "edge_bias": false, "logit_clip": 10})";
}

absl::StatusOr<std::string> SizesOf(const BenchCase& c) {
  if (c.model.empty()) return DefaultSizes(c);
  const std::string path = Concat(c.model, "/", kCardFile);
  VRP_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  VRP_ASSIGN_OR_RETURN(const ModelCard card, ParseModelCard(text, path));
  return card.architecture_json;
}

absl::Status LoadWeights(const std::string& folder, PolicyEngine& engine) {
  const std::string path = Concat(folder, "/", kWeightsFile);
  VRP_ASSIGN_OR_RETURN(std::string bytes, ReadFile(path, int64_t{kMaxWeightsMiB} << 20));
  VRP_ASSIGN_OR_RETURN(const SafetensorsFile file, SafetensorsFile::Parse(std::move(bytes), path));
  VRP_RETURN_IF_ERROR(engine.parameters().Load(file, path));
  return engine.ParametersChanged();
}

absl::StatusOr<std::unique_ptr<PolicyEngine>> MakeOwnTorchEngine(
    const BenchCase& c, const std::string& sizes, const TorchEngineRequest& request) {
  const Architecture* architecture = FindArchitecture(c.architecture);
  if (architecture == nullptr) {
    return absl::InvalidArgumentError(
        Concat("architecture: got ", Quoted(c.architecture), ", wanted ", ArchitectureNames()));
  }
  VRP_ASSIGN_OR_RETURN(const NetworkSizes parsed, architecture->parse_sizes(sizes, "sizes"));
  return MakeTorchEngine(*architecture, parsed, request);
}

// Sets each weight to `share` times the difference between the trajectory's cost and the mean of
// its instance.
void SubtractMeans(std::span<const double> costs, int32_t trajectories, double share,
                   std::span<double> weights) {
  for (size_t first = 0; first < costs.size(); first += trajectories) {
    const auto own = costs.subspan(first, trajectories);
    const double mean = std::accumulate(own.begin(), own.end(), 0.0) / trajectories;
    for (int32_t p = 0; p < trajectories; ++p) weights[first + p] = (own[p] - mean) * share;
  }
}

double Mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

absl::StatusOr<std::unique_ptr<PolicyEngine>> MakeBenchEngine(const BenchCase& c) {
  VRP_ASSIGN_OR_RETURN(const std::string sizes, SizesOf(c));
  VRP_ASSIGN_OR_RETURN(const DeviceId device, ResolveDevice(c.device));
  EngineOptions options;
  options.precision = c.bf16 ? Precision::kBf16 : Precision::kFp32;
  absl::StatusOr<std::unique_ptr<PolicyEngine>> made =
      c.torch ? MakeOwnTorchEngine(c, sizes, {.device = device, .seed = c.seed, .options = options})
              : MakeEngine({.architecture = c.architecture,
                            .architecture_json = sizes,
                            .device = device,
                            .seed = c.seed,
                            .options = options});
  VRP_ASSIGN_OR_RETURN(std::unique_ptr<PolicyEngine> engine, std::move(made));
  if (!c.model.empty()) VRP_RETURN_IF_ERROR(LoadWeights(c.model, *engine));
  return engine;
}

absl::StatusOr<std::unique_ptr<BenchTraining>> BenchTraining::Create(const BenchCase& c) {
  VRP_ASSIGN_OR_RETURN(std::unique_ptr<PolicyEngine> engine, MakeBenchEngine(c));
  VRP_ASSIGN_OR_RETURN(std::unique_ptr<PolicyEngine> frozen, MakeBenchEngine(c));
  engine->parameters().TrackGradient();
  std::unique_ptr<BenchTraining> made(new BenchTraining(c, std::move(engine), std::move(frozen)));
  if (!c.learned.empty()) VRP_RETURN_IF_ERROR(made->ReadLearned());
  return made;
}

BenchTraining::BenchTraining(const BenchCase& c, std::unique_ptr<PolicyEngine> engine,
                             std::unique_ptr<PolicyEngine> frozen)
    : case_(c),
      pool_(std::make_unique<CpuPool>(c.threads)),
      engine_(std::move(engine)),
      frozen_(std::move(frozen)),
      optimiser_(engine_->parameters().layout(), AdamWOptions{}) {}

absl::Status BenchTraining::ReadLearned() {
  BenchCase mask = case_;
  mask.model = case_.learned;
  VRP_ASSIGN_OR_RETURN(const std::unique_ptr<PolicyEngine> engine, MakeBenchEngine(mask));
  const std::span<const float> values = std::as_const(*engine).parameters().values();
  learned_.assign(values.begin(), values.end());
  return absl::OkStatus();
}

absl::Status BenchTraining::Freeze() {
  const std::span<const float> values = std::as_const(*engine_).parameters().values();
  std::copy(values.begin(), values.end(), frozen_->parameters().values().begin());
  return frozen_->ParametersChanged();
}

absl::StatusOr<Trajectories> BenchTraining::Greedy(const NetworkBatch& batch, int32_t starts,
                                                   bool frozen) const {
  RolloutRequest request;
  request.trajectories = starts;
  request.distinct_starts = starts > 1;
  request.pool = pool_.get();
  request.bf16 = frozen && case_.bf16;  // as in the baseline of a training job
  return (frozen ? frozen_ : engine_)->Run(batch, request);
}

NetworkBatch BenchTraining::MakeBatch(int32_t part, int32_t parts) {
  const GeneratorOptions options{
      .kind = case_.kind, .customers = case_.customers, .seed = case_.seed};
  const int32_t count = case_.batch / parts;
  std::vector<InstanceData> instances(static_cast<size_t>(count));
  // Uses the first batch in every step with labels, since labels fit only that batch.
  const int64_t first =
      case_.supervised ? 0 : static_cast<int64_t>(step_) * case_.batch + int64_t{part} * count;
  pool_->ParallelFor(count,
                     [&](int64_t b) { instances[b] = GenerateInstanceData(options, first + b); });
  NetworkBatch batch = MakeNetworkBatch(instances, engine_->batch_form());
  if (case_.supervised && labels_.empty()) {
    for (int32_t b = 0; b < case_.batch; ++b) {
      const absl::StatusOr<Instance> instance = Instance::Create(instances[b]);
      labels_.push_back(PlanChoices(batch, b, NearestNeighbourPlan(*instance)));
    }
  }
  return batch;
}

absl::StatusOr<GradientOutcome> BenchTraining::AddGradient(const NetworkBatch& batch,
                                                           BenchBaseline baseline, int32_t part) {
  std::vector<double> greedy;
  if (baseline == BenchBaseline::kRollout) {
    VRP_ASSIGN_OR_RETURN(Trajectories trajectories, Greedy(batch, 1, true));
    greedy = std::move(trajectories.costs);
  }
  GradientRequest request;
  request.rollout.choice = case_.supervised ? Choice::kForced : Choice::kSample;
  request.rollout.trajectories = case_.starts;
  request.rollout.distinct_starts = case_.starts > 1;
  request.rollout.seed = case_.seed;
  request.rollout.stream = step_;
  request.rollout.first_instance = int64_t{part} * batch.size();
  request.rollout.choices = labels_;
  request.rollout.pool = pool_.get();
  request.rollout.bf16 = case_.bf16;
  request.micro_batch = case_.micro_batch;
  const double share = 1.0 / (static_cast<double>(case_.batch) * case_.starts);
  const auto weigh = [&](int64_t first, std::span<const double> costs, std::span<double> weights) {
    if (case_.supervised) {
      std::fill(weights.begin(), weights.end(), -share);
    } else if (baseline == BenchBaseline::kShared) {
      SubtractMeans(costs, case_.starts, share, weights);
    } else {
      const double average = step_ == 0 ? Mean(costs) : average_;  // at first: this batch's mean
      for (size_t k = 0; k < costs.size(); ++k) {
        weights[k] = (costs[k] - (greedy.empty() ? average : greedy[first + k])) * share;
      }
    }
  };
  return engine_->AddGradient(batch, request, weigh);
}

absl::Status BenchTraining::AddPart(BenchBaseline baseline, int32_t part, StepMeasurement& step) {
  const absl::Time begin = SteadyNow();
  const NetworkBatch batch = MakeBatch(part, case_.accumulate);
  const double made = absl::ToDoubleSeconds(SteadyNow() - begin);
  VRP_ASSIGN_OR_RETURN(const GradientOutcome outcome, AddGradient(batch, baseline, part));
  for (size_t k = 0; k < step.phases.size(); ++k) step.phases[k] += outcome.seconds[k];
  step.phases[static_cast<size_t>(Phase::kData)] += made;
  step.cost += Mean(outcome.trajectories.costs) / case_.accumulate;
  step.loss += outcome.loss;
  step.decoded_steps = std::max(step.decoded_steps, outcome.trajectories.steps);
  const std::vector<int32_t>& lengths = outcome.trajectories.lengths;
  step.choices += std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
  step.copied_bytes += outcome.copied_bytes;
  step.matrix_bytes += outcome.matrix_bytes;
  return absl::OkStatus();
}

absl::StatusOr<StepMeasurement> BenchTraining::Step(BenchBaseline baseline) {
  const absl::Time begin = SteadyNow();
  const double cpu = ProcessCpuSeconds();
  std::span<float> gradient = engine_->parameters().gradient();
  std::fill(gradient.begin(), gradient.end(), 0.0F);
  StepMeasurement measured;
  for (int32_t part = 0; part < case_.accumulate; ++part) {
    VRP_RETURN_IF_ERROR(AddPart(baseline, part, measured));
  }
  for (size_t k = 0; k < learned_.size(); ++k) gradient[k] *= learned_[k];
  const absl::Time differentiated = SteadyNow();
  average_ =
      step_ == 0 ? measured.cost : kAverageFactor * average_ + (1 - kAverageFactor) * measured.cost;
  const double norm = GradientNorm(gradient, pool_.get());
  const double scale = norm > kMaxGradientNorm ? kMaxGradientNorm / norm : 1;
  optimiser_.Step(engine_->parameters(), case_.learning_rate, scale, pool_.get());
  VRP_RETURN_IF_ERROR(engine_->ParametersChanged());
  ++step_;
  measured.phases[static_cast<size_t>(Phase::kOptimiser)] =
      absl::ToDoubleSeconds(SteadyNow() - differentiated);
  measured.seconds = absl::ToDoubleSeconds(SteadyNow() - begin);
  measured.cpu_seconds = ProcessCpuSeconds() - cpu;
  return measured;
}

}  // namespace vrp
