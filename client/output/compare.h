// Training jobs side by side.
#pragma once

#include <string>
#include <vector>

#include "client/output/json.h"
#include "vrp/v1/training_service.pb.h"

namespace vrp::client {

// A column a job; below what came of them, the settings in which they differ ("-": not stated).
// Ends with a line break.
std::string CompareText(const std::vector<v1::TrainingJob>& jobs);
Json CompareJson(const std::vector<v1::TrainingJob>& jobs);

}  // namespace vrp::client
