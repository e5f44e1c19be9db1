// Checks the state folder before the daemon serves.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "core/jobs/job_book.h"

namespace vrp {

// Creates the folder with access for this user only. If the folder exists and users outside
// its owner and group can access it, logs a warning. Returns the errors of EnsureDirectory, and
// kPermissionDenied if the mode cannot be set.
absl::Status MakePrivateDirectory(const std::string& path);

// Logs a warning for each job folder that the database does not know.
void LogUnknownJobFolders(const JobBook& book);

}  // namespace vrp
