// Converts solve jobs and their events.
#pragma once

#include "core/jobs/job.h"
#include "vrp/v1/solve_job.pb.h"

namespace vrp {

v1::SolveProgress ToProto(const SolveProgress& progress);

// Returns the stored form of `request` and the part of it that a SolveJob shows. The request must
// state a budget, and its input is `instance`.
SolveSpec SolveSpecOf(const v1::SolveRequest& request, const Instance& instance);

// Returns the message without the response, which the store keeps separately.
v1::SolveJob SolveJobToProto(const Job& job);
// Returns the event. The response is present but empty, because the store keeps it separately.
v1::WatchSolveJobResponse SolveEventToProto(const JobEvent& event);

}  // namespace vrp
