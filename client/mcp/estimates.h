// Estimates the remaining time of jobs.
#pragma once

#include <optional>

#include "vrp/v1/solve_job.pb.h"
#include "vrp/v1/training_service.pb.h"

namespace vrp::client::mcp {

// Returns the seconds until a running training job ends, by its pace and its limits. Returns
// nullopt for a job that is not running, or has no pace or number of steps yet.
std::optional<double> RemainingSeconds(const v1::TrainingJob& job);
// Returns the rest of the budget of a running solve job in seconds, otherwise nullopt.
std::optional<double> RemainingSeconds(const v1::SolveJob& job);

}  // namespace vrp::client::mcp
