// Recovers the jobs of a daemon that ended, before the first job runs.
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

// The number of crashes after which a job is quarantined, so that it cannot crash the daemon for
// ever.
struct CrashLimits {
  int32_t in_a_row = 3;  // without a new checkpoint
  int32_t in_all = 20;   // regardless of progress in between
};

// Recovers training jobs. Jobs in PREPARING or RUNNING were interrupted by a crash (a graceful stop
// leaves them QUEUED): they are queued again, or quarantined as FAILED at the limits. CANCELLING
// becomes CANCELLED, PAUSING PAUSED, and STOPPING waits to end with a model. A job whose model was
// published already becomes SUCCEEDED. Blocks.
absl::Status RecoverJobs(JobStore& store, const Registry& registry, const CrashLimits& limits);

// Queues interrupted solve jobs again. After `max_attempts` crashes without a better plan or a
// minute of search, one with a plan becomes STOPPING; one without a plan, or that crashes even
// then, FAILED. Returns the jobs that are STOPPING, which the caller has to end.
absl::StatusOr<std::vector<Job>> RecoverSolveJobs(JobStore& store, int32_t max_attempts);

// Returns folders of jobs that the store does not know: it lost them, or is an older copy of
// itself.
std::vector<std::string> UnknownJobFolders(const JobStore& store, const StateFolder& folder);

// Removes folders that a crash left behind: of deleted jobs and of jobs that no longer need them.
void RemoveFinishedFolders(JobStore& store, const StateFolder& folder);

}  // namespace vrp
