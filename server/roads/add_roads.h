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

// Returns `plain`, an instance without matrices for the vehicles that name networks, with their
// matrices. Gets each network's matrices once, for the distinct places of all nodes.
//
// Returns kInvalidArgument with a field violation for planar coordinates, a matrix beside a
// network, too many places, an unknown network, and places that no road joins:
// `road_network: no road joins customers[3] and customers[7] on road_network car`. Returns the
// other errors of the source unchanged.
absl::StatusOr<Instance> AddRoads(const Instance& plain, const RoadNames& names, RoadSource& source,
                                  const StopCondition& stop);

// Returns why places cannot be used together, or an empty text. `place_names` names each place in
// the message. Names at most five places or pairs.
std::string UnjoinedPlaces(const RoadMatrices& matrices,
                           const std::vector<std::string>& place_names, std::string_view network);

// Returns the matrices, or the errors of the source with the field that named the network.
absl::StatusOr<std::shared_ptr<const RoadMatrices>> JoinedMatrices(
    RoadSource& source, std::string_view field, std::string_view network,
    const std::vector<RoadPlace>& places, const std::vector<std::string>& place_names,
    const StopCondition& stop);

}  // namespace vrp
