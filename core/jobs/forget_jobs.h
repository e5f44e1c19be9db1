// Restarts a state folder whose job database is lost.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "core/base/clock.h"

namespace vrp {

// Moves the job database, its marker and all folders of jobs into a new folder in
// `state_directory`. Returns the path of the new folder. Deletes nothing; models, matrices,
// datasets, labels and curves stay. After a crash, the call can be repeated. Blocks. Returns
// kNotFound if there is no such folder, and kFailedPrecondition if a daemon uses it.
absl::StatusOr<std::string> ForgetJobs(const std::string& state_directory, const Clock& clock);

}  // namespace vrp
