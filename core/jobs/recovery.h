// What a daemon does first with the jobs that its predecessor left.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/jobs/job_store.h"
#include "core/jobs/state_folder.h"
#include "core/registry/registry.h"

namespace vrp {

// Jobs in PREPARING or RUNNING were interrupted by a crash (a graceful stop leaves them QUEUED):
// they are queued again, or FAILED after `max_attempts` crashes without a new checkpoint.
// CANCELLING becomes CANCELLED, PAUSING PAUSED. A job whose model was published already becomes
// SUCCEEDED. Before the first job runs; blocks.
absl::Status RecoverJobs(JobStore& store, const Registry& registry, int32_t max_attempts);

// Solve jobs that a crash interrupted are queued again. After `max_attempts` crashes without a
// better plan or a minute of search one that has a plan becomes STOPPING; one that has none, or
// crashes even then, FAILED. Gives those that are STOPPING: they only have to be ended.
absl::StatusOr<std::vector<Job>> RecoverSolveJobs(JobStore& store, int32_t max_attempts);

// Removes folders of jobs that need them no more, which a crash left.
void RemoveFinishedFolders(const JobStore& store, const StateFolder& folder);

}  // namespace vrp
