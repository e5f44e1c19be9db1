// Restarts a state folder whose job database is lost.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "core/base/clock.h"

namespace vrp {

// Moves the job database and all folders of jobs into a new folder in `state_directory` and returns
// its path. Deletes nothing; models, matrices and curves stay. It can be repeated after a crash.
// Blocks. kNotFound: there is no such folder. kFailedPrecondition: a daemon uses it.
absl::StatusOr<std::string> ForgetJobs(const std::string& state_directory, const Clock& clock);

}  // namespace vrp
