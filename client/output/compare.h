// Compares training jobs.
#pragma once

#include <string>
#include <vector>

#include "client/output/json.h"
#include "vrp/v1/training_service.pb.h"

namespace vrp::client {

// Returns a table with one column per job: results, then the settings in which the jobs differ ("-"
// if not stated). The text ends with a line break.
std::string CompareText(const std::vector<v1::TrainingJob>& jobs);
Json CompareJson(const std::vector<v1::TrainingJob>& jobs);

}  // namespace vrp::client
