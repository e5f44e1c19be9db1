// Converts simulations, their results and their events.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/dispatch/compare_policies.h"
#include "core/dispatch/day.h"
#include "core/dispatch/simulation.h"
#include "core/jobs/job.h"
#include "core/model/dispatch/dispatch_model.h"
#include "server/convert/dispatch_policy.h"
#include "vrp/v1/simulation_service.pb.h"

namespace vrp {

// The parts of a SimulationSpec that do not depend on its sites.
struct SimulationSettings {
  // A policy to simulate.
  struct Policy {
    std::string name;
    DispatchPolicySettings settings = {};
    std::shared_ptr<const DispatchModel> model = nullptr;  // the loaded settings.model
  };

  std::vector<Policy> policies = {};
  int32_t days = 0;  // of each site; 0: all days of the log
  uint64_t first_seed = 1;
  DayShape shape = {};
  SimulationOptions options = {};  // an empty fleet means any number of vehicles
  absl::Duration hindsight_time = {};
};

// Returns the settings with the defaults of the proto. Returns kInvalidArgument naming every wrong
// field.
absl::StatusOr<SimulationSettings> SimulationSettingsFromProto(const v1::SimulationSpec& message);

// A day of a simulation with its results.
struct ComparedDay {
  const DispatchDay& day;
  std::string site;   // its name
  uint64_t seed = 0;  // 0: from a log
  const PolicyComparison& comparison;
};
v1::SimulatedDayResults ToProto(const ComparedDay& day,
                                const std::vector<SimulationSettings::Policy>& policies);
// Returns the means over `days`.
v1::SimulationSummary SummaryOf(const std::vector<v1::SimulatedDayResults>& days,
                                const std::vector<SimulationSettings::Policy>& policies);

// Returns the stored form of a checked simulation and the part of it that a Simulation shows.
// spec.days must be the number of days of each site.
SolveSpec SolveSpecOf(const v1::SimulationSpec& spec, const std::vector<std::string>& site_names);

v1::SimulationProgress SimulationProgressToProto(const Job& job);
// Returns the message without days and summary, which the store keeps separately.
v1::Simulation SimulationToProto(const Job& job);
// Returns the event. A day or a summary is present but empty, because the store keeps them
// separately. `day_count` is the number of days of the simulation.
v1::WatchSimulationResponse SimulationEventToProto(const JobEvent& event, int32_t day_count);

}  // namespace vrp
