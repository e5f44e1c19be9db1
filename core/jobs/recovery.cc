#include "core/jobs/recovery.h"

#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/jobs/job_run.h"

namespace vrp {
namespace {

absl::Status RecoverInterrupted(JobChange& change, int32_t max_attempts) {
  change.CountCrash();
  const int32_t crashes = change.record().crashes;
  if (crashes >= max_attempts) {
    return change.Fail(absl::AbortedError(
        Concat("the daemon died ", crashes,
               " times in a row in this job without a new checkpoint, at most ", max_attempts,
               " are tried; its last checkpoint is of step ", change.record().checkpoint_step)));
  }
  change.Log(Concat("the daemon died while the job ran (crash ", crashes, " of ", max_attempts,
                    "); the job goes on from its last checkpoint"));
  return change.MoveTo(JobState::kQueued);
}

absl::Status RecoverOne(JobChange& change, const std::optional<ModelVersion>& published,
                        int32_t max_attempts) {
  if (published) {
    change.Published(ModelResourceName(published->name, published->version));
    return change.MoveTo(JobState::kSucceeded);
  }
  if (change.state() == JobState::kCancelling) return change.MoveTo(JobState::kCancelled);
  if (change.state() == JobState::kPausing) return change.MoveTo(JobState::kPaused);
  return RecoverInterrupted(change, max_attempts);
}

}  // namespace

absl::Status RecoverJobs(JobStore& store, const Registry& registry, int32_t max_attempts) {
  VRP_ASSIGN_OR_RETURN(const std::vector<JobRecord> active, store.ListActive());
  for (const JobRecord& record : active) {
    const std::optional<ModelVersion> published =
        registry.FindByTrainingJob(Concat("trainingJobs/", record.job.id));
    VRP_RETURN_IF_ERROR(store
                            .Update(record.job.id, Durability::kFull,
                                    [&published, max_attempts](JobChange& change) {
                                      return RecoverOne(change, published, max_attempts);
                                    })
                            .status());
  }
  return absl::OkStatus();
}

void RemoveFinishedFolders(const JobStore& store, const StateFolder& folder) {
  std::vector<std::string> ids;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder.JobsPath(), error)) {
    ids.push_back(entry.path().filename().string());
  }
  for (const std::string& id : ids) {
    const absl::StatusOr<JobRecord> record = store.Find(id);
    if (record.ok()) RemoveJobFolder(folder, record->job);
  }
}

}  // namespace vrp
