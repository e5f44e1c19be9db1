// Recovers the jobs of the previous daemon, before the first job runs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/jobs/job_store.h"
#include "core/jobs/state_folder.h"
#include "core/registry/registry.h"

namespace vrp {

// Limits on a job's crashes. The daemon quarantines a job at either limit, so that the job cannot
// crash the daemon again and again.
struct CrashLimits {
  int32_t consecutive = 3;  // crashes without a new checkpoint
  int32_t total = 20;       // all crashes, regardless of progress in between
};

// Recovers training jobs. A crash interrupted the jobs in PREPARING, RUNNING or STOPPING, since a
// graceful stop leaves jobs QUEUED. Queues these jobs again, or quarantines them as FAILED at the
// limits. Jobs that were STOPPING end with a model once they run. Moves CANCELLING to CANCELLED and
// PAUSING to PAUSED. Moves jobs whose model was published already to SUCCEEDED. Blocks.
absl::Status RecoverJobs(JobStore& store, const Registry& registry, const CrashLimits& limits);

// Queues interrupted jobs of a kind that runs on a solver again, except those that are STOPPING. A
// better plan, a part of the result or a minute of search resets a job's count of crashes. After
// `max_attempts` crashes, a job becomes STOPPING if it has a result, otherwise FAILED. One more
// crash makes a job with a result FAILED too. Returns the STOPPING jobs, which the caller has to
// end.
absl::StatusOr<std::vector<Job>> RecoverSolveJobs(JobStore& store, JobKind kind,
                                                  int32_t max_attempts);
// Returns how an interrupted job of a kind that runs on a solver goes on.
std::string_view ResumeText(JobKind kind);

// Returns the names (job ids) of job folders without a job in the store. The store has lost these
// jobs or is an older copy.
std::vector<std::string> UnknownJobFolders(const JobStore& store, const StateFolder& folder);

// Removes folders that a crash left behind: those of deleted jobs and of jobs that no longer need
// them.
void RemoveFinishedFolders(JobStore& store, const StateFolder& folder);

}  // namespace vrp
