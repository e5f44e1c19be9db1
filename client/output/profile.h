// Where a training job's time went.
#pragma once

#include <string>

#include "client/output/json.h"
#include "vrp/v1/training_service.pb.h"

namespace vrp::client {

// Returns a table of the phases: wall time, which adds up to the job's, and thread time. For a job
// that has reported no step yet, a line that says so.
std::string ProfileText(const v1::TrainingJob& job);
Json ProfileJson(const v1::TrainingJob& job);

}  // namespace vrp::client
