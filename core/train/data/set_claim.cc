#include "core/train/data/set_claim.h"

#include <set>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "core/base/steady_cond_var.h"

namespace vrp {
namespace {

constexpr absl::Duration kPoll = absl::Milliseconds(20);  // a stop condition wakes no waiter
constexpr int kPollsPerReport = 50;

// The paths that runs of this process make now.
struct Claims {
  absl::Mutex mutex;
  SteadyCondVar freed;  // signals that a path was removed
  std::set<std::string> paths ABSL_GUARDED_BY(mutex);
};

Claims& ProcessClaims() {
  static Claims* const claims = new Claims();  // never destroyed, because threads may outlive main
  return *claims;
}

// Claims `path` if it is free within a poll.
bool TryClaim(const std::string& path) {
  Claims& claims = ProcessClaims();
  absl::MutexLock lock(&claims.mutex);
  const auto is_free = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(claims.mutex) {
    return !claims.paths.contains(path);
  };
  return claims.freed.WaitFor(&claims.mutex, kPoll, is_free) && claims.paths.insert(path).second;
}

}  // namespace

absl::StatusOr<std::unique_ptr<SetClaim>> SetClaim::Take(const std::string& path,
                                                         const StopCondition& stop,
                                                         const std::function<void()>& on_wait) {
  for (int polls = 1; !TryClaim(path); ++polls) {
    if (stop.ShouldStop()) {
      return absl::CancelledError("cancelled while another job made the labels");
    }
    if (polls % kPollsPerReport == 0 && on_wait != nullptr) on_wait();
  }
  return std::unique_ptr<SetClaim>(new SetClaim(path));
}

SetClaim::~SetClaim() {
  Claims& claims = ProcessClaims();
  absl::MutexLock lock(&claims.mutex);
  claims.paths.erase(path_);
  claims.freed.NotifyAll();
}

}  // namespace vrp
