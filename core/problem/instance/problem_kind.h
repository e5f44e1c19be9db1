// The kinds of problems.
#pragma once

namespace vrp {

// The kind of a problem.
enum class ProblemKind {
  kTsp,    // one tour over all nodes, from node 0
  kCvrp,   // vehicles with capacities; all other features except time windows
  kVrptw,  // like kCvrp, with time windows
};

}  // namespace vrp
