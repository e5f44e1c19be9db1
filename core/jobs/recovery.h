// What a daemon does first with the jobs that its predecessor left.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/jobs/job_store.h"
#include "core/jobs/state_folder.h"
#include "core/registry/registry.h"

namespace vrp {

// A job that the daemon dies of must not take it down for ever.
struct CrashLimits {
  int32_t in_a_row = 3;  // without a new checkpoint
  int32_t in_all = 20;   // whatever it came to in between
};

// Jobs in PREPARING or RUNNING were interrupted by a crash (a graceful stop leaves them QUEUED):
// they are queued again, or put away as FAILED at the limits. CANCELLING becomes CANCELLED, PAUSING
// PAUSED, STOPPING waits to end with a model. A job whose model was published already becomes
// SUCCEEDED. Before the first job runs; blocks.
absl::Status RecoverJobs(JobStore& store, const Registry& registry, const CrashLimits& limits);

// Solve jobs that a crash interrupted are queued again. After `max_attempts` crashes without a
// better plan or a minute of search one that has a plan becomes STOPPING; one that has none, or
// crashes even then, FAILED. Gives those that are STOPPING: they only have to be ended.
absl::StatusOr<std::vector<Job>> RecoverSolveJobs(JobStore& store, int32_t max_attempts);

// Folders of jobs that the store does not know: it has lost them, or is an older copy of itself.
std::vector<std::string> UnknownJobFolders(const JobStore& store, const StateFolder& folder);

// Removes folders of jobs that need them no more, and of deleted ones, which a crash left.
void RemoveFinishedFolders(JobStore& store, const StateFolder& folder);

}  // namespace vrp
