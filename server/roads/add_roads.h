// Replaces the distances of an instance by those of road networks.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/stop.h"
#include "core/problem/instance/instance.h"
#include "server/roads/road_names.h"
#include "server/roads/road_source.h"

namespace vrp {

// Returns `plain` with the matrices of the networks that `names` states. Gets each network's
// matrices once, for the distinct places of all nodes.
//
// Returns kInvalidArgument with a field violation for planar coordinates, unknown units and a
// matrix beside a network. Also returns it for too many places or matrices, an unknown network, and
// places that are far from any road or that no road joins: `road_network: no road joins
// customers[3] and customers[7] on road_network car`. Returns the other errors of the source
// unchanged.
absl::StatusOr<Instance> AddRoads(const Instance& plain, const RoadNames& names, RoadSource& source,
                                  const StopCondition& stop);

// Returns the reason why the places cannot be used together, or an empty text. A place may be far
// from any road, or no road may lead from one place to another. `place_names` names
// each place in the message. Names at most five places or pairs.
std::string UnjoinedPlaces(const RoadMatrices& matrices,
                           const std::vector<std::string>& place_names, std::string_view network);

// Returns the matrices of `network` between `places`. Returns kInvalidArgument naming `field` for
// an unknown network and for the reasons of UnjoinedPlaces. Returns the other errors of the source
// unchanged.
absl::StatusOr<std::shared_ptr<const RoadMatrices>> JoinedMatrices(
    RoadSource& source, std::string_view field, std::string_view network,
    const std::vector<RoadPlace>& places, const std::vector<std::string>& place_names,
    const StopCondition& stop);

}  // namespace vrp
