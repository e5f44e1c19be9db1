#include "server/support/open_files.h"

#include <sys/resource.h>

#include <algorithm>

namespace vrp {
namespace {

constexpr int64_t kFilesPerGrpcConnection = 2;  // see Acceptor
constexpr int64_t kFilesPerHttpConnection = 1;
// Open files for databases, checkpoints, models, a running backup and connections to /metrics.
constexpr int64_t kOtherFiles = 256;

}  // namespace

int64_t RaiseOpenFileLimit() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) limit.rlim_cur = before;
  return static_cast<int64_t>(std::min<rlim_t>(limit.rlim_cur, INT64_MAX));
}

int32_t ConnectionsWithin(int32_t wanted, int64_t files, bool with_http) {
  const int64_t others = std::min(kOtherFiles, files / 2);
  const int64_t each = kFilesPerGrpcConnection + (with_http ? kFilesPerHttpConnection : 0);
  return static_cast<int32_t>(std::clamp<int64_t>((files - others) / each, 1, wanted));
}

}  // namespace vrp
