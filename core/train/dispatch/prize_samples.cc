#include "core/train/dispatch/prize_samples.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/status_macros.h"
#include "core/dispatch/learning/dispatch_sample.h"
#include "core/dispatch/plan_requests.h"
#include "core/dispatch/request_log.h"
#include "core/dispatch/sampler.h"

namespace vrp {
namespace {

constexpr int64_t kSamplesPerThread = 4;    // of a piece of work
constexpr uint64_t kSeedsPerSample = 1000;  // at least the number of scenarios

absl::StatusOr<double> CostOf(const PrizeSample& sample) {
  VRP_ASSIGN_OR_RETURN(
      const DispatchDecision decision,
      FinishDecision(sample.site, sample.sample.state, sample.sample.routes,
                     std::vector<std::string>(sample.sample.state.requests.size())));
  return decision.cost;
}

// Returns the sampler of a maker of features.
std::shared_ptr<const RequestSampler> SamplerOf(const TrainingData& data,
                                                const DispatchConfig& config, size_t maker) {
  if (data.log == nullptr) {
    return std::make_shared<SiteSampler>(data.sites[maker].site, config.requests_per_epoch);
  }
  const bool is_of_a_day = maker < data.log->size();
  return std::make_shared<LogSampler>(data.sites.front().site, data.log, config.margin,
                                      is_of_a_day ? std::optional(maker) : std::nullopt);
}

}  // namespace

FeatureOptions FeatureOptionsOf(const DispatchConfig& config) {
  return {.draws = config.draws,
          .scenarios = config.scenarios,
          .lookahead = config.lookahead,
          .scenario_iterations = config.scenario_iterations,
          .pairs = config.encoder == DispatchEncoder::kGraphTransformer};
}

std::vector<std::shared_ptr<const FeatureMaker>> MakeFeatureMakers(const TrainingData& data,
                                                                   const DispatchConfig& config,
                                                                   CpuPool& pool) {
  const size_t count = data.log == nullptr ? data.sites.size() : data.log->size() + 1;
  std::vector<std::shared_ptr<const FeatureMaker>> makers(count);
  pool.ParallelFor(std::ssize(makers), [&](int64_t index) {
    const auto i = static_cast<size_t>(index);
    const DispatchSite& site = data.sites[data.log == nullptr ? i : 0].site;
    makers[i] = std::make_shared<FeatureMaker>(site, SamplerOf(data, config, i));
  });
  return makers;
}

absl::StatusOr<std::vector<TrainingSample>> MakePrizeSamples(
    const std::vector<TrainingDay>& days, const std::vector<HindsightPlan>& labels,
    const DispatchConfig& config, const SampleContext& context) {
  std::vector<TrainingSample> samples;
  std::vector<size_t> maker_of;
  for (size_t i = 0; i < days.size(); ++i) {
    const DispatchSite& site = context.sites[days[i].site].site;
    for (DispatchSample& sample : SamplesOf(days[i].day, labels[i])) {
      // As in hindsight, vehicles do not limit what leaves.
      sample.state.available.assign(site.instance().vehicles().size(), DispatchState::kUnlimited);
      samples.push_back({.prizes = {.site = site, .sample = std::move(sample)}});
      maker_of.push_back(days[i].maker);
    }
  }
  const int64_t piece = kSamplesPerThread * context.pool.threads();
  std::vector<absl::Status> status(samples.size());
  for (int64_t first = 0; first < std::ssize(samples); first += piece) {
    if (context.on_piece != nullptr) context.on_piece();
    context.pool.ParallelFor(std::min(piece, std::ssize(samples) - first), [&](int64_t k) {
      const auto i = static_cast<size_t>(first + k);
      TrainingSample& sample = samples[i];
      FeatureOptions options = FeatureOptionsOf(config);
      options.decision.stop = context.stop;
      options.decision.seed = context.seed + kSeedsPerSample * i;
      auto features = context.makers[maker_of[i]]->Of(sample.prizes.sample.state, options);
      const absl::StatusOr<double> cost = CostOf(sample.prizes);
      status[i].Update(features.status());
      status[i].Update(cost.status());
      if (!status[i].ok()) return;
      sample.prizes.features = *std::move(features);
      sample.labelled_cost = *cost;
    });
    if (context.stop.ShouldStop()) {
      return absl::CancelledError("cancelled while the features were computed");
    }
  }
  for (const absl::Status& one : status) VRP_RETURN_IF_ERROR(one);
  return samples;
}

}  // namespace vrp
