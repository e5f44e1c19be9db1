#include "core/train/dispatch/prize_learner.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/base/random.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/dispatch/dispatch_parameters.h"
#include "core/train/optimiser/clipped_step.h"

namespace vrp {
namespace {

constexpr char kAdamSteps[] = "adam_steps";
constexpr uint64_t kOrderStream = 0x6f726465;  // of random numbers
constexpr uint64_t kSeedFactor = 0x9E3779B97F4A7C15;
// Initial output. Without prizes no request would be served, so that the first steps would only
// raise all of them.
constexpr float kInitialBias = 0.5F;

// Returns the distributions of perturbations of a step.
PerturbationOptions PerturbationsOf(const TrainingConfig& config, int64_t step) {
  return {.perturbations = config.dispatch->perturbations,
          .deviation = config.dispatch->deviation,
          .iterations = config.dispatch->search_iterations,
          .seed = config.seed * kSeedFactor + static_cast<uint64_t>(step)};
}

PrizeNetworkOptions OptionsOf(const DispatchConfig& config) {
  switch (config.encoder) {
    case DispatchEncoder::kLinear:
      return PrizeMlpOptions{};
    case DispatchEncoder::kGraphTransformer:
      return PrizeTransformerOptions{
          .width = config.width, .layers = config.layers, .heads = config.heads};
    case DispatchEncoder::kMlp:
      break;
  }
  return PrizeMlpOptions{.hidden = {config.hidden.begin(), config.hidden.end()}};
}

// Reads one plan of `sample` from the front of `state`. Returns false if it is malformed.
bool RestorePlan(PrizeSample& sample, std::span<const int32_t>& state) {
  const auto next = [&state](size_t size, int32_t& value) {
    if (state.empty() || state.front() < 0 || static_cast<size_t>(state.front()) >= size) {
      return false;
    }
    value = state.front();
    state = state.subspan(1);
    return true;
  };
  const size_t requests = sample.sample.state.requests.size();
  int32_t routes = 0;
  if (!next(requests + 1, routes)) return false;
  sample.plan.assign(static_cast<size_t>(routes), {});
  for (PlannedRoute& route : sample.plan) {
    int32_t count = 0;
    if (!next(sample.site.instance().vehicles().size(), route.vehicle_type)) return false;
    if (!next(requests + 1, count)) return false;
    route.customers.resize(static_cast<size_t>(count));
    for (NodeIndex& request : route.customers) {
      if (!next(requests, request)) return false;
    }
  }
  return true;
}

}  // namespace

absl::StatusOr<std::unique_ptr<PrizeLearner>> PrizeLearner::Create(
    RunContext& context, std::vector<TrainingSample> samples) {
  PrizeNetworkOptions options = OptionsOf(*context.config.dispatch);
  VRP_ASSIGN_OR_RETURN(std::unique_ptr<PrizeNetwork> network,
                       MakePrizeNetwork(options, context.config.seed));
  std::vector<float> weights(network->weights().begin(), network->weights().end());
  weights.back() = kInitialBias;
  network->SetWeights(weights);
  std::vector<const PrizeSample*> prizes;
  for (const TrainingSample& sample : samples) prizes.push_back(&sample.prizes);
  Normalise(prizes, *network);
  return std::unique_ptr<PrizeLearner>(
      new PrizeLearner(context, std::move(samples), std::move(options), std::move(network)));
}

PrizeLearner::PrizeLearner(RunContext& context, std::vector<TrainingSample> samples,
                           PrizeNetworkOptions options, std::unique_ptr<PrizeNetwork> network)
    : context_(context),
      samples_(std::move(samples)),
      options_(std::move(options)),
      network_(std::move(network)),
      parameters_(DispatchLayout(options_), 0),
      adamw_(parameters_.layout(), {.weight_decay = context.config.weight_decay}) {
  parameters_.TrackGradient();
  CopyFromNetwork(*network_, parameters_.values());
  SetShift(0);
}

std::vector<TrainingSample*> PrizeLearner::BatchOf(int64_t step) {
  const int64_t epoch = step / context_.steps_per_epoch;
  if (ordered_epoch_ != epoch) {
    order_.resize(samples_.size());
    std::iota(order_.begin(), order_.end(), size_t{0});
    CounterRandom random(context_.config.seed, kOrderStream, static_cast<uint32_t>(epoch));
    random.Shuffle(std::span<size_t>(order_));
    ordered_epoch_ = epoch;
  }
  const auto size = static_cast<size_t>(context_.config.batch_size);
  const size_t first = static_cast<size_t>(step % context_.steps_per_epoch) * size;
  std::vector<TrainingSample*> batch;
  for (size_t i = first; i < std::min(first + size, order_.size()); ++i) {
    batch.push_back(&samples_[order_[i]]);
  }
  return batch;
}

absl::StatusOr<StateStep> PrizeLearner::Step(int64_t step) {
  const std::vector<TrainingSample*> batch = BatchOf(step);
  StateStep result = {.instances = std::ssize(batch)};
  std::vector<PrizeSample*> prizes;
  for (TrainingSample* sample : batch) {
    prizes.push_back(&sample->prizes);
    result.cost += sample->labelled_cost / static_cast<double>(batch.size());
  }
  VRP_ASSIGN_OR_RETURN(const PrizeGradient gradient,
                       ComputePrizeGradient(*network_, prizes,
                                            PerturbationsOf(context_.config, step), context_.pool));
  result.accuracy = gradient.agreement;
  result.loss = 1 - gradient.agreement;
  std::copy(gradient.gradient.begin(), gradient.gradient.end(), parameters_.gradient().begin());
  VRP_ASSIGN_OR_RETURN(result.gradient_norm, TakeClippedStep(context_.config, step, context_.pool,
                                                             nullptr, parameters_, adamw_));
  CopyToNetwork(std::as_const(parameters_).values(), *network_);
  return result;
}

int64_t PrizeLearner::SamplesSeen(int64_t steps) const {
  const int64_t size = std::ssize(samples_);
  const int64_t in_epoch = (steps % context_.steps_per_epoch) * context_.config.batch_size;
  return steps / context_.steps_per_epoch * size + std::min(size, in_epoch);
}

std::map<std::string, double> PrizeLearner::ScalarState() const {
  return {{kAdamSteps, static_cast<double>(adamw_.steps())}};
}

std::map<std::string, std::span<float>> PrizeLearner::TensorState() {
  return {{"parameters", parameters_.values()},
          {"adam.mean", adamw_.mean()},
          {"adam.square", adamw_.square()}};
}

std::vector<int32_t> PrizeLearner::PlanState() const {
  std::vector<int32_t> state;
  for (const TrainingSample& sample : samples_) {
    state.push_back(static_cast<int32_t>(sample.prizes.plan.size()));
    for (const PlannedRoute& route : sample.prizes.plan) {
      state.push_back(route.vehicle_type);
      state.push_back(static_cast<int32_t>(route.customers.size()));
      state.insert(state.end(), route.customers.begin(), route.customers.end());
    }
  }
  return state;
}

absl::Status PrizeLearner::Restore(const std::map<std::string, double>& scalars,
                                   std::span<const int32_t> plans) {
  adamw_.set_steps(static_cast<int64_t>(scalars.at(kAdamSteps)));
  CopyToNetwork(std::as_const(parameters_).values(), *network_);
  for (TrainingSample& sample : samples_) {
    if (!RestorePlan(sample.prizes, plans)) {
      return absl::DataLossError("plans: malformed; submit the job again");
    }
  }
  if (!plans.empty()) return absl::DataLossError("plans: too many; submit the job again");
  return absl::OkStatus();
}

}  // namespace vrp
