// Answers as a daemon would give them.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "vrp/v1/solver_service.pb.h"
#include "vrp/v1/training_service.pb.h"

namespace vrp::client {

// Two routes over customers 1, 2 and 3 of "city", cost 110.5 against 100: feasible, without a
// model.
v1::SolveResponse ASolveResponse();

v1::WatchTrainingJobResponse AStateEvent(int64_t sequence, v1::JobState state,
                                         const std::string& error = "");
v1::WatchTrainingJobResponse ALogEvent(int64_t sequence, const std::string& line);
v1::WatchTrainingJobResponse AProgressEvent(int64_t sequence, int64_t step);
v1::WatchTrainingJobResponse AHeartbeat();
// Step `step` of 100, epoch 2 of 10, validated at 6.32 against 6.59.
v1::TrainingProgress AProgress(int64_t step);

// A status with google.rpc.BadRequest of one violation.
absl::Status ABadRequest(absl::StatusCode code, const std::string& message,
                         const std::string& field, const std::string& description);

}  // namespace vrp::client
