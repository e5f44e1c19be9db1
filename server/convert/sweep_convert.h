// Converts sweeps, their trials and their events.
#pragma once

#include "absl/status/statusor.h"
#include "core/jobs/job.h"
#include "core/jobs/sweep/sweep_manager.h"
#include "core/jobs/sweep/sweep_plan.h"
#include "core/jobs/sweep/trial_result.h"
#include "vrp/v1/sweep_service.pb.h"

namespace vrp {

// Returns the request of a message. `default_device` applies if it names none. Returns
// kInvalidArgument if a text is absent or too long, or a limit or label is wrong.
absl::StatusOr<SweepRequest> SweepRequestFromProto(const v1::SweepSpec& message,
                                                   const std::string& default_device);

// Returns the part of a sweep's message that the store keeps as its summary.
v1::Sweep SweepSummary(const v1::SweepSpec& spec, const SweepPlan& plan);
// Returns the message of a stored sweep without its trials.
v1::Sweep SweepToProto(const Job& job);
// Adds the trials to the message.
void AddTrials(const SweepState& state, v1::Sweep& message);

// Returns a trial. `plan` has its settings.
v1::SweepTrial ToProto(const TrialResult& result, const SweepPlan& plan);
// Returns the message of a sweep's event. The caller sets `trial` of a kPart event and `result` of
// a kAnswer event.
v1::WatchSweepResponse SweepEventToProto(const JobEvent& event);

}  // namespace vrp
