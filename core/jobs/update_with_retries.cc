#include "core/jobs/update_with_retries.h"

#include <algorithm>

namespace vrp {
namespace {

// Wait before the first retry. Each further wait is twice as long, up to kMaxWait.
constexpr absl::Duration kFirstWait = absl::Milliseconds(100);
constexpr absl::Duration kMaxWait = absl::Seconds(30);

bool IsTransient(const absl::Status& status) {
  return absl::IsResourceExhausted(status) || absl::IsUnavailable(status);
}

}  // namespace

absl::StatusOr<Job> UpdateWithRetries(JobStore& store, const StopSignal& stopping,
                                      const std::string& job_id,
                                      absl::FunctionRef<absl::Status(JobChange&)> change) {
  absl::StatusOr<Job> job = store.Update(job_id, Durability::kFull, change);
  for (absl::Duration wait = kFirstWait; !job.ok() && IsTransient(job.status());
       wait = std::min(2 * wait, kMaxWait)) {
    if (stopping.WaitFor(wait)) break;
    job = store.Update(job_id, Durability::kFull, change);
  }
  return job;
}

}  // namespace vrp
