// Draws the results of a simulation.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "vrp/v1/simulation_service.pb.h"

namespace vrp::client {

// Returns an SVG document with the gap of each day and policy in percent, the days from left to
// right, and the mean gap of each policy as a line and in the legend. Returns kInvalidArgument if
// no day has a gap.
absl::StatusOr<std::string> PlotGaps(const v1::Simulation& simulation);

}  // namespace vrp::client
