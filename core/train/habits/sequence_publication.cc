// The functions of SequenceRun that write models.
#include <utility>

#include "absl/strings/str_format.h"
#include "core/base/disk_space.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/habits/evaluation.h"
#include "core/habits/routes/learn_route_habits.h"
#include "core/model/habits/habit_model_files.h"
#include "core/train/habits/sequence_run.h"
#include "core/train/run/result_card.h"

namespace vrp {

TrainingResult SequenceRun::ResultOf(int64_t step, const ValidationScore& score,
                                     PublishReason reason) const {
  return {.steps = step,
          .epoch = context_.EpochOf(step),
          .reason = reason,
          .validation_cost = std::isfinite(score.cost) ? score.cost : 0,
          .validation_reference = reference_.cost,
          .validation_gap = score.gap,
          .reference = std::string(kDistanceReference),
          .end = TrainingEnd::kUnknown};
}

absl::StatusOr<TrainingResult> SequenceRun::Publish(TrainingEnd end) {
  const RunClock::Scope clocked(context_.clock, RunPhase::kPublication);
  context_.observer.OnPhase("publication");
  const bool best = !best_.values().empty();
  TrainingResult result =
      best ? ResultOf(best_.step(), {.cost = best_.cost(), .gap = best_.gap()},
                      PublishReason::kBestValidation)
           : ResultOf(position_.step, Score(),
                      context_.config.publish == PublishRule::kLast ? PublishReason::kLastWeights
                                                                    : PublishReason::kNotValidated);
  result.end = end;
  context_.observer.OnLog(
      absl::StrFormat("publishes the weights of epoch %d of %d (step %d): %s, -log p %.4f",
                      result.epoch, context_.config.epochs, result.steps,
                      PublishReasonName(result.reason), result.validation_cost));
  const std::span<const float> parameters =
      best ? best_.values() : std::as_const(*learner_).parameters().values();
  VRP_RETURN_IF_ERROR(WriteWhenDiskHasSpace(
      context_.stop,
      [&] {
        return WriteModel(context_.request.model_directory, context_.request.job_name, parameters,
                          result);
      },
      [&](const absl::Status& full) {
        context_.observer.OnLog(
            Concat("waits for disk space to write the model: ", FromAbsl(full.message())));
      }));
  return result;
}

absl::Status SequenceRun::ServeLive() {
  absl::Status failed;
  if (context_.request.live == nullptr) return failed;
  const RunClock::Scope clocked(context_.clock, RunPhase::kPublication);
  const int64_t step = position_.step;
  context_.request.live->Serve([&](const std::string& directory) -> absl::StatusOr<TrainingResult> {
    if (validated_step_ != step) failed.Update(Validate());
    VRP_RETURN_IF_ERROR(failed);
    const TrainingResult result = ResultOf(step, Score(), PublishReason::kLastWeights);
    VRP_RETURN_IF_ERROR(WriteModel(directory, LiveJobName(context_.request.job_name, step),
                                   std::as_const(*learner_).parameters().values(), result));
    return result;
  });
  return failed;
}

absl::Status SequenceRun::WriteModel(const std::string& directory, const std::string& job_name,
                                     std::span<const float> parameters,
                                     const TrainingResult& result) {
  const HabitsConfig& config = *context_.config.habits;
  const SequenceTables tables = data_.TablesWith(parameters);
  VRP_ASSIGN_OR_RETURN(const std::shared_ptr<const SequenceHabitModel> model,
                       SequenceHabitModel::Create(tables));
  const HabitScore score =
      EvaluateHabits(*model, data_.validation(), history_.coordinates, context_.pool);
  const auto routes = data_.training_size();
  const HabitSettings settings = {.earlier_routes = config.earlier_routes,
                                  .history = config.history,
                                  .first_day = history_.routes.front().day,
                                  .last_day = history_.routes[static_cast<size_t>(routes - 1)].day,
                                  .routes = routes,
                                  .validation_days = config.validation_days,
                                  .next_stop_accuracy = score.next_stop_accuracy,
                                  .route_similarity = score.route_similarity};
  return WriteSequenceModel(
      directory, tables,
      LearnRouteHabits(history_, static_cast<size_t>(routes), context_.config.seed), settings,
      CardOf(context_.config, job_name, result));
}

}  // namespace vrp
