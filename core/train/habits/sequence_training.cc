#include "core/train/habits/sequence_training.h"

#include <memory>
#include <span>

#include "core/base/isa.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/habits/counts/choose_parameters.h"
#include "core/train/habits/distance_reference.h"
#include "core/train/habits/sequence_data.h"
#include "core/train/habits/sequence_learner.h"
#include "core/train/run/run_context.h"
#include "core/train/run/state_run.h"

namespace vrp {
namespace {

void LogSequenceBanner(RunContext& context, const RouteHistory& history, const SequenceData& data) {
  const std::span<const PastRoute> routes = history.routes;
  const auto held_out = static_cast<size_t>(data.training_size());
  TrainingObserver& observer = context.observer;
  observer.OnLog(Concat("habits: learns from ", held_out, " routes of ",
                        CountDays(routes.first(held_out)), " days, ", history.drivers.size(),
                        " drivers; validated on ", data.validation().size(), " routes of the last ",
                        CountDays(routes.subspan(held_out)), " days; ", context.pool.threads(),
                        " threads"));
  const SequenceTransformerOptions& sizes = data.options();
  const bool bf16 = context.config.habits->bf16;
  observer.OnLog(Concat("model: transformer, ", SequenceLayout(sizes).size(), " parameters, ",
                        sizes.layers, " layers, width ", sizes.width, ", ", sizes.heads, " heads, ",
                        sizes.features, " features, ",
                        !bf16                    ? "fp32"
                        : IsNative(UsableBf16()) ? "bf16"
                                                 : "bf16 emulated, which is slow"));
  if (context.request.device.kind == DeviceKind::kCuda) {
    observer.OnLog(Concat("trains on the CPU instead of on ", context.request.device.ToString(),
                          ", which habit models do not use"));
  }
}

absl::StatusOr<std::unique_ptr<SequenceLearner>> PrepareSequences(RunContext& context,
                                                                  const RouteHistory& history,
                                                                  const SequenceData& data) {
  const RunClock::Scope clocked(context.clock, RunPhase::kPreparation);
  context.observer.OnPhase("references");
  const LegCounter counter(history, static_cast<size_t>(data.training_size()), 0,
                           context.config.seed);
  const DistanceReference reference =
      FitDistances(counter, data.validation(), CandidatesWith({0}).powers, context.pool);
  LogSequenceBanner(context, history, data);
  return SequenceLearner::Create(context, history, data, reference);
}

}  // namespace

absl::StatusOr<TrainingResult> TrainSequences(const TrainingRequest& request,
                                              const StopCondition& stop, TrainingObserver& observer,
                                              const RouteHistory& history, absl::Time started) {
  TrainingRequest with_steps = request;
  const size_t held_out = FirstRouteOfLastDays(history, request.config.habits->validation_days);
  const SequenceData data(history, held_out, with_steps.config);
  with_steps.config.batches_per_epoch = data.StepsPerEpoch();
  RunContext context(with_steps, stop, observer);
  return RunPrepared(context, PrepareSequences(context, history, data), started);
}

}  // namespace vrp
