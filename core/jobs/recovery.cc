#include "core/jobs/recovery.h"

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/jobs/job_run.h"

namespace vrp {
namespace {

constexpr char kRemedy[] =
    "find the reason in the daemon's log, then submit the job again with other settings (a "
    "smaller batch, another --device)";

// The parts of the messages about a crash that depend on the kind of job.
struct CrashTexts {
  std::string missing_progress;  // progress that the job did not make before the crash
  std::string next_step;
  std::string current_state;
};

// Moves to FAILED after `max_attempts` crashes in a row, otherwise to `next`.
absl::Status CountCrash(JobChange& change, int32_t max_attempts, const CrashTexts& texts,
                        JobState next) {
  change.CountCrash();
  const int32_t crashes = change.record().crashes;
  if (crashes >= max_attempts) {
    return change.Fail(absl::AbortedError(Concat(
        "the daemon crashed ", crashes, " times in a row in this job without ",
        texts.missing_progress, ", the limit is ", max_attempts, "; ", texts.current_state)));
  }
  change.RecordLog(Concat("the daemon crashed while the job ran (crash ", crashes, " of ",
                          max_attempts, "); ", texts.next_step));
  return next == change.state() ? absl::OkStatus() : change.MoveTo(next);
}

absl::Status RecoverInterrupted(JobChange& change, const CrashLimits& limits) {
  const std::string current_state = Concat("the job's last checkpoint is of step ",
                                           change.record().checkpoint_step, "; ", kRemedy);
  if (change.record().all_crashes + 1 >= limits.total) {
    change.CountCrash();
    return change.Fail(
        absl::AbortedError(Concat("the daemon crashed ", limits.total,
                                  " times in this job, which is the limit; ", current_state)));
  }
  return CountCrash(change, limits.consecutive,
                    {.missing_progress = "a new checkpoint",
                     .next_step = change.record().job.stop_requested
                                      ? "the job ends with a model from its last checkpoint"
                                      : "the job resumes from its last checkpoint",
                     .current_state = current_state},
                    JobState::kQueued);
}

// Returns the published weights that the card describes, for a run that left no other record.
PublishedWeights FromCard(const ModelCard& card) {
  return {.epoch = card.epoch,
          .step = card.steps,
          .reason = ParsePublishReason(card.publish_reason).value_or(PublishReason::kUnknown),
          .validation_cost = card.validation_cost};
}

absl::Status RecoverOne(JobChange& change, const std::optional<ModelVersion>& published,
                        const CrashLimits& limits) {
  if (published) {
    const Job& job = change.record().job;
    change.RecordModel(ModelResourceName(published->name, published->version),
                       job.stop_requested ? TrainingEnd::kStopped : TrainingEnd::kUnknown,
                       FromCard(published->card));
    return change.MoveTo(JobState::kSucceeded);
  }
  if (change.state() == JobState::kCancelling) return change.MoveTo(JobState::kCancelled);
  if (change.state() == JobState::kPausing) {
    change.RecordLog(
        "the daemon crashed while the job was being paused; the job stays at its last checkpoint");
    return change.MoveTo(JobState::kPaused);
  }
  return RecoverInterrupted(change, limits);
}

absl::Status RecoverSolve(JobChange& change, int32_t max_attempts) {
  const SolveProgress& progress = change.record().job.solve.progress;
  const bool has_result = progress.has_result();
  const bool ends = change.state() == JobState::kStopping ||
                    (has_result && change.record().crashes + 1 >= max_attempts);
  const JobKind kind = change.record().job.kind;
  const CrashTexts texts =
      kind == JobKind::kSimulation
          ? CrashTexts{.missing_progress = "another finished day",
                       .next_step = std::string(ends ? "the job ends with its finished days"
                                                     : ResumeText(kind)),
                       .current_state = Concat("the job has ", progress.parts, " finished days")}
          : CrashTexts{.missing_progress = "a better plan",
                       .next_step =
                           std::string(ends ? "the job ends with its best plan" : ResumeText(kind)),
                       .current_state = has_result
                                            ? Concat("the job's best plan has cost ", progress.cost)
                                            : "the job has no plan"};
  return CountCrash(change, max_attempts + (has_result ? 1 : 0), texts,
                    ends ? JobState::kStopping : JobState::kQueued);
}

std::vector<std::string> JobFolders(const StateFolder& folder) {
  std::vector<std::string> ids;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder.JobsPath(), error)) {
    ids.push_back(entry.path().filename().string());
  }
  return ids;
}

}  // namespace

absl::Status RecoverJobs(JobStore& store, const Registry& registry, const CrashLimits& limits) {
  VRP_ASSIGN_OR_RETURN(const std::vector<JobRecord> active, store.ListActive(JobKind::kTraining));
  for (const JobRecord& record : active) {
    const std::optional<ModelVersion> published =
        registry.FindByTrainingJob(ResourceName(record.job));
    VRP_RETURN_IF_ERROR(store
                            .Update(record.job.id, Durability::kFull,
                                    [&published, &limits](JobChange& change) {
                                      return RecoverOne(change, published, limits);
                                    })
                            .status());
  }
  return absl::OkStatus();
}

std::string_view ResumeText(JobKind kind) {
  return kind == JobKind::kSimulation ? "the simulation resumes after its last finished day"
                                      : "the search resumes from its best plan";
}

absl::StatusOr<std::vector<Job>> RecoverSolveJobs(JobStore& store, JobKind kind,
                                                  int32_t max_attempts) {
  VRP_ASSIGN_OR_RETURN(const std::vector<JobRecord> active, store.ListActive(kind));
  std::vector<Job> stopping;
  for (const JobRecord& record : active) {
    VRP_ASSIGN_OR_RETURN(
        Job job, store.Update(record.job.id, Durability::kFull, [max_attempts](JobChange& change) {
          return RecoverSolve(change, max_attempts);
        }));
    if (job.state == JobState::kStopping) stopping.push_back(std::move(job));
  }
  return stopping;
}

std::vector<std::string> UnknownJobFolders(const JobStore& store, const StateFolder& folder) {
  std::vector<std::string> unknown;
  for (const std::string& id : JobFolders(folder)) {
    if (absl::IsNotFound(store.Find(JobKind::kTraining, id).status())) unknown.push_back(id);
  }
  return unknown;
}

void RemoveFinishedFolders(JobStore& store, const StateFolder& folder) {
  for (const std::string& id : JobFolders(folder)) {
    const absl::StatusOr<JobRecord> record = store.Find(JobKind::kTraining, id);
    if (record.ok()) RemoveJobFolder(folder, record->job);
  }
  const absl::StatusOr<std::vector<std::string>> deleted = store.ListDeletions();
  if (!deleted.ok()) return;  // the next start retries them
  for (const std::string& id : *deleted) RemoveDeletedJob(store, folder, id);
}

}  // namespace vrp
