#include "core/jobs/job_run.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "core/base/disk_space.h"
#include "core/base/file.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/device/device_loss.h"
#include "core/jobs/dataset_use.h"
#include "core/jobs/device_choice.h"
#include "core/jobs/held_trial.h"
#include "core/jobs/start_check.h"
#include "core/jobs/submission.h"
#include "core/jobs/update_with_retries.h"
#include "core/registry/publish.h"

namespace vrp {
namespace {

// An observer that ends a trial's run after the epoch where the trial waits for a selection. The
// trainer then writes a checkpoint, as for every cancelled run.
class SelectionObserver final : public TrainingObserver {
 public:
  // `end_early` says that the trial ends with its model instead.
  SelectionObserver(TrainingObserver& observer, int64_t epoch, CancelFlag& hold,
                    const CancelFlag& end_early)
      : observer_(observer), epoch_(epoch), hold_(hold), end_early_(end_early) {}

  void OnLog(std::string_view line) override { observer_.OnLog(line); }
  void OnProgress(const TrainingProgress& progress) override {
    observer_.OnProgress(progress);
    const bool ends = progress.epoch >= progress.epochs || end_early_.cancelled();
    if (progress.end_of_epoch && !ends && progress.epoch >= epoch_) hold_.Cancel();
  }
  void OnCheckpoint(int64_t step) override { observer_.OnCheckpoint(step); }
  void OnPhase(std::string_view phase) override { observer_.OnPhase(phase); }
  void OnEnd(const TrainingTotals& totals) override { observer_.OnEnd(totals); }

 private:
  TrainingObserver& observer_;
  const int64_t epoch_;
  CancelFlag& hold_;
  const CancelFlag& end_early_;
};

}  // namespace

void RemoveJobFolder(const StateFolder& folder, const Job& job) {
  if (job.state != JobState::kSucceeded && job.state != JobState::kCancelled) return;
  std::error_code ignored;
  const bool keeps_model = job.state == JobState::kSucceeded && !job.spec.sweep.empty();
  absl::MutexLock lock(&folder.removals());
  std::filesystem::remove_all(keeps_model ? folder.CheckpointPath(job.id) : folder.JobPath(job.id),
                              ignored);
}

void RemoveDeletedJob(JobStore& store, const StateFolder& folder, const std::string& id) {
  std::error_code checkpoints, curves;
  absl::MutexLock lock(&folder.removals());
  std::filesystem::remove_all(folder.JobPath(id), checkpoints);
  std::filesystem::remove_all(folder.TensorBoardPath(id), curves);
  if (!checkpoints && !curves) store.ForgetDeletion(id).IgnoreError();
}

JobRun::JobRun(const JobRunContext& context, Job job, std::shared_ptr<const CancelFlag> cancel)
    : context_(context),
      job_(std::move(job)),
      cancel_(std::move(cancel)),
      hold_(std::make_shared<CancelFlag>(cancel_)),
      end_early_(std::make_shared<CancelFlag>(hold_)),
      recorder_(
          {.store = context.store,
           .clock = context.clock,
           .job_id = job_.id,
           .progress_interval = context.progress_interval,
           .run_time_before = job_.run_time,
           .quota = context.quota,
           .on_progress_kept = [places = context.places, id = job_.id] { places->EndAlone(id); }}) {
}

void JobRun::Run() {
  const absl::StatusOr<Outcome> outcome = RunToModel();
  if (IsDeviceLost(outcome.status())) {
    // Handles a lost device like a crash of the daemon: the daemon restarts, and the job resumes
    // from its checkpoint. A job that keeps losing the device is quarantined. No other job starts
    // before the restart.
    context_.places->Close();
    recorder_.OnLog(FromAbsl(outcome.status().message()));
    context_.stopping->WaitFor(absl::InfiniteDuration());
    return;
  }
  const absl::StatusOr<Job> ended =
      UpdateWithRetries(*context_.store, *context_.stopping, job_.id,
                        [this, &outcome](JobChange& change) { return Conclude(change, outcome); });
  // If every write failed, the next start finds the job as interrupted and recovers it.
  if (ended.ok()) RemoveJobFolder(*context_.folder, *ended);
}

absl::StatusOr<JobRun::Outcome> JobRun::RunToModel() {
  VRP_ASSIGN_OR_RETURN(TrainingRequest request, Prepare());
  if (!job_.spec.sweep.empty()) return RunTrial(std::move(request));
  VRP_ASSIGN_OR_RETURN(request.model_directory, context_.registry->StagingDirectory());
  const absl::Cleanup discard = [this, &request] {
    context_.registry->DiscardStaging(request.model_directory);
  };
  return TrainAndPublish(request);
}

absl::StatusOr<JobRun::Outcome> JobRun::RunTrial(TrainingRequest request) {
  // The daemon may have died between the epoch's end and the pause.
  if (HasReachedPause(job_) && !job_.stop_requested) hold_->Cancel();
  request.model_directory = context_.folder->TrialModelPath(job_.id);
  std::error_code ignored;
  std::filesystem::remove_all(request.model_directory, ignored);
  VRP_RETURN_IF_ERROR(EnsureDirectory(request.model_directory));
  const absl::StatusOr<TrainingResult> trained = Train(request);
  recorder_.Finish();
  VRP_RETURN_IF_ERROR(trained.status());
  FreeSpaceForModel();
  VRP_RETURN_IF_ERROR(SyncTree(request.model_directory));
  return Outcome{.model = "", .result = *trained};
}

absl::StatusOr<TrainingRequest> JobRun::Prepare() {
  TrainingRequest request;
  const JobSpec& spec = job_.spec;
  VRP_ASSIGN_OR_RETURN(request.config, ParseStoredConfig(spec));
  // Reports the error of a device that is gone.
  VRP_ASSIGN_OR_RETURN(const DeviceId resolved, context_.places->Resolve(spec));
  request.device = context_.places->DeviceOf(job_.id).value_or(resolved);
  request.epoch_limit = spec.epoch_limit;
  request.time_limit = std::max(spec.time_limit - job_.run_time, absl::ZeroDuration());
  request.job_name = Concat("trainingJobs/", job_.id);
  request.checkpoint_directory = context_.folder->CheckpointPath(job_.id);
  request.cache_directory = context_.folder->LabelsPath();
  request.models_directories = context_.registry->Roots();
  VRP_ASSIGN_OR_RETURN(request.datasets, FindDatasets(request.config, context_.datasets));
  VRP_RETURN_IF_ERROR(EnsureDirectory(request.checkpoint_directory));
  int64_t resumed_from = 0;
  if (job_.attempt > 1) {
    VRP_ASSIGN_OR_RETURN(resumed_from, context_.trainer->ResumeStep(request.checkpoint_directory));
    recorder_.RecordResume(resumed_from);
  }
  // A resumed run has its initial model in its checkpoint. The model itself may have been deleted.
  if (resumed_from > 0) request.config.initial_model.clear();
  const std::string configured = request.config.initial_model;
  VRP_ASSIGN_OR_RETURN(request.config.initial_model,
                       InitialModelVersion(configured, *context_.registry));
  if (request.config.initial_model != configured) {
    recorder_.OnLog(
        Concat("training.initial_model: ", configured, " is ", request.config.initial_model));
  }
  const bool chooses = !context_.places->AutoGpus(spec).empty() && job_.place.device.empty();
  // A run that began with an earlier version stays on its GPU.
  if (chooses && resumed_from == 0) VRP_RETURN_IF_ERROR(ChooseFaster(request));
  SetThreads(request);
  recorder_.WriteTensorBoard(
      TensorBoardWriter::Open({.folder = context_.folder->TensorBoardPath(job_.id),
                               .time = context_.clock->Now(),
                               .attempt = job_.attempt,
                               .resumed_from = resumed_from}));
  return request;
}

absl::Status JobRun::ChooseFaster(TrainingRequest& request) {
  const DeviceChoiceContext choosing{
      .store = *context_.store, .trainer = *context_.trainer, .places = *context_.places};
  VRP_ASSIGN_OR_RETURN(const DeviceChoice choice,
                       ChooseDevice(choosing, job_.spec, request,
                                    Concat(context_.folder->JobPath(job_.id), "/timing"), cancel_));
  recorder_.OnLog(choice.reason);
  if (choice.device == request.device) return absl::OkStatus();
  request.device = choice.device;
  if (context_.places->Move(job_.id, choice.device)) return absl::OkStatus();
  waits_for_cpu_ = true;
  return absl::CancelledError("waits for a place on the CPU");
}

void JobRun::SetThreads(TrainingRequest& request) {
  const ThreadShare share = context_.places->ThreadsFor(job_.spec, job_.place, request.device);
  request.threads = share.threads;
  if (!share.reason.empty()) {
    recorder_.OnLog(Concat("threads: ", share.threads, ", ", share.reason));
  }
}

absl::StatusOr<JobRun::Outcome> JobRun::TrainAndPublish(const TrainingRequest& request) {
  const absl::StatusOr<TrainingResult> trained = Train(request);
  recorder_.Finish();
  VRP_RETURN_IF_ERROR(trained.status());
  VRP_ASSIGN_OR_RETURN(const JobRecord current, context_.store->Find(JobKind::kTraining, job_.id));
  if (current.job.state == JobState::kCancelling) return absl::CancelledError("cancelled");
  FreeSpaceForModel();
  VRP_ASSIGN_OR_RETURN(const ModelVersion published, PublishWhenPossible(request));
  if (published.name != request.config.name) {
    recorder_.OnLog(Concat("the model is published as ", published.name, ": models/",
                           request.config.name, " now has versions of another architecture"));
  }
  return Outcome{ModelResourceName(published.name, published.version), *trained};
}

absl::StatusOr<ModelVersion> JobRun::PublishWhenPossible(const TrainingRequest& request) {
  absl::StatusOr<ModelVersion> published = absl::UnknownError("not tried yet");
  VRP_RETURN_IF_ERROR(WriteWhenDiskHasSpace(
      StopCondition(absl::InfiniteFuture(), cancel_),
      [&] {
        published = context_.registry->Publish(request.config.name, request.model_directory,
                                               OtherArchitecture::kUseOtherName);
        return published.status();
      },
      [&](const absl::Status& full) {
        recorder_.OnLog(
            Concat("the model is published once the disk has space: ", FromAbsl(full.message())));
      }));
  return published;
}

void JobRun::FreeSpaceForModel() {
  if (context_.quota == nullptr) return;
  const absl::Status space = context_.quota->Check();
  if (space.ok()) return;
  recorder_.OnLog(
      Concat("the quota is exceeded, but the model is kept; it is smaller than the job's "
             "checkpoints, which are removed: ",
             FromAbsl(space.message())));
}

absl::StatusOr<TrainingResult> JobRun::Train(const TrainingRequest& request) {
  const StopCondition stop(absl::InfiniteFuture(), hold_);
  // Registers the run before reading the job's state, so that later requests to end the job find
  // the run.
  const std::shared_ptr<LiveModels> live = context_.live->Add(job_.id, end_early_);
  const absl::Cleanup unregister = [this] { context_.live->Remove(job_.id); };
  VRP_RETURN_IF_ERROR(Begin({.device = request.device.ToString(), .threads = request.threads}));
  TrainingRequest live_request = request;
  live_request.live = live.get();
  live_request.end_early = end_early_;
  // Trainers return a Status. Even so, an exception must not end the daemon.
  try {
    if (job_.spec.pause_epoch == 0) return context_.trainer->Train(live_request, stop, recorder_);
    SelectionObserver observer(recorder_, job_.spec.pause_epoch, *hold_, *end_early_);
    return context_.trainer->Train(live_request, stop, observer);
  } catch (const std::exception& error) {
    return absl::InternalError(Concat("the trainer threw: ", error.what()));
  } catch (...) {
    return absl::InternalError("the trainer threw something that is not a std::exception");
  }
}

absl::Status JobRun::Begin(const RunPlace& place) {
  return UpdateWithRetries(*context_.store, *context_.stopping, job_.id,
                           [this, &place](JobChange& change) -> absl::Status {
                             change.SetPlace(place);
                             // Handles jobs that were cancelled, paused or stopped before the
                             // manager knew the run.
                             switch (change.state()) {
                               case JobState::kCancelling:
                                 return absl::CancelledError("cancelled");
                               case JobState::kPausing:
                                 return absl::CancelledError("paused");
                               case JobState::kStopping:
                                 end_early_->Cancel();
                                 return absl::OkStatus();
                               default:
                                 break;
                             }
                             const bool ends = change.record().job.stop_requested;
                             if (ends) end_early_->Cancel();
                             return change.MoveTo(ends ? JobState::kStopping : JobState::kRunning);
                           })
      .status();
}

absl::Status JobRun::ConcludeStopped(JobChange& change) const {
  if (context_.stopping->IsSet()) {
    change.RecordLog("the daemon stops; the job ends with a model at the next start");
    return change.MoveTo(JobState::kQueued);
  }
  change.RecordLog("stopped before its first step: there is no model");
  return change.MoveTo(JobState::kCancelled);
}

absl::Status JobRun::ConcludeHeld(JobChange& change) const {
  // A job that was stopped meanwhile ends with a model as soon as it runs again.
  if (change.state() == JobState::kStopping) return change.MoveTo(JobState::kQueued);
  change.RecordLog(Concat("waits after epoch ", job_.spec.pause_epoch, " until ", job_.spec.sweep,
                          " has compared its trials"));
  VRP_RETURN_IF_ERROR(change.MoveTo(JobState::kPausing));
  return change.MoveTo(JobState::kPaused);
}

absl::Status JobRun::ConcludeCancelled(JobChange& change, const absl::Status& error) const {
  if (change.state() == JobState::kPausing) return change.MoveTo(JobState::kPaused);
  if (hold_->cancelled() && !hold_->cancelled_by_parent_only()) return ConcludeHeld(change);
  if (change.state() == JobState::kStopping) return ConcludeStopped(change);
  if (waits_for_cpu_) {
    change.SetPlace({.device = DeviceId{}.ToString()});
    change.RecordLog("waits for a place on the CPU");
    return change.MoveTo(JobState::kQueued);
  }
  if (context_.stopping->IsSet()) {
    change.RecordLog("the daemon stops; the job resumes from its checkpoint at the next start");
    return change.MoveTo(JobState::kQueued);
  }
  return change.Fail(error);
}

absl::Status JobRun::Conclude(JobChange& change, const absl::StatusOr<Outcome>& outcome) const {
  change.SetRunTime(recorder_.RunTime());
  const absl::Status& error = outcome.status();
  if (change.state() == JobState::kCancelling && (!outcome.ok() || outcome->model.empty())) {
    if (!outcome.ok() && !absl::IsCancelled(error))
      change.RecordLog(Concat("error during cancellation: ", error.ToString()));
    return change.MoveTo(JobState::kCancelled);
  }
  if (outcome.ok()) {
    const TrainingResult& result = outcome->result;
    const PublishedWeights weights{.epoch = result.epoch,
                                   .step = result.steps,
                                   .reason = result.reason,
                                   .validation_cost = result.validation_cost};
    if (outcome->model.empty()) {
      change.RecordTrialEnd(result.end, weights);
    } else {
      change.RecordModel(outcome->model, result.end, weights);
    }
    return change.MoveTo(JobState::kSucceeded);
  }
  if (absl::IsCancelled(error)) return ConcludeCancelled(change, error);
  return change.Fail(error);
}

}  // namespace vrp
