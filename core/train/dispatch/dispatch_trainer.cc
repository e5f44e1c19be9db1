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
#include "core/train/dispatch/prepare_dispatch.h"
#include "core/train/dispatch/training_data.h"
#include "core/train/run/checkpoint.h"
#include "core/train/run/run_context.h"
#include "core/train/run/state_run.h"

namespace vrp {
namespace {

constexpr std::string_view kSitesPrefix = "dispatch.sites: ";

std::string WithKey(const absl::Status& status) {
  const std::string_view message = FromAbsl(status.message());
  return Concat(message.starts_with("dispatch.") ? "" : kSitesPrefix, message);
}

// Checks the sites that are files, and that days of them can be drawn. Draws one of each.
absl::Status CheckSites(const TrainingRequest& request) {
  TrainingConfig config = request.config;
  config.dispatch->days_per_site = 1;
  config.dispatch->validation_days = 1;
  InputBudget budget;
  std::vector<std::string> errors;
  for (const std::string& name : config.dispatch->sites) {
    if (IsDataset(name)) continue;
    const absl::StatusOr<bool> may_read = budget.MayRead(name);
    if (may_read.ok() && !*may_read) continue;
    absl::Status status = may_read.status();
    if (status.ok()) {
      absl::StatusOr<std::vector<TrainingSite>> sites = ReadSites(DataFile(name));
      status = sites.ok() ? DrawTrainingData(*std::move(sites), config).status() : sites.status();
    }
    if (!status.ok()) errors.push_back(WithKey(status));
  }
  if (errors.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrJoin(errors, "\n"));
}

// Checks that the log fits its site. Skips datasets whose paths the request does not have.
absl::Status CheckLog(const TrainingRequest& request) {
  const DispatchConfig& config = *request.config.dispatch;
  InputBudget budget;
  for (const std::string& name : {config.sites.front(), config.log}) {
    const DataFile file = FindDataFile(name, request.datasets);
    if (IsDataset(file.path)) return absl::OkStatus();
    const absl::StatusOr<bool> may_read = budget.MayRead(file.path);
    if (!may_read.ok()) {
      return absl::InvalidArgumentError(
          Concat(name == config.log ? Concat(kRequestLogKey, ": ") : std::string(kSitesPrefix),
                 FromAbsl(may_read.status().message())));
    }
    if (!*may_read) return absl::OkStatus();
  }
  const absl::Status status = ReadTrainingData(request).status();
  if (status.ok()) return status;
  return absl::InvalidArgumentError(WithKey(status));
}

absl::Status CheckDays(const TrainingRequest& request) {
  return request.config.dispatch->log.empty() ? CheckSites(request) : CheckLog(request);
}

absl::StatusOr<TrainingResult> TrainDispatch(const TrainingRequest& request,
                                             const StopCondition& stop,
                                             TrainingObserver& observer) {
  const absl::Time started = SteadyNow();
  observer.OnPhase("preparation");
  absl::StatusOr<TrainingData> data = ReadTrainingData(request);
  if (!data.ok()) {
    observer.OnEnd({});
    return data.status();
  }
  TrainingRequest with_steps = request;
  const int64_t batch = request.config.batch_size;
  with_steps.config.batches_per_epoch = (CountSamples(data->days) + batch - 1) / batch;
  RunContext context(with_steps, stop, observer);
  return RunPrepared(context, PrepareDispatch(context, *std::move(data)), started);
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
    VRP_RETURN_IF_ERROR(GuardMemory([&] { status = CheckDays(request); }));
    return status;
  }

  absl::StatusOr<int64_t> ResumeStep(const std::string& checkpoint_directory) override {
    return NewestCheckpointStep(checkpoint_directory);
  }
};

}  // namespace

std::unique_ptr<Trainer> MakeDispatchTrainer() { return std::make_unique<DispatchTrainer>(); }

}  // namespace vrp
