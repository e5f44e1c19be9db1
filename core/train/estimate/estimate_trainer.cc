#include "core/train/estimate/estimate_trainer.h"

#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "core/base/guard_memory.h"
#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "core/train/estimate/added_fit.h"
#include "core/train/estimate/estimate_learner.h"
#include "core/train/run/checkpoint.h"
#include "core/train/run/state_run.h"

namespace vrp {
namespace {

std::string LabelFolder(const TrainingRequest& request) {
  if (!request.cache_directory.empty()) return request.cache_directory;
  return Concat(request.checkpoint_directory, "/labels");
}

// Returns the condition that ends the preparation. A run without a checkpoint may end early then.
StopCondition LabelStop(const RunContext& context) {
  const TrainingRequest& request = context.request;
  const bool may_end = request.end_early != nullptr && !HasCheckpoint(request.checkpoint_directory);
  return may_end ? StopCondition(context.stop.deadline(), request.end_early) : context.stop;
}

void LogBanner(RunContext& context, const EstimateLearner& learner, const EstimateLabels& labels,
               const EstimateLabels& coarse) {
  const EstimateConfig& config = *context.config.estimate;
  TrainingObserver& observer = context.observer;
  observer.OnLog(Concat("estimate: learns from ", labels.labels.size(), " instances of ",
                        config.min_customers, " to ", config.max_customers, " customers, ",
                        labels.found, " of whose labels were found; validated on ",
                        context.config.validation.instances, " others; ", context.pool.threads(),
                        " threads"));
  if (!coarse.labels.empty()) {
    observer.OnLog(Concat("and from ", coarse.labels.size(), " instances with coarse labels, ",
                          coarse.found, " of which were found"));
  }
  observer.OnLog(Concat("model: estimate, ", CountEstimateParameters(NetworkOptionsOf(config)),
                        " parameters, width ", config.width, ", layers ", config.layers, ", heads ",
                        config.heads, ", hidden ", config.hidden, "; the mean error of ",
                        learner.reference_name(), " is ",
                        absl::StrFormat("%.2f %%", 100 * learner.reference())));
  if (context.request.device.kind == DeviceKind::kCuda) {
    observer.OnLog(Concat("trains on the CPU instead of on ", context.request.device.ToString(),
                          ", which estimate models do not use"));
  }
}

// Makes labels and measures the instances.
absl::StatusOr<std::unique_ptr<EstimateLearner>> Prepare(RunContext& context) {
  const RunClock::Scope clocked(context.clock, RunPhase::kPreparation);
  const TrainingConfig& config = context.config;
  LabelSurroundings surroundings = {
      .folder = LabelFolder(context.request), .pool = &context.pool, .stop = LabelStop(context)};
  surroundings.on_piece = [&context] { context.observer.OnPhase("references"); };
  const LabelTask held_out = ValidationTask(config);
  VRP_ASSIGN_OR_RETURN(EstimateLabels validation, MakeEstimateLabels(held_out, surroundings));
  surroundings.on_piece = [&context] { context.observer.OnPhase("labels"); };
  const LabelTask task = TrainingTask(config);
  VRP_ASSIGN_OR_RETURN(EstimateLabels labels, MakeEstimateLabels(task, surroundings));
  VRP_ASSIGN_OR_RETURN(EstimateLabels coarse, MakeEstimateLabels(CoarseTask(config), surroundings));
  context.observer.OnPhase("preparation");
  VRP_ASSIGN_OR_RETURN(EstimateStatistics statistics,
                       MeasureInstances(task, labels.labels, context.pool, surroundings.stop));
  VRP_ASSIGN_OR_RETURN(statistics.added,
                       FitAddedCosts(task, labels.labels, context.pool, surroundings.stop));
  VRP_ASSIGN_OR_RETURN(EstimateValidator validator,
                       EstimateValidator::Create(held_out, std::move(validation.labels),
                                                 config.estimate->coverage, context.pool));
  VRP_ASSIGN_OR_RETURN(std::unique_ptr<EstimateLearner> learner,
                       EstimateLearner::Create(context, {labels.labels, coarse.labels}, statistics,
                                               std::move(validator)));
  LogBanner(context, *learner, labels, coarse);
  return learner;
}

absl::StatusOr<TrainingResult> TrainEstimate(const TrainingRequest& request,
                                             const StopCondition& stop,
                                             TrainingObserver& observer) {
  const absl::Time started = SteadyNow();
  observer.OnPhase("preparation");
  TrainingRequest with_steps = request;
  const int64_t batch = request.config.batch_size;
  const EstimateConfig& estimate = *request.config.estimate;
  const int64_t samples = estimate.instances + estimate.coarse_instances;
  with_steps.config.batches_per_epoch = (samples + batch - 1) / batch;
  RunContext context(with_steps, stop, observer);
  return RunPrepared(context, Prepare(context), started);
}

class EstimateTrainer final : public Trainer {
 public:
  absl::StatusOr<TrainingResult> Train(const TrainingRequest& request, const StopCondition& stop,
                                       TrainingObserver& observer) override {
    absl::StatusOr<TrainingResult> result = absl::InternalError("the training did not end");
    VRP_RETURN_IF_ERROR(GuardMemory([&] { result = TrainEstimate(request, stop, observer); }));
    return result;
  }

  // Reads no files.
  absl::Status CheckInputs(const TrainingRequest&) const override { return absl::OkStatus(); }

  absl::StatusOr<int64_t> ResumeStep(const std::string& checkpoint_directory) override {
    return NewestCheckpointStep(checkpoint_directory);
  }
};

}  // namespace

std::unique_ptr<Trainer> MakeEstimateTrainer() { return std::make_unique<EstimateTrainer>(); }

}  // namespace vrp
