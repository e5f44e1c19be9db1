#include "core/problem/vrplib_type.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"

namespace vrp {
namespace {

// CVRPLIB's, TSPLIB's, LKH's and PyVRP's. Vehicles, prizes, groups and the like are said by
// sections of their own, whatever the type.
constexpr std::array<VrplibType, 32> kVrplibTypes = {{
    {.name = "TSP", .tour = true},
    {.name = "ATSP", .tour = true},
    {.name = "CVRP"},
    {.name = "ACVRP"},
    {.name = "VRP"},
    {.name = "DCVRP"},
    {.name = "ADCVRP"},
    {.name = "OVRP", .open_end = true},
    {.name = "MDVRP"},
    {.name = "HVRP", .metric = Metric::kExact},
    {.name = "HFVRP", .metric = Metric::kExact},
    {.name = "GVRP"},
    {.name = "GTSP", .weightless = true},
    {.name = "CPTP"},
    {.name = "PCVRP"},
    {.name = "MTVRP"},
    {.name = "MTVRPR"},
    {.name = "VRPB", .backhauls_last = true},
    {.name = "VRPSPD"},
    {.name = "VRPMPD"},
    {.name = "CVRPTW", .windows = true, .metric = Metric::kDimacs},
    {.name = "VRPTW", .windows = true, .metric = Metric::kDimacs},
    {.name = "MDVRPTW", .windows = true, .metric = Metric::kScaled1000},
    {.name = "SDVRPTW", .windows = true, .metric = Metric::kScaled1000},
    {.name = "HFVRPTW", .windows = true, .metric = Metric::kDimacs},
    {.name = "PCVRPTW", .windows = true, .metric = Metric::kDimacs},
    {.name = "MTVRPTW", .windows = true, .metric = Metric::kDimacs},
    {.name = "MTVRPTWR", .windows = true, .metric = Metric::kDimacs},
    {.name = "VRPBTW", .windows = true, .backhauls_last = true, .metric = Metric::kDimacs},
    {.name = "VRPSPDTW", .windows = true, .metric = Metric::kDimacs},
    {.name = "VRPMPDTW", .windows = true, .metric = Metric::kDimacs},
    {.name = "PDPTW", .windows = true, .pairs = true, .metric = Metric::kExact},
}};

}  // namespace

const VrplibType* FindVrplibType(std::string_view name) {
  const auto* const found =
      std::find_if(kVrplibTypes.begin(), kVrplibTypes.end(),
                   [name](const VrplibType& type) { return type.name == name; });
  return found == kVrplibTypes.end() ? nullptr : found;
}

std::string VrplibTypeNames() {
  std::string names;
  for (const VrplibType& type : kVrplibTypes) {
    names += Concat(names.empty() ? "" : ", ", type.name);
  }
  return names;
}

}  // namespace vrp
