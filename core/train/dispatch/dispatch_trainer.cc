#include "core/train/dispatch/dispatch_trainer.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "core/base/guard_memory.h"
#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "core/train/data/input_budget.h"
#include "core/train/dispatch/dispatch_run.h"
#include "core/train/run/checkpoint.h"

namespace vrp {
namespace {

// The days to train on.
struct TrainingDays {
  std::vector<TrainingSite> sites = {};
  std::vector<TrainingDay> days = {};
};

absl::StatusOr<TrainingDays> DrawDays(std::vector<TrainingSite> sites,
                                      const DispatchConfig& config) {
  TrainingDays drawn = {.sites = std::move(sites)};
  VRP_ASSIGN_OR_RETURN(drawn.days, DrawTrainingDays(drawn.sites, config));
  if (CountSamples(drawn.days) > 0) return drawn;
  return absl::InvalidArgumentError(
      "dispatch.epoch: all days have one decision, at which every request must go, so that there "
      "is "
      "nothing to learn; wanted a shorter time");
}

absl::StatusOr<TrainingDays> ReadDays(const TrainingRequest& request) {
  const DispatchConfig& config = *request.config.dispatch;
  std::vector<TrainingSite> sites;
  for (const std::string& name : config.sites) {
    VRP_ASSIGN_OR_RETURN(std::vector<TrainingSite> read,
                         ReadSites(FindDataFile(name, request.datasets)));
    for (TrainingSite& site : read) sites.push_back(std::move(site));
  }
  return DrawDays(std::move(sites), config);
}

// Checks the sites that are files, and that days of them can be drawn. Draws one of each.
absl::Status CheckSites(const TrainingRequest& request) {
  constexpr std::string_view kKey = "dispatch.sites: ";
  DispatchConfig config = *request.config.dispatch;
  config.days_per_site = 1;
  InputBudget budget;
  std::vector<std::string> errors;
  for (const std::string& name : config.sites) {
    if (IsDataset(name)) continue;
    const absl::StatusOr<bool> may_read = budget.MayRead(name);
    if (may_read.ok() && !*may_read) continue;
    absl::Status status = may_read.status();
    if (status.ok()) {
      absl::StatusOr<std::vector<TrainingSite>> sites = ReadSites(DataFile(name));
      status = sites.ok() ? DrawDays(*std::move(sites), config).status() : sites.status();
    }
    if (status.ok()) continue;
    const std::string_view message = FromAbsl(status.message());
    errors.push_back(Concat(message.starts_with("dispatch.") ? "" : kKey, message));
  }
  if (errors.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrJoin(errors, "\n"));
}

absl::StatusOr<TrainingResult> TrainDispatch(const TrainingRequest& request,
                                             const StopCondition& stop,
                                             TrainingObserver& observer) {
  const absl::Time started = SteadyNow();
  observer.OnPhase("preparation");
  absl::StatusOr<TrainingDays> days = ReadDays(request);
  if (!days.ok()) {
    observer.OnEnd({});
    return days.status();
  }
  TrainingRequest with_steps = request;
  const int64_t batch = request.config.batch_size;
  with_steps.config.batches_per_epoch = (CountSamples(days->days) + batch - 1) / batch;
  DispatchRun run(with_steps, stop, observer, started);
  absl::StatusOr<TrainingResult> result = run.Run(std::move(days->sites), days->days);
  observer.OnEnd(run.Totals());
  return result;
}

class DispatchTrainer final : public Trainer {
 public:
  absl::StatusOr<TrainingResult> Train(const TrainingRequest& request, const StopCondition& stop,
                                       TrainingObserver& observer) override {
    absl::StatusOr<TrainingResult> result = absl::InternalError("the training did not end");
    VRP_RETURN_IF_ERROR(GuardMemory([&] { result = TrainDispatch(request, stop, observer); }));
    return result;
  }

  absl::Status CheckInputs(const TrainingRequest& request) const override {
    absl::Status status;
    VRP_RETURN_IF_ERROR(GuardMemory([&] { status = CheckSites(request); }));
    return status;
  }

  absl::StatusOr<int64_t> ResumeStep(const std::string& checkpoint_directory) override {
    return NewestCheckpointStep(checkpoint_directory);
  }
};

}  // namespace

std::unique_ptr<Trainer> MakeDispatchTrainer() { return std::make_unique<DispatchTrainer>(); }

}  // namespace vrp
