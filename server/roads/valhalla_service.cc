#include "server/roads/valhalla_service.h"

#include <utility>

#include "absl/strings/str_format.h"
#include "core/base/status_macros.h"
#include "server/roads/polyline.h"
#include "server/roads/service_answer.h"

namespace vrp {
namespace {

constexpr size_t kValhallaMaxWaypoints = 20;  // max_locations of Valhalla's default configuration
constexpr double kMetresPerKilometre = 1000;

// Valhalla's error codes; see src/exceptions.cc of github.com/valhalla/valhalla.
constexpr int kTooManyLocations = 150;
constexpr int kTooFarApart = 154;
constexpr int kNoEdgesNear = 171;

std::string PlacesJson(std::span<const RoadPlace> places) {
  std::string json = "[";
  for (const RoadPlace& place : places) {
    const Position position = PositionOf(place);
    absl::StrAppendFormat(&json, "%s{\"lat\":%.6f,\"lon\":%.6f}", json.size() == 1 ? "" : ",",
                          position.y, position.x);
  }
  return json + "]";
}

std::string_view ValhallaRemedy(int code) {
  switch (code) {
    case kTooManyLocations:
      return "; lower block_size in road_networks, or raise max_matrix_location_pairs of Valhalla";
    case kTooFarApart:
      return "; raise max_matrix_distance of Valhalla, or leave out the locations that are far "
             "away";
    case kNoEdgesNear:
      return "; correct the coordinates, which are longitude, then latitude";
    default:
      return "";
  }
}

}  // namespace

ValhallaService::ValhallaService(const RoadNetworkOptions& options)
    : path_(options.url.path), costing_(options.profile) {}

RoadCall ValhallaService::TableCall(std::span<const RoadPlace> rows,
                                    std::span<const RoadPlace> columns) const {
  return {.target = path_ + "/sources_to_targets",
          .body = Concat("{\"sources\":", PlacesJson(rows), ",\"targets\":", PlacesJson(columns),
                         ",\"costing\":\"", costing_,
                         "\",\"units\":\"kilometers\",\"verbose\":false}")};
}

absl::StatusOr<RoadTable> ValhallaService::ReadTable(std::string_view answer, size_t rows,
                                                     size_t columns) const {
  VRP_ASSIGN_OR_RETURN(const nlohmann::json root, ParseAnswer(answer, rows * columns));
  const nlohmann::json& matrices = MemberOf(root, "sources_to_targets");
  RoadTable table;
  VRP_ASSIGN_OR_RETURN(table.durations,
                       ReadRows(MemberOf(matrices, "durations"), "durations", rows, columns, 1));
  VRP_ASSIGN_OR_RETURN(table.distances, ReadRows(MemberOf(matrices, "distances"), "distances", rows,
                                                 columns, kMetresPerKilometre));
  return table;
}

size_t ValhallaService::max_waypoints() const { return kValhallaMaxWaypoints; }

RoadCall ValhallaService::RouteCall(std::span<const RoadPlace> stops) const {
  return {.target = path_ + "/route",
          .body = Concat("{\"locations\":", PlacesJson(stops), ",\"costing\":\"", costing_,
                         "\",\"directions_type\":\"none\"}")};
}

absl::StatusOr<std::vector<RoadLine>> ValhallaService::ReadRoute(std::string_view answer,
                                                                 size_t legs) const {
  VRP_ASSIGN_OR_RETURN(const nlohmann::json root, ParseAnswer(answer, 0));
  const nlohmann::json& found = MemberOf(MemberOf(root, "trip"), "legs");
  if (!found.is_array() || found.size() != legs)
    return WrongAnswer("does not have ", legs, " legs");
  std::vector<RoadLine> lines;
  for (const nlohmann::json& leg : found) {
    const nlohmann::json& shape = MemberOf(leg, "shape");
    if (!shape.is_string()) return WrongAnswer("has a leg without a shape");
    absl::StatusOr<RoadLine> line = DecodePolyline(shape.get_ref<const std::string&>());
    if (!line.ok()) return WrongAnswer("has a shape that is wrong: ", line.status().message());
    lines.push_back(*std::move(line));
  }
  return lines;
}

absl::Status ValhallaService::ErrorOf(int http_status, std::string_view answer) const {
  const absl::StatusOr<nlohmann::json> root = ParseAnswer(answer, 0);
  const nlohmann::json code = root.ok() ? MemberOf(*root, "error_code") : nlohmann::json();
  if (!code.is_number_integer()) {
    return absl::FailedPreconditionError(
        Concat("it answers with HTTP status ", http_status,
               " and is not Valhalla; correct url and kind in road_networks"));
  }
  const auto number = code.get<int>();
  return absl::FailedPreconditionError(
      Concat("it answers error ", number, ": ", TextOf(*root, "error"), ValhallaRemedy(number)));
}

}  // namespace vrp
