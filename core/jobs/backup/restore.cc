#include "core/jobs/backup/restore.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <set>
#include <system_error>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "core/base/file.h"
#include "core/base/status_macros.h"
#include "core/base/stop_status.h"
#include "core/base/text.h"
#include "core/jobs/backup/snapshot.h"
#include "core/jobs/backup/unpack.h"
#include "core/jobs/job_store.h"
#include "core/jobs/state_folder.h"
#include "core/registry/model_folder.h"
#include "core/registry/publish.h"

namespace vrp {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> ListEntries(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    names.push_back(at->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

absl::Status NotEmptyError(const std::string& directory, const std::string& entry) {
  if (entry == kRestoringFolder) {
    return absl::FailedPreconditionError(Concat(
        directory, ": another restore into this folder is running or was killed; wait for ",
        "it, or empty the folder, including ", Quoted(entry), ", and run vrpd --restore again"));
  }
  return absl::FailedPreconditionError(
      Concat(directory, ": holds ", Quoted(entry),
             ", wanted a folder that is absent or empty, so that nothing is overwritten"));
}

// Claims an absent or empty folder, so that no daemon and no other restore uses the folder. Returns
// the path of the subfolder to unpack into.
absl::StatusOr<fs::path> ClaimEmptyFolder(const std::string& directory) {
  if (const auto names = ListEntries(directory); !names.empty()) {
    return NotEmptyError(directory, names.front());
  }
  std::error_code error;
  const bool is_new = !fs::exists(directory, error);
  VRP_RETURN_IF_ERROR(EnsureDirectory(directory));
  if (is_new) fs::permissions(directory, fs::perms::owner_all, error);
  if (error) return absl::ErrnoToStatus(error.value(), Concat("make private ", directory));
  const fs::path staging = fs::path(directory) / kRestoringFolder;
  if (mkdir(staging.c_str(), 0700) != 0) {
    return absl::ErrnoToStatus(errno, Concat("make folder ", staging.string()));
  }
  for (const std::string& name : ListEntries(directory)) {
    if (name == kRestoringFolder) continue;
    rmdir(staging.c_str());
    return NotEmptyError(directory, name);
  }
  return staging;
}

// Returns the training jobs that the cards of the backup's models name. The next daemon marks these
// jobs as succeeded.
std::set<std::string> PublishedJobs(const fs::path& models) {
  std::set<std::string> jobs;
  for (const ModelVersion& version : ScanModels(models.string()).versions) {
    jobs.insert(version.card.training_job);
  }
  return jobs;
}

// Queues restored jobs that were PREPARING or RUNNING, and training jobs that were STOPPING, as
// after a graceful stop, without counting a crash. Skips jobs in `published`. Returns the number of
// queued jobs.
absl::StatusOr<int64_t> RequeueJobs(JobStore& store, const std::set<std::string>& published) {
  int64_t queued = 0;
  for (const JobKind kind : {JobKind::kTraining, JobKind::kSolve}) {
    VRP_ASSIGN_OR_RETURN(const std::vector<JobRecord> active, store.ListActive(kind));
    for (const JobRecord& record : active) {
      const Job& job = record.job;
      const bool stops = kind == JobKind::kTraining && job.state == JobState::kStopping;
      const bool runs =
          stops || job.state == JobState::kPreparing || job.state == JobState::kRunning;
      if (!runs || published.contains(ResourceName(job))) continue;
      VRP_RETURN_IF_ERROR(store
                              .Update(job.id, Durability::kFull,
                                      [](JobChange& change) {
                                        change.RecordLog(
                                            "restored from a backup; the job resumes from "
                                            "its state at that time");
                                        return change.MoveTo(JobState::kQueued);
                                      })
                              .status());
      ++queued;
    }
  }
  return queued;
}

absl::StatusOr<int64_t> PrepareDatabase(const RestoreOptions& options, const fs::path& staging) {
  const auto watched = BeginWatch(options.watch, "restore", "job database");
  const fs::path path = staging / kBackupDatabase;
  std::error_code error;
  if (!fs::exists(path, error)) {
    return absl::InvalidArgumentError(
        Concat(kBackupDatabase, ": is missing from the archive; is this a backup of vrpd?"));
  }
  VRP_ASSIGN_OR_RETURN(const std::unique_ptr<JobStore> store,
                       JobStore::Open(path.string(), options.clock));
  return RequeueJobs(*store, PublishedJobs(staging / kBackupModels));
}

// Moves the files to their final paths. Moves the database last, because the database makes the
// folder a state folder.
absl::Status MoveToFinalPaths(const fs::path& staging, const fs::path& directory) {
  std::vector<std::string> names = ListEntries(staging);
  std::stable_partition(names.begin(), names.end(),
                        [](const std::string& name) { return name != kBackupDatabase; });
  for (const std::string& name : names) {
    VRP_RETURN_IF_ERROR(MoveFolder((staging / name).string(), (directory / name).string()));
  }
  if (rmdir(staging.c_str()) != 0) {
    return absl::ErrnoToStatus(errno, Concat("remove ", staging.string()));
  }
  return SyncPath(directory.string());
}

// Removes everything in `directory`, and the folder itself unless it `existed` before.
void RemoveContents(const std::string& directory, bool existed) {
  std::error_code ignored;
  for (const std::string& name : ListEntries(directory)) {
    fs::remove_all(fs::path(directory) / name, ignored);
  }
  if (!existed) fs::remove(directory, ignored);
}

absl::Status SyncAndMove(const RestoreOptions& options, const fs::path& staging) {
  const auto watched = BeginWatch(options.watch, "restore", "flush to the disk");
  VRP_RETURN_IF_ERROR(SyncTree(staging.string()));
  VRP_RETURN_IF_ERROR(StopStatus(options.stop.Check()));
  return MoveToFinalPaths(staging, options.directory);
}

absl::StatusOr<RestoreReport> RestoreInto(const RestoreOptions& options, const fs::path& staging) {
  const absl::StatusOr<UnpackedBackup> unpacked =
      UnpackBackup(options.archive, staging.string(), options.watch, options.stop);
  if (!unpacked.ok()) {
    return absl::Status(unpacked.status().code(),
                        Concat(options.archive, ": ", FromAbsl(unpacked.status().message())));
  }
  VRP_ASSIGN_OR_RETURN(const int64_t queued, PrepareDatabase(options, staging));
  VRP_RETURN_IF_ERROR(SyncAndMove(options, staging));
  return RestoreReport{.program = unpacked->index.program,
                       .created = unpacked->index.created,
                       .files = unpacked->files,
                       .bytes = unpacked->bytes,
                       .queued = queued};
}

}  // namespace

absl::StatusOr<RestoreReport> RestoreBackup(const RestoreOptions& options) {
  std::error_code error;
  if (!fs::is_regular_file(options.archive, error)) {
    return absl::NotFoundError(
        Concat(options.archive, ": is not a file, wanted the archive of a backup; check the path"));
  }
  const bool existed = fs::exists(options.directory, error);
  VRP_ASSIGN_OR_RETURN(const fs::path staging, ClaimEmptyFolder(options.directory));
  absl::Cleanup remove_contents = [&] { RemoveContents(options.directory, existed); };
  VRP_ASSIGN_OR_RETURN(RestoreReport report, RestoreInto(options, staging));
  std::move(remove_contents).Cancel();
  return report;
}

}  // namespace vrp
