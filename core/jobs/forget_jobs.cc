#include "core/jobs/forget_jobs.h"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <system_error>

#include "absl/time/time.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/jobs/state_folder.h"
#include "core/jobs/state_marker.h"
#include "core/registry/publish.h"

namespace vrp {
namespace {

namespace fs = std::filesystem;

absl::StatusOr<fs::path> CreateTargetFolder(const fs::path& state, absl::Time now) {
  const fs::path target =
      state / Concat("forgotten-", absl::FormatTime("%Y%m%dT%H%M%E3SZ", now, absl::UTCTimeZone()));
  if (mkdir(target.c_str(), 0700) == 0) return target;
  return absl::ErrnoToStatus(errno, Concat("make folder ", target.string()));
}

}  // namespace

absl::StatusOr<std::string> ForgetJobs(const std::string& state_directory, const Clock& clock) {
  std::error_code error;
  if (!fs::is_directory(state_directory, error)) {
    return absl::NotFoundError(Concat(state_directory, ": there is no such folder"));
  }
  VRP_ASSIGN_OR_RETURN(const std::unique_ptr<StateFolder> folder,
                       StateFolder::Open(state_directory));
  const fs::path state = folder->path();
  VRP_ASSIGN_OR_RETURN(const fs::path target, CreateTargetFolder(state, clock.Now()));
  const fs::path database = folder->DatabasePath();
  // The marker moves last. Until then, daemons do not mistake the remaining files for a new folder.
  for (const fs::path& path :
       {fs::path(folder->JobsPath()), fs::path(database.string() + "-wal"),
        fs::path(database.string() + "-shm"), database, state / kStateMarkerFile}) {
    if (!fs::exists(path, error)) continue;
    VRP_RETURN_IF_ERROR(MoveFolder(path.string(), (target / path.filename()).string()));
  }
  VRP_RETURN_IF_ERROR(SyncPath(state.string()));
  return target.string();
}

}  // namespace vrp
