#include "core/train/dispatch/prepare_dispatch.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "core/base/file.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/train/dispatch/hindsight_labels.h"
#include "core/train/dispatch/prize_samples.h"
#include "core/train/run/checkpoint.h"

namespace vrp {
namespace {

std::string CacheFolder(const TrainingRequest& request) {
  if (!request.cache_directory.empty()) return request.cache_directory;
  return Concat(request.checkpoint_directory, "/labels");
}

// Returns the condition that ends the preparation. A run without a checkpoint may end early then.
StopCondition PreparationStop(const RunContext& context) {
  const TrainingRequest& request = context.request;
  const bool may_end = request.end_early != nullptr && !HasCheckpoint(request.checkpoint_directory);
  return may_end ? StopCondition(context.stop.deadline(), request.end_early) : context.stop;
}

// Returns what calls OnPhase(name).
std::function<void()> PhaseOf(RunContext& context, std::string name) {
  return [&context, name = std::move(name)] { context.observer.OnPhase(name); };
}

DispatchSettings SettingsOf(const DispatchConfig& config, const PrizeNetworkOptions& network,
                            const TrainingData& data) {
  const bool logged = data.log != nullptr;
  DispatchSettings settings = {
      .network = network,
      .features = FeatureOptionsOf(config),
      .log = config.log,
      .days_per_site = logged ? static_cast<int32_t>(data.days.size()) : config.days_per_site,
      .first_seed = logged ? 0 : config.first_seed,
      .days = DayShapeOf(config)};
  for (const TrainingSite& site : data.sites) settings.sites.push_back(site.site.instance().name());
  return settings;
}

void LogDays(RunContext& context, const TrainingData& data) {
  TrainingObserver& observer = context.observer;
  const std::string of =
      data.log == nullptr ? Concat(data.sites.size(), " sites") : context.config.dispatch->log;
  observer.OnLog(Concat("dispatch: ", data.days.size(), " days of ", of, " with ",
                        CountSamples(data.days), " decisions to learn from, ",
                        context.pool.threads(), " threads; validated on ", data.validation.size(),
                        " days"));
  if (context.request.device.kind == DeviceKind::kCuda) {
    observer.OnLog(Concat("trains on the CPU instead of on ", context.request.device.ToString(),
                          ", which dispatch models do not use"));
  }
}

void LogModel(RunContext& context, const PrizeLearner& prizes) {
  const std::vector<std::string> features = InputFeatures(prizes.options());
  context.observer.OnLog(Concat("model: dispatch, ", EncoderText(prizes.options()), ", ",
                                prizes.parameters().size(), " parameters, ", features.size(),
                                " features: ", absl::StrJoin(features, ", ")));
}

// The plans in hindsight of the days to learn from and of those to validate.
struct Plans {
  HindsightLabels labels;
  HindsightLabels references;
};

absl::StatusOr<Plans> PlanDays(RunContext& context, const TrainingData& data) {
  const DispatchConfig& config = *context.config.dispatch;
  HindsightContext surroundings = {.folder = CacheFolder(context.request),
                                   .pool = &context.pool,
                                   .stop = PreparationStop(context),
                                   .on_piece = PhaseOf(context, "references")};
  VRP_RETURN_IF_ERROR(EnsureDirectory(surroundings.folder));
  Plans plans;
  VRP_ASSIGN_OR_RETURN(plans.references,
                       MakeHindsightLabels(data.sites, data.validation, config, surroundings));
  surroundings.on_piece = PhaseOf(context, "labels");
  VRP_ASSIGN_OR_RETURN(plans.labels,
                       MakeHindsightLabels(data.sites, data.days, config, surroundings));
  context.observer.OnLog(Concat("labels: ", plans.labels.plans.size(), " plans in hindsight, ",
                                plans.labels.found, " of them found in ", surroundings.folder));
  return plans;
}

}  // namespace

absl::StatusOr<std::unique_ptr<DispatchLearner>> PrepareDispatch(RunContext& context,
                                                                 TrainingData data) {
  const RunClock::Scope clocked(context.clock, RunPhase::kPreparation);
  const DispatchConfig& config = *context.config.dispatch;
  LogDays(context, data);
  VRP_ASSIGN_OR_RETURN(const Plans plans, PlanDays(context, data));
  std::vector<std::shared_ptr<const FeatureMaker>> makers =
      MakeFeatureMakers(data, config, context.pool);
  VRP_ASSIGN_OR_RETURN(std::vector<TrainingSample> samples,
                       MakePrizeSamples(data.days, plans.labels.plans, config,
                                        {.sites = data.sites,
                                         .makers = makers,
                                         .seed = context.config.seed,
                                         .pool = context.pool,
                                         .stop = PreparationStop(context),
                                         .on_piece = PhaseOf(context, "preparation")}));
  VRP_ASSIGN_OR_RETURN(std::unique_ptr<PrizeLearner> prizes,
                       PrizeLearner::Create(context, std::move(samples)));
  LogModel(context, *prizes);
  DispatchSettings settings = SettingsOf(config, prizes->options(), data);
  ShiftValidator::Days validated = {.sites = std::move(data.sites),
                                    .makers = std::move(makers),
                                    .days = std::move(data.validation),
                                    .references = {}};
  for (const HindsightPlan& plan : plans.references.plans) {
    validated.references.push_back(plan.cost);
  }
  return std::make_unique<DispatchLearner>(
      context, std::move(prizes), std::make_unique<ShiftValidator>(context, std::move(validated)),
      std::move(settings));
}

}  // namespace vrp
