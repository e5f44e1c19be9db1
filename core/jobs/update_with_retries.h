// Stores changes of state that must not be lost.
#pragma once

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "core/base/stop_signal.h"
#include "core/jobs/job_store.h"

namespace vrp {

// Applies a change. Retries while the store cannot be written (disk full), until the daemon stops.
// Blocks.
absl::StatusOr<Job> UpdateWithRetries(JobStore& store, const StopSignal& stopping,
                                      const std::string& job_id,
                                      absl::FunctionRef<absl::Status(JobChange&)> change);

}  // namespace vrp
