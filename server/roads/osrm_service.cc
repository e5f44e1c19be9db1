#include "server/roads/osrm_service.h"

#include <iterator>
#include <utility>

#include "absl/strings/str_format.h"
#include "core/base/status_macros.h"
#include "server/roads/polyline.h"
#include "server/roads/service_answer.h"

namespace vrp {
namespace {

// osrm-routed takes 500 stops (--max-viaroute-size). Fewer keep its answers small.
constexpr size_t kOsrmMaxWaypoints = 100;

void AppendPlaces(std::span<const RoadPlace> places, std::string& target) {
  for (const RoadPlace& place : places) {
    const Position position = PositionOf(place);
    absl::StrAppendFormat(&target, "%s%.6f,%.6f", target.back() == '/' ? "" : ";", position.x,
                          position.y);
  }
}

void AppendNumbers(size_t first, size_t end, std::string& target) {
  for (size_t i = first; i < end; ++i) {
    target += Concat(i == first ? "" : ";", i);
  }
}

// Returns the distances of the rows' places to their roads, or nothing if the answer lacks one.
std::vector<double> MetresToRoad(const nlohmann::json& waypoints, size_t rows) {
  std::vector<double> metres;
  if (!waypoints.is_array() || waypoints.size() != rows) return metres;
  for (const nlohmann::json& waypoint : waypoints) {
    const nlohmann::json& distance = MemberOf(waypoint, "distance");
    if (!distance.is_number()) return {};
    metres.push_back(distance.get<double>());
  }
  return metres;
}

// Returns the line of a leg, whose steps each begin where the previous one ended.
absl::StatusOr<RoadLine> LineOf(const nlohmann::json& leg) {
  RoadLine line;
  const nlohmann::json& steps = MemberOf(leg, "steps");
  if (!steps.is_array()) return WrongAnswer("has a leg without steps");
  for (const nlohmann::json& step : steps) {
    const nlohmann::json& geometry = MemberOf(step, "geometry");
    if (!geometry.is_string()) return WrongAnswer("has a step without a geometry");
    absl::StatusOr<RoadLine> part = DecodePolyline(geometry.get_ref<const std::string&>());
    if (!part.ok()) return WrongAnswer("has a geometry that is wrong: ", part.status().message());
    auto begin = part->begin();
    if (!line.empty() && begin != part->end() && *begin == line.back()) ++begin;
    line.insert(line.end(), begin, part->end());
  }
  return line;
}

std::string_view OsrmRemedy(std::string_view code) {
  if (code == "TooBig") {
    return "; lower block_size in road_networks, or raise osrm-routed --max-table-size";
  }
  if (code == "InvalidService" || code == "InvalidUrl" || code == "InvalidVersion") {
    return "; correct url in road_networks";
  }
  if (code == "NotImplemented" || code == "DisabledDataset") {
    return "; start osrm-routed with all of its data sets";
  }
  return "";
}

}  // namespace

OsrmService::OsrmService(const RoadNetworkOptions& options)
    : path_(options.url.path), profile_(options.profile) {}

RoadCall OsrmService::TableCall(std::span<const RoadPlace> rows,
                                std::span<const RoadPlace> columns) const {
  std::string target = Concat(path_, "/table/v1/", profile_, "/");
  AppendPlaces(rows, target);
  AppendPlaces(columns, target);
  target += "?annotations=duration,distance&generate_hints=false&sources=";
  AppendNumbers(0, rows.size(), target);
  target += "&destinations=";
  AppendNumbers(rows.size(), rows.size() + columns.size(), target);
  return {.target = std::move(target), .body = {}};
}

absl::StatusOr<RoadTable> OsrmService::ReadTable(std::string_view answer, size_t rows,
                                                 size_t columns) const {
  VRP_ASSIGN_OR_RETURN(const nlohmann::json root, ParseAnswer(answer, rows * columns));
  if (TextOf(root, "code") != "Ok") return ErrorOf(200, answer);
  RoadTable table;
  VRP_ASSIGN_OR_RETURN(table.durations,
                       ReadRows(MemberOf(root, "durations"), "durations", rows, columns, 1));
  VRP_ASSIGN_OR_RETURN(table.distances,
                       ReadRows(MemberOf(root, "distances"), "distances", rows, columns, 1));
  table.metres_to_road = MetresToRoad(MemberOf(root, "sources"), rows);
  return table;
}

size_t OsrmService::max_waypoints() const { return kOsrmMaxWaypoints; }

RoadCall OsrmService::RouteCall(std::span<const RoadPlace> stops) const {
  std::string target = Concat(path_, "/route/v1/", profile_, "/");
  AppendPlaces(stops, target);
  target += "?overview=false&steps=true&geometries=polyline6&generate_hints=false";
  return {.target = std::move(target), .body = {}};
}

absl::StatusOr<std::vector<RoadLine>> OsrmService::ReadRoute(std::string_view answer,
                                                             size_t legs) const {
  VRP_ASSIGN_OR_RETURN(const nlohmann::json root, ParseAnswer(answer, 0));
  if (TextOf(root, "code") != "Ok") return ErrorOf(200, answer);
  const nlohmann::json& routes = MemberOf(root, "routes");
  const nlohmann::json& found =
      MemberOf(routes.is_array() && !routes.empty() ? routes.front() : routes, "legs");
  if (!found.is_array() || found.size() != legs)
    return WrongAnswer("does not have ", legs, " legs");
  std::vector<RoadLine> lines;
  for (const nlohmann::json& leg : found) {
    VRP_ASSIGN_OR_RETURN(lines.emplace_back(), LineOf(leg));
  }
  return lines;
}

absl::Status OsrmService::ErrorOf(int http_status, std::string_view answer) const {
  const absl::StatusOr<nlohmann::json> root = ParseAnswer(answer, 0);
  const std::string code = root.ok() ? TextOf(*root, "code") : "";
  if (code.empty()) {
    return absl::FailedPreconditionError(Concat("it answers with HTTP status ", http_status,
                                                " and is not OSRM; correct url and kind ",
                                                "in road_networks"));
  }
  return absl::FailedPreconditionError(
      Concat("it answers ", code, ": ", TextOf(*root, "message"), OsrmRemedy(code)));
}

}  // namespace vrp
