// What is looked at in a state folder before the daemon serves from it.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "core/jobs/job_book.h"

namespace vrp {

// Makes the folder for this user alone, where it is absent: checkpoints and configurations are
// nobody else's business. A warning where others may read one that is there.
absl::Status MakePrivateDirectory(const std::string& path);

// A warning for each folder of a job that the database does not know.
void WarnOfLostJobs(const JobBook& book);

}  // namespace vrp
