// Shows the time profile of a training job.
#pragma once

#include <string>

#include "client/output/json.h"
#include "vrp/v1/training_service.pb.h"

namespace vrp::client {

// Returns a table of the phases with wall time, which adds up to the job's, and thread time, then a
// sheet of the steps. Jobs of older daemons have only thread time. Returns a single line for a job
// without a measured step.
std::string ProfileText(const v1::TrainingJob& job);
Json ProfileJson(const v1::TrainingJob& job);

}  // namespace vrp::client
