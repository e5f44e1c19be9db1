#include "server/access/private_file.h"

#include <sys/stat.h>

#include "core/base/file.h"
#include "core/base/text.h"

namespace vrp {
namespace {

constexpr int64_t kMaxPrivateFileBytes = 1 << 20;

}  // namespace

absl::StatusOr<std::string> ReadPrivateFile(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && (status.st_mode & 0007) != 0) {
    return absl::PermissionDeniedError(
        Concat(path, ": users outside its owner and group have access, wanted none (mode ",
               absl::Hex(status.st_mode >> 6 & 7), absl::Hex(status.st_mode >> 3 & 7),
               absl::Hex(status.st_mode & 7), "); chmod o-rwx ", path));
  }
  return ReadFile(path, kMaxPrivateFileBytes);
}

}  // namespace vrp
