// What kind of problem an instance is.
#pragma once

namespace vrp {

enum class ProblemKind {
  kTsp,    // one tour over all nodes; node 0 is where it starts
  kCvrp,   // capacities (and backhauls, several depots, limits on duration, where given)
  kVrptw,  // as kCvrp, with time windows
};

}  // namespace vrp
