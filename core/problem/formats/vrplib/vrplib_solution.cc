#include "core/problem/formats/vrplib/vrplib_solution.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/problem/formats/text/reader_support.h"
#include "core/problem/formats/text/text_scanner.h"
#include "core/problem/plan/plan_value.h"

namespace vrp {
namespace {

// Returns the type of the `position`-th vehicle, counting through the types in their order. An
// unlimited type includes all further positions. So does the last type; the checker reports the
// excess.
int32_t VehicleTypeAt(const Instance& instance, int64_t position) {
  const auto vehicles = instance.vehicles();
  for (size_t type = 0; type < vehicles.size(); ++type) {
    if (vehicles[type].count == 0 || position < vehicles[type].count) {
      return static_cast<int32_t>(type);
    }
    position -= vehicles[type].count;
  }
  return vehicles.empty() ? 0 : static_cast<int32_t>(vehicles.size()) - 1;
}

// First words of lines in published files. The reader skips these lines.
constexpr std::array<std::string_view, 12> kSkippedHeadings = {
    "AUTHOR", "AUTHORS", "COMMENT", "DATE",      "INSTANCE", "NAME",
    "NOTE",   "OPTIMAL", "PROBLEM", "REFERENCE", "SOLUTION", "TIME"};

bool IsSkippedHeading(std::string_view word) {
  return std::find(kSkippedHeadings.begin(), kSkippedHeadings.end(), UpperCase(word)) !=
         kSkippedHeadings.end();
}

class RouteListReader {
 public:
  RouteListReader(std::string_view text, std::string_view name, const Instance& instance)
      : scanner_(text, name), instance_(instance) {}

  absl::StatusOr<SolutionFile> Run() && {
    while (const std::optional<std::string_view> line = scanner_.NextLine()) {
      const std::string_view word = line->substr(0, line->find_first_of(": \t"));
      const std::string_view rest = Trimmed(line->substr(word.size()));
      if (word == "Route" || word == "route") {
        VRP_RETURN_IF_ERROR(ReadRoute(rest));
      } else if (word == "Cost" || word == "cost") {
        VRP_RETURN_IF_ERROR(ReadCost(rest));
      } else if (!IsSkippedHeading(word)) {
        return scanner_.Error("got ", Quoted(*line), ", wanted `Route #1: 5 3 7` or `Cost 375`");
      }
    }
    if (file_.plan.empty()) return scanner_.Error("no route, wanted `Route #1: 5 3 7`");
    return std::move(file_);
  }

 private:
  absl::Status ReadRoute(std::string_view rest) {
    const auto position = static_cast<int64_t>(file_.plan.size());
    file_.lines.push_back(scanner_.line());
    const size_t colon = rest.find(':');
    std::string_view number = Trimmed(rest.substr(0, colon));
    if (number.starts_with("#")) number = Trimmed(number.substr(1));
    VRP_ASSIGN_OR_RETURN(const std::optional<int32_t> type, TakeType(number));
    if (colon == rest.npos || ParseInteger(number) != position + 1) {
      return scanner_.Error("got route ", Quoted(rest.substr(0, colon)), ", wanted `Route #",
                            position + 1, ":`");
    }
    PlannedRoute route{.vehicle_type = type.value_or(VehicleTypeAt(instance_, position))};
    std::string_view numbers = Trimmed(rest.substr(colon + 1));
    while (!numbers.empty()) {
      const std::string_view word = numbers.substr(0, numbers.find_first_of(" \t"));
      const std::optional<int64_t> node = ParseInteger(word);
      if (!node.has_value() || *node < 0 || *node > kMaxNodes) {
        return scanner_.Error("Route #", position + 1, ": got ", Quoted(word),
                              ", wanted the number of a customer");
      }
      route.customers.push_back(static_cast<NodeIndex>(*node));
      numbers = Trimmed(numbers.substr(word.size()));
    }
    file_.plan.push_back(std::move(route));
    return absl::OkStatus();
  }

  // Parses `3 (type 1)`: returns the type and leaves `3` in `number`.
  absl::StatusOr<std::optional<int32_t>> TakeType(std::string_view& number) const {
    const size_t open = number.find('(');
    if (open == number.npos) return std::nullopt;
    std::string_view type = number.substr(open);
    number = Trimmed(number.substr(0, open));
    const std::string shown = Quoted(type);
    std::optional<int64_t> index;
    if (type.starts_with("(type ") && type.ends_with(")")) {
      index = ParseInteger(Trimmed(type.substr(6, type.size() - 7)));
    }
    const int64_t types = std::max<int64_t>(1, std::ssize(instance_.vehicles()));
    if (!index.has_value() || *index < 0 || *index >= types) {
      return scanner_.Error("got ", shown, ", wanted `(type 0)` to `(type ", types - 1, ")`");
    }
    return static_cast<int32_t>(*index);
  }

  absl::Status ReadCost(std::string_view rest) {
    if (file_.cost.has_value()) return scanner_.Error("Cost: given twice, wanted once");
    if (rest.starts_with(":")) rest = Trimmed(rest.substr(1));
    file_.cost = ParseNumber(rest);
    if (file_.cost.has_value()) return absl::OkStatus();
    return scanner_.Error("Cost: got ", Quoted(rest), ", wanted a finite number");
  }

  TextScanner scanner_;
  const Instance& instance_;
  SolutionFile file_;
};

// A reader of a tour in TSPLIB's TOUR_SECTION, from the first node on. In LKH's files for several
// vehicles, the depot ends a route. So does a number above all node numbers, which represents the
// depot.
class TourReader {
 public:
  TourReader(std::string_view text, std::string_view name, const Instance& instance)
      : scanner_(text, name), instance_(instance) {}

  absl::StatusOr<SolutionFile> Run() && {
    while (scanner_.NextLine() != kTourSection) {
    }
    const bool tsp = instance_.kind() == ProblemKind::kTsp;
    const int64_t highest = tsp ? instance_.num_nodes() : int64_t{2} * kMaxNodes;
    std::vector<Visit> tour;
    while (scanner_.PeekWord().value_or("EOF") != "EOF") {
      VRP_ASSIGN_OR_RETURN(const int64_t number,
                           scanner_.NextInteger(kTourSection, "a node number, or -1 at the end"));
      if (number == -1) break;
      if (number < 1 || number > highest) {
        return scanner_.Error(
            kTourSection, ": got node ", number, ", wanted 1 to ", highest,
            tsp ? "" : Concat("; numbers above ", instance_.num_nodes(), " represent the depot"));
      }
      const int64_t node = number > instance_.num_nodes() ? 0 : number - 1;
      tour.push_back({static_cast<NodeIndex>(node), scanner_.line()});
    }
    const auto depot =
        std::find_if(tour.begin(), tour.end(), [](const Visit& visit) { return visit.node == 0; });
    if (depot == tour.end())
      return scanner_.Error(kTourSection, ": has no node 1, wanted all nodes");
    std::rotate(tour.begin(), depot, tour.end());
    SolutionFile file;
    for (const auto& [node, line] : tour) {
      if (node == 0) {
        const int64_t position = std::ssize(file.plan);
        file.plan.push_back({.vehicle_type = VehicleTypeAt(instance_, position)});
        file.lines.push_back(line);
      } else {
        file.plan.back().customers.push_back(node);
      }
    }
    return file;
  }

  static constexpr std::string_view kTourSection = "TOUR_SECTION";

 private:
  struct Visit {
    NodeIndex node = 0;
    int64_t line = 0;
  };

  TextScanner scanner_;
  const Instance& instance_;
};

bool IsTour(std::string_view text) {
  TextScanner scanner(text, "");
  while (const auto line = scanner.NextLine()) {
    if (line == TourReader::kTourSection) return true;
    if (line->starts_with("Route")) return false;
  }
  return false;
}

// Returns the routes in the order of their vehicle types. Adds empty routes for the unused vehicles
// before a used type, so that the positions of most routes imply their types.
Plan RoutesByVehicle(const Instance& instance, const Plan& plan) {
  Plan routes;
  size_t vehicles = 0;  // vehicles of the types up to the current one
  const size_t types = std::max<size_t>(instance.vehicles().size(), 1);
  for (size_t type = 0; type < types; ++type) {
    bool used = false;
    for (const PlannedRoute& route : plan) {
      if (route.customers.empty() || static_cast<size_t>(route.vehicle_type) != type) continue;
      if (!used) routes.resize(std::max(routes.size(), vehicles));
      used = true;
      routes.push_back(route);
    }
    if (type < instance.vehicles().size()) {
      vehicles += static_cast<size_t>(instance.vehicles()[type].count);
    }
  }
  return routes;
}

}  // namespace

absl::StatusOr<SolutionFile> ParseVrplibSolution(std::string_view text, std::string_view name,
                                                 const Instance& instance) {
  VRP_RETURN_IF_ERROR(CheckTextSize(text, name));
  if (IsTour(text)) return TourReader(text, name, instance).Run();
  return RouteListReader(text, name, instance).Run();
}

std::string WriteVrplibSolution(const Instance& instance, const Plan& plan) {
  std::string text;
  int64_t number = 0;
  for (const PlannedRoute& route : RoutesByVehicle(instance, plan)) {
    const bool is_implied =
        route.customers.empty() || VehicleTypeAt(instance, number) == route.vehicle_type;
    const std::string type = is_implied ? "" : Concat(" (type ", route.vehicle_type, ")");
    text += Concat("Route #", ++number, type, ":");
    for (const NodeIndex node : route.customers) text += Concat(" ", node);
    text += "\n";
  }
  return text + Concat("Cost ", FormatNumber(PlanCost(instance, plan)), "\n");
}

}  // namespace vrp
