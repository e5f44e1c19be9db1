#include "core/problem/formats/vrplib/vrplib_type.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"

namespace vrp {
namespace {

// The types of CVRPLIB, TSPLIB, LKH and PyVRP. Vehicles, prizes, groups and similar data have
// sections of their own, which any type but TSP and ATSP may have.
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
    {.name = "GVRP", .section = "MUTUALLY_EXCLUSIVE_GROUP_SECTION"},
    {.name = "GTSP", .no_loads = true, .section = "MUTUALLY_EXCLUSIVE_GROUP_SECTION"},
    {.name = "CPTP", .section = "PRIZE_SECTION"},
    {.name = "PCVRP", .section = "PRIZE_SECTION"},
    {.name = "MTVRP"},
    {.name = "MTVRPR"},
    {.name = "VRPB", .backhauls_last = true, .section = "BACKHAUL_SECTION"},
    {.name = "VRPSPD", .section = "BACKHAUL_SECTION"},
    {.name = "VRPMPD", .section = "BACKHAUL_SECTION"},
    {.name = "CVRPTW", .windows = true, .metric = Metric::kDimacs},
    {.name = "VRPTW", .windows = true, .metric = Metric::kDimacs},
    {.name = "MDVRPTW", .windows = true, .metric = Metric::kScaled1000},
    {.name = "SDVRPTW", .windows = true, .metric = Metric::kScaled1000},
    {.name = "HFVRPTW", .windows = true, .metric = Metric::kDimacs},
    {.name = "PCVRPTW", .windows = true, .metric = Metric::kDimacs, .section = "PRIZE_SECTION"},
    {.name = "MTVRPTW", .windows = true, .metric = Metric::kDimacs},
    {.name = "MTVRPTWR", .windows = true, .metric = Metric::kDimacs},
    {.name = "VRPBTW",
     .windows = true,
     .backhauls_last = true,
     .metric = Metric::kDimacs,
     .section = "BACKHAUL_SECTION"},
    {.name = "VRPSPDTW", .windows = true, .metric = Metric::kDimacs, .section = "BACKHAUL_SECTION"},
    {.name = "VRPMPDTW", .windows = true, .metric = Metric::kDimacs, .section = "BACKHAUL_SECTION"},
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
