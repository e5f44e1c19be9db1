#include "core/jobs/durable_job_manager.h"

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/jobs/dataset_use.h"
#include "core/jobs/held_trial.h"
#include "core/jobs/job_requests.h"
#include "core/jobs/recovery.h"
#include "core/jobs/start_check.h"
#include "core/jobs/submission.h"

namespace vrp {
namespace {

// Maximum time that a publication waits for the end of a step.
constexpr absl::Duration kMaxStepWait = absl::Minutes(2);

// Returns the error for a job that is not running. Until the end of a run is stored, its job's
// record still says RUNNING.
absl::Status NotRunning(const Job& job) {
  if (job.state == JobState::kRunning) {
    return absl::FailedPreconditionError(Concat(
        ResourceName(job),
        ": is not running, although its record still says RUNNING; only a running job can "
        "publish its weights. If this persists, check whether the state folder has free space"));
  }
  return absl::FailedPreconditionError(Concat(ResourceName(job), ": is ", JobStateName(job.state),
                                              "; only a running job can publish its weights"));
}

// Returns kFailedPrecondition if the job is a trial of a sweep that has not ended.
absl::Status CheckSweepEnded(const JobStore& store, const Job& job) {
  const std::string prefix = JobResourceName(JobKind::kSweep, "");
  if (job.spec.sweep.empty()) return absl::OkStatus();
  const absl::StatusOr<JobRecord> sweep =
      store.Find(JobKind::kSweep, std::string_view(job.spec.sweep).substr(prefix.size()));
  if (!sweep.ok() || IsFinal(sweep->job.state)) return absl::OkStatus();
  return absl::FailedPreconditionError(Concat(ResourceName(job), ": is a trial of ", job.spec.sweep,
                                              ", which is ", JobStateName(sweep->job.state),
                                              "; wait for its end, or stop it"));
}

absl::Status CheckManagerOptions(const JobManager::Options& options) {
  if (options.book == nullptr || options.trainer == nullptr || options.registry == nullptr ||
      options.clock == nullptr) {
    return absl::InvalidArgumentError(
        "job manager: wanted a book, a trainer, a registry and a clock");
  }
  if (options.threads >= 1 && options.jobs_at_once >= 1 && options.max_attempts >= 1 &&
      options.max_queued >= 1) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(Concat("job manager: got threads ", options.threads,
                                           ", jobs_at_once ", options.jobs_at_once,
                                           ", max_attempts ", options.max_attempts, ", max_queued ",
                                           options.max_queued, ", wanted 1 or more of each"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<JobManager>> JobManager::Create(const Options& options) {
  VRP_RETURN_IF_ERROR(CheckManagerOptions(options));
  JobStore& store = options.book->store();
  VRP_RETURN_IF_ERROR(RecoverJobs(store, *options.registry, {.consecutive = options.max_attempts}));
  RemoveFinishedFolders(store, options.book->folder());
  return std::make_unique<DurableJobManager>(options);
}

DurableJobManager::DurableJobManager(const Options& options)
    : book_(options.book),
      max_queued_(options.max_queued),
      datasets_(options.datasets),
      places_({.devices = options.devices.empty() ? ListDevices() : options.devices,
               .used = options.used_devices,
               .default_device = options.default_device,
               .cpu_jobs = options.jobs_at_once,
               .threads = options.threads,
               .crashes = {.consecutive = options.max_attempts},
               .on_change = [this] { runner_.Wake(); }}),
      context_({.store = &book_->store(),
                .folder = &book_->folder(),
                .quota = &book_->quota(),
                .stopping = &stopping_,
                .trainer = options.trainer,
                .registry = options.registry,
                .datasets = options.datasets,
                .clock = options.clock,
                .live = &live_,
                .places = &places_,
                .progress_interval = options.progress_interval}),
      runner_({.store = &book_->store(),
               .kind = JobKind::kTraining,
               .threads = places_.Count(),
               .niceness = options.niceness,
               .stopping = &stopping_,
               .gate = &places_},
              [this](const Job& job, const std::shared_ptr<CancelFlag>& cancel) {
                JobRun(context_, job, cancel).Run();
              }) {}

absl::StatusOr<TrainingConfig> DurableJobManager::Validate(const JobSpec& spec) const {
  return ValidateSpec(spec);
}

absl::Status DurableJobManager::CheckName(const TrainingConfig& config) const {
  const absl::Status same =
      context_.registry->CheckArchitecture(config.name, config.ArchitectureName());
  if (same.ok()) return same;
  return absl::FailedPreconditionError(
      Concat(same.message(), ", as in `name: ", config.name, "-", config.ArchitectureName(), "`"));
}

absl::StatusOr<DeviceId> DurableJobManager::CheckStart(const JobSpec& spec,
                                                       const TrainingConfig& config) const {
  const absl::StatusOr<DeviceId> device = vrp::CheckStart(spec, config, context_);
  const absl::Status name = CheckName(config);
  if (name.ok() || absl::IsResourceExhausted(device.status())) return device;
  if (device.ok()) return name;
  return absl::InvalidArgumentError(
      Concat(FromAbsl(device.status().message()), "\n", FromAbsl(name.message())));
}

absl::StatusOr<Job> DurableJobManager::Submit(const JobSpec& spec, const std::string& request_id) {
  VRP_RETURN_IF_ERROR(CheckRequestId(request_id));
  JobStore& store = book_->store();
  VRP_ASSIGN_OR_RETURN(std::optional<Job> known, store.FindRequest(spec, request_id));
  if (known) return *std::move(known);
  VRP_ASSIGN_OR_RETURN(const TrainingConfig config, ValidateSpec(spec));
  VRP_RETURN_IF_ERROR(CheckStart(spec, config).status());
  absl::MutexLock lock(&book_->dataset_uses());
  // Checks the datasets once more, since one may have been deleted meanwhile.
  VRP_RETURN_IF_ERROR(CheckDatasets(config, datasets_));
  VRP_RETURN_IF_ERROR(book_->quota().Check());
  VRP_ASSIGN_OR_RETURN(Job job, store.Submit(spec, request_id, max_queued_));
  runner_.Wake();
  return job;
}

absl::StatusOr<Job> DurableJobManager::Get(std::string_view id) const {
  return book_->Get(JobKind::kTraining, id);
}

std::string DurableJobManager::TensorBoardFolder(std::string_view id) const {
  const std::string folder = book_->folder().TensorBoardPath(id);
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(folder, error);
  return error ? folder : absolute.string();
}

absl::StatusOr<JobPage> DurableJobManager::List(const JobFilter& filter) const {
  return book_->List(JobKind::kTraining, filter);
}

absl::StatusOr<History> DurableJobManager::ReadHistory(std::string_view id,
                                                       const HistoryRange& range) const {
  return book_->ReadHistory(JobKind::kTraining, id, range);
}

absl::StatusOr<Job> DurableJobManager::Change(std::string_view id,
                                              absl::FunctionRef<absl::Status(JobChange&)> change) {
  VRP_RETURN_IF_ERROR(Get(id).status());
  return book_->store().Update(id, Durability::kFull, change);
}

absl::StatusOr<Job> DurableJobManager::Cancel(std::string_view id) {
  VRP_ASSIGN_OR_RETURN(Job job, Change(id, RequestCancel));
  if (!runner_.Cancel(id)) RemoveJobFolder(book_->folder(), job);
  return job;
}

absl::StatusOr<Job> DurableJobManager::Stop(std::string_view id) {
  VRP_ASSIGN_OR_RETURN(Job job, Change(id, RequestStop));
  if (job.state == JobState::kStopping) live_.EndEarly(id);
  if (job.state == JobState::kQueued) runner_.Wake();
  if (job.state == JobState::kCancelled) RemoveJobFolder(book_->folder(), job);
  return job;
}

absl::StatusOr<Job> DurableJobManager::Pause(std::string_view id) {
  VRP_ASSIGN_OR_RETURN(Job job, Change(id, RequestPause));
  if (job.state == JobState::kPausing) runner_.Cancel(id);
  return job;
}

absl::StatusOr<Job> DurableJobManager::Resume(std::string_view id) {
  VRP_ASSIGN_OR_RETURN(Job job, Change(id, RequestResume));
  if (job.state == JobState::kQueued) runner_.Wake();
  return job;
}

absl::StatusOr<Job> DurableJobManager::ContinueTrial(std::string_view id, int64_t pause_epoch) {
  VRP_ASSIGN_OR_RETURN(Job job, Change(id, [pause_epoch](JobChange& change) -> absl::Status {
                         if (!IsHeld(change.record().job)) {
                           return absl::FailedPreconditionError(Concat(
                               ResourceName(change.record().job), ": is ",
                               JobStateName(change.state()), " and does not wait for a sweep"));
                         }
                         change.SetPauseEpoch(pause_epoch);
                         return change.MoveTo(JobState::kQueued);
                       }));
  runner_.Wake();
  return job;
}

absl::Status DurableJobManager::Delete(std::string_view id) {
  VRP_ASSIGN_OR_RETURN(const Job job, Get(id));
  VRP_RETURN_IF_ERROR(CheckSweepEnded(book_->store(), job));
  VRP_RETURN_IF_ERROR(book_->store().Delete(JobKind::kTraining, id));
  RemoveDeletedJob(book_->store(), book_->folder(), std::string(id));
  return absl::OkStatus();
}

absl::StatusOr<LivePublication> DurableJobManager::Publish(std::string_view id) {
  VRP_ASSIGN_OR_RETURN(const Job job, Get(id));
  const std::shared_ptr<LiveModels> live = live_.Find(id);
  if (job.state != JobState::kRunning || live == nullptr) return NotRunning(job);
  VRP_ASSIGN_OR_RETURN(LivePublication published, PublishWeights(job, *live));
  VRP_RETURN_IF_ERROR(Change(id, [&published](JobChange& change) {
                        // The job may have ended meanwhile, or the step may be published already.
                        if (!IsFinal(change.state()) &&
                            change.record().job.model != published.model)
                          change.RecordLiveModel(published.model, published.step);
                        return absl::OkStatus();
                      }).status());
  return published;
}

absl::StatusOr<LivePublication> DurableJobManager::PublishWeights(const Job& job,
                                                                  LiveModels& live) {
  Registry& registry = *context_.registry;
  VRP_ASSIGN_OR_RETURN(const TrainingConfig config, ParseStoredConfig(job.spec));
  VRP_ASSIGN_OR_RETURN(const std::string staging, registry.StagingDirectory());
  const absl::Cleanup discard = [&registry, &staging] { registry.DiscardStaging(staging); };
  ModelVersion version;
  const auto publish = [&](const TrainingResult&) -> absl::Status {
    VRP_RETURN_IF_ERROR(book_->quota().Check());  // the usage includes the written files
    VRP_ASSIGN_OR_RETURN(version, registry.Publish(config.name, staging));
    return absl::OkStatus();
  };
  const absl::StatusOr<TrainingResult> written =
      live.WriteAndPublish(staging, kMaxStepWait, publish);
  if (absl::IsCancelled(written.status())) {
    return absl::AbortedError(Concat(ResourceName(job),
                                     ": the training run ended before it finished its next step, "
                                     "so its weights were not published"));
  }
  VRP_RETURN_IF_ERROR(written.status());
  // Loads the version now, so that the first request does not wait for it.
  VRP_RETURN_IF_ERROR(registry.Load(version.name, version.version).status());
  return LivePublication{ModelResourceName(version.name, version.version), written->steps};
}

absl::StatusOr<DatasetDeletion> DurableJobManager::DeleteDataset(std::string_view name) {
  if (datasets_ == nullptr) {
    return absl::NotFoundError(Concat("got ", Quoted(name), ", which this daemon does not have"));
  }
  absl::MutexLock lock(&book_->dataset_uses());
  return DeleteDatasetWithDerived(*book_, *context_.registry, *datasets_, name);
}

absl::StatusOr<std::shared_ptr<EventSubscription>> DurableJobManager::Watch(std::string_view id,
                                                                            int64_t from) {
  return book_->Watch(JobKind::kTraining, id, from);
}

}  // namespace vrp
