// The kinds of problems.
#pragma once

namespace vrp {

enum class ProblemKind {
  kTsp,    // one tour over all nodes, from node 0
  kCvrp,   // vehicles with capacities, and all other features but time windows
  kVrptw,  // as kCvrp, with time windows
};

}  // namespace vrp
