// Builds responses and events of a daemon.
#pragma once

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "vrp/v1/solver_service.pb.h"
#include "vrp/v1/training_service.pb.h"

namespace vrp::client {

// Returns a feasible plan for "city" without a model: two routes over customers 1, 2 and 3, cost
// 110.5, reference cost 100.
v1::SolveResponse ASolveResponse();

// A function that sends an event of a watched training job. Returns false once the caller has
// disconnected.
using WriteEvent = absl::FunctionRef<bool(const v1::WatchTrainingJobResponse&)>;

v1::WatchTrainingJobResponse AStateEvent(int64_t sequence, v1::JobState state,
                                         const std::string& error = "");
v1::WatchTrainingJobResponse ALogEvent(int64_t sequence, const std::string& line);
v1::WatchTrainingJobResponse AProgressEvent(int64_t sequence, int64_t step);
v1::WatchTrainingJobResponse AHeartbeat();
// Returns the progress at step `step` of 100, in epoch 2 of 10. The validation cost is 6.32, the
// reference 6.59.
v1::TrainingProgress AProgress(int64_t step);

// Returns a status with a google.rpc.BadRequest of one violation.
absl::Status ABadRequest(absl::StatusCode code, const std::string& message,
                         const std::string& field, const std::string& description);

}  // namespace vrp::client
