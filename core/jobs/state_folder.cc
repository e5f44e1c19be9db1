#include "core/jobs/state_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "core/base/file.h"
#include "core/base/ids.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/jobs/state_marker.h"

namespace vrp {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMaxLockFileBytes = 64;               // maximum size of the lock file
constexpr std::string_view kCopyPrefix = "jobs.copy.";  // start of a temporary copy's name

absl::Status MakePrivateFolder(const fs::path& path) {
  if (path.has_parent_path()) VRP_RETURN_IF_ERROR(EnsureDirectory(path.parent_path().string()));
  // An existing folder keeps its mode, since users may share the folder on purpose. vrpd's umask
  // keeps the files that vrpd adds private.
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return absl::ErrnoToStatus(errno, Concat("make folder ", path.string()));
  }
  return EnsureDirectory(path.string());
}

absl::StatusOr<int> LockFile(const std::string& folder, const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return absl::ErrnoToStatus(errno, Concat("open ", path));
  absl::Cleanup closer = [descriptor] { close(descriptor); };
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return absl::ErrnoToStatus(errno, Concat("lock ", path));
    const absl::StatusOr<std::string> holder = ReadFile(path, kMaxLockFileBytes);
    return absl::FailedPreconditionError(
        Concat(folder, ": another vrpd uses this state folder (process ",
               holder.ok() && !holder->empty() ? Escaped(*holder) : "unknown",
               "); stop it, or choose another folder"));
  }
  const std::string process = Concat(getpid());
  // Only the message above uses the content, so a failed write does not matter.
  if (ftruncate(descriptor, 0) == 0) (void)!pwrite(descriptor, process.data(), process.size(), 0);
  std::move(closer).Cancel();
  return descriptor;
}

absl::Status CheckNoUnfinishedRestore(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder / kRestoringFolder, error)) return absl::OkStatus();
  return absl::FailedPreconditionError(Concat(
      folder.string(), ": a restore into this folder is unfinished: empty the folder and run ",
      "vrpd --restore again"));
}

// Whether `name` is an unfinished copy of the database, or an unfinished marker, of a daemon that
// crashed.
bool IsUnfinished(const std::string& name) {
  const std::string marker = Concat(kStateMarkerFile, ".");
  return name.starts_with(kCopyPrefix) || (name.starts_with(marker) && name.ends_with(".tmp"));
}

void RemoveUnfinished(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> unfinished;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (IsUnfinished(entry.path().filename().string())) unfinished.push_back(entry.path());
  }
  for (const fs::path& file : unfinished) fs::remove(file, error);
}

}  // namespace

absl::StatusOr<std::unique_ptr<StateFolder>> StateFolder::Open(const std::string& path) {
  if (path.empty())
    return absl::InvalidArgumentError("state folder: got an empty path, wanted that of a folder");
  fs::path folder = fs::path(path).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();  // for paths such as "state/"
  VRP_RETURN_IF_ERROR(MakePrivateFolder(folder));
  VRP_ASSIGN_OR_RETURN(const int lock, LockFile(path, (folder / "lock").string()));
  std::unique_ptr<StateFolder> state(new StateFolder(folder.string(), lock));
  VRP_RETURN_IF_ERROR(CheckNoUnfinishedRestore(folder));
  RemoveUnfinished(folder);
  VRP_RETURN_IF_ERROR(MakePrivateFolder(state->JobsPath()));
  return state;
}

StateFolder::~StateFolder() { close(lock_); }

std::string StateFolder::DatabasePath() const { return (fs::path(path_) / "jobs.db").string(); }

std::string StateFolder::JobsPath() const { return (fs::path(path_) / "jobs").string(); }

std::string StateFolder::JobPath(std::string_view job_id) const {
  return (fs::path(JobsPath()) / job_id).string();
}

std::string StateFolder::CheckpointPath(std::string_view job_id) const {
  return (fs::path(JobPath(job_id)) / "checkpoint").string();
}

std::string StateFolder::TrialModelPath(std::string_view job_id) const {
  return (fs::path(JobPath(job_id)) / "model").string();
}

std::string StateFolder::LabelsPath() const { return (fs::path(path_) / "labels").string(); }

std::string StateFolder::MatricesPath() const { return (fs::path(path_) / "matrices").string(); }

std::string StateFolder::DatasetsPath() const { return (fs::path(path_) / "datasets").string(); }

std::string StateFolder::TensorBoardPath() const {
  return (fs::path(path_) / "tensorboard").string();
}

std::string StateFolder::TensorBoardPath(std::string_view job_id) const {
  return (fs::path(TensorBoardPath()) / job_id).string();
}

std::string StateFolder::TemporaryCopyPath() const {
  return (fs::path(path_) / Concat(kCopyPrefix, NewId(), ".tmp")).string();
}

}  // namespace vrp
