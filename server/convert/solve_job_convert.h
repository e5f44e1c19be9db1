// Solve jobs and their events.
#pragma once

#include "core/jobs/job.h"
#include "vrp/v1/solve_job.pb.h"

namespace vrp {

v1::SolveProgress ToProto(const SolveProgress& progress);

// Builds what the store keeps of `request`, whose budget is set and whose input is `instance`, and
// the part of it that a SolveJob shows.
SolveSpec SolveSpecOf(const v1::SolveRequest& request, const Instance& instance);

// Without the answer, which the store keeps apart.
v1::SolveJob SolveJobToProto(const Job& job);
// Likewise.
v1::WatchSolveJobResponse SolveEventToProto(const JobEvent& event);

}  // namespace vrp
