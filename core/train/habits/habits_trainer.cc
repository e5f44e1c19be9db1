#include "core/train/habits/habits_trainer.h"

#include <string>
#include <utility>

#include "core/base/guard_memory.h"
#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "core/train/data/input_budget.h"
#include "core/train/data/past_routes.h"
#include "core/train/habits/habits_run.h"
#include "core/train/habits/sequence_training.h"
#include "core/train/run/checkpoint.h"

namespace vrp {
namespace {

absl::Status CheckHistory(const TrainingRequest& request) {
  const HabitsConfig& config = *request.config.habits;
  if (IsDataset(config.history)) return absl::OkStatus();
  InputBudget budget;
  const absl::StatusOr<bool> may_read = budget.MayRead(config.history);
  if (!may_read.ok()) {
    return absl::InvalidArgumentError(
        Concat(kHistoryKey, ": ", FromAbsl(may_read.status().message())));
  }
  if (!*may_read) return absl::OkStatus();
  const absl::Status status = ReadTrainingHistory(config, request.datasets).status();
  return status.ok() ? status : absl::InvalidArgumentError(status.message());
}

absl::StatusOr<TrainingResult> TrainHabits(const TrainingRequest& request,
                                           const StopCondition& stop, TrainingObserver& observer) {
  const absl::Time started = SteadyNow();
  observer.OnPhase("preparation");
  absl::StatusOr<RouteHistory> history =
      ReadTrainingHistory(*request.config.habits, request.datasets);
  if (!history.ok()) {
    observer.OnEnd({});
    return history.status();
  }
  if (request.config.habits->learner == HabitsLearner::kTransformer) {
    return TrainSequences(request, stop, observer, *history, started);
  }
  HabitsRun run(request, stop, observer, *std::move(history), started);
  absl::StatusOr<TrainingResult> result = run.Run();
  observer.OnEnd(run.Totals());
  return result;
}

class HabitsTrainer final : public Trainer {
 public:
  absl::StatusOr<TrainingResult> Train(const TrainingRequest& request, const StopCondition& stop,
                                       TrainingObserver& observer) override {
    absl::StatusOr<TrainingResult> result = absl::InternalError("the training did not end");
    VRP_RETURN_IF_ERROR(GuardMemory([&] { result = TrainHabits(request, stop, observer); }));
    return result;
  }

  absl::Status CheckInputs(const TrainingRequest& request) const override {
    absl::Status status;
    VRP_RETURN_IF_ERROR(GuardMemory([&] { status = CheckHistory(request); }));
    return status;
  }

  absl::StatusOr<int64_t> ResumeStep(const std::string& checkpoint_directory) override {
    return NewestCheckpointStep(checkpoint_directory);
  }
};

}  // namespace

std::unique_ptr<Trainer> MakeHabitsTrainer() { return std::make_unique<HabitsTrainer>(); }

}  // namespace vrp
