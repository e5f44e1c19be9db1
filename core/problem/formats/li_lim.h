// Reads Li and Lim's files of pickups and deliveries (Li and Lim, A metaheuristic for the pickup
// and delivery problem with time windows, 2001).
//
// The first row is `vehicles capacity speed`. A row follows for each task, the depot first: `number
// x y demand ready due service pickup delivery`. A pickup names its delivery, and a delivery names
// its pickup.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "core/problem/instance/instance.h"

namespace vrp {

// Reads one file. Each pickup and its delivery become a shipment.
absl::StatusOr<Instance> ParseLiLim(std::string_view text, std::string_view name);

}  // namespace vrp
