// Beginning anew in a state folder whose jobs are lost.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "core/base/clock.h"

namespace vrp {

// Moves the job database and all folders of jobs into a fresh folder in `state_directory`, whose
// path it returns; nothing is deleted. Models, matrices and curves stay. After a crash it can be
// called again. Blocks. kNotFound: there is no such folder; kFailedPrecondition: a daemon uses it.
absl::StatusOr<std::string> ForgetJobs(const std::string& state_directory, const Clock& clock);

}  // namespace vrp
