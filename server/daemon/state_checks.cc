#include "server/daemon/state_checks.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "core/base/file.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/jobs/recovery.h"
#include "server/support/logging.h"

namespace vrp {

absl::Status MakePrivateDirectory(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) == 0) {
    if ((status.st_mode & 0007) != 0) {
      LogWarning("users outside the owner and group can access the state folder",
                 {{.name = "folder", .value = path},
                  {.name = "remedy", .value = Concat("chmod 700 ", path)}});
    }
    return EnsureDirectory(path);
  }
  VRP_RETURN_IF_ERROR(EnsureDirectory(path));
  if (chmod(path.c_str(), 0700) == 0) return absl::OkStatus();
  return absl::PermissionDeniedError(Concat(
      "state folder ", Quoted(path), ": its mode cannot be set to 0700: ", std::strerror(errno),
      "; choose a folder of this user in --state-dir"));
}

void LogUnknownJobFolders(const JobBook& book) {
  for (const std::string& id : UnknownJobFolders(book.store(), book.folder())) {
    LogWarning("job folder kept, but the database has no such job",
               {{.name = "folder", .value = book.folder().JobPath(id)},
                {.name = "cause",
                 .value = "lost records or a restored older database; the folder is kept"}});
  }
}

}  // namespace vrp
