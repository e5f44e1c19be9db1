#include "core/habits/route_line.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "absl/time/civil_time.h"
#include "core/base/json.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/instance/choices.h"
#include "core/problem/instance/instance_data.h"

namespace vrp {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 5> kRouteKeys = {"day", "driver", "coordinates", "depot",
                                                        "stops"};
constexpr std::array<std::string_view, 5> kStopKeys = {"id", "x", "y", "demand", "window"};
constexpr std::array<std::string_view, 2> kDepotKeys = {"x", "y"};
// Bounds a line, so that a file that is not a history is refused early.
constexpr JsonLimits kRouteLimits = {
    .max_bytes = 4 << 20, .max_depth = 4, .max_containers = 30'000, .max_values = 100'000};
constexpr absl::CivilDay kFirstDay(1970, 1, 1);

std::string ShownValue(const Json& value) {
  return Quoted(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

absl::Status WrongPart(std::string_view field, std::string_view problem) {
  return absl::InvalidArgumentError(Concat(field, ": ", problem));
}

absl::Status CheckKeysOf(const Json& json, std::span<const std::string_view> keys,
                         std::string_view prefix) {
  for (const auto& [key, value] : json.items()) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    std::string wanted;
    for (const std::string_view known : keys) {
      wanted += Concat(wanted.empty() ? "" : known == keys.back() ? " and " : ", ", known);
    }
    return WrongPart(Concat(prefix, Escaped(key)), Concat("unknown key, wanted ", wanted));
  }
  return absl::OkStatus();
}

// Returns a name, which may be written as a whole number.
absl::StatusOr<std::string> ReadName(const Json& value, const std::string& field) {
  if (value.is_number_integer()) return value.dump();
  if (!value.is_string() || value.get_ref<const std::string&>().empty() ||
      !IsPrintableUtf8(value.get_ref<const std::string&>())) {
    return WrongPart(field, Concat("got ", ShownValue(value), ", wanted a text that is not empty"));
  }
  return value.get<std::string>();
}

absl::StatusOr<double> ReadAmount(const Json& value, const std::string& field) {
  if (!value.is_number() || std::abs(value.get<double>()) > kMaxMagnitude) {
    return WrongPart(field, Concat("got ", ShownValue(value), ", wanted a number of at most 1e12"));
  }
  return value.get<double>();
}

absl::StatusOr<int64_t> ReadDay(const Json& json) {
  const auto value = json.find("day");
  if (value == json.end()) return WrongPart("day", "absent, wanted a date such as \"2026-03-02\"");
  absl::CivilDay day;
  const bool is_date = value->is_string() &&
                       absl::ParseCivilTime(value->get_ref<const std::string&>(), &day) &&
                       absl::FormatCivilTime(day) == value->get_ref<const std::string&>();
  if (is_date) return day - kFirstDay;
  return WrongPart("day",
                   Concat("got ", ShownValue(*value), ", wanted a date such as \"2026-03-02\""));
}

// Reads x and y of an object; nullopt without both.
absl::StatusOr<std::optional<Position>> ReadPosition(const Json& json, const std::string& prefix) {
  const auto x = json.find("x");
  const auto y = json.find("y");
  if (x == json.end() && y == json.end()) return std::nullopt;
  if (x == json.end()) return WrongPart(prefix + "x", "absent, wanted a number as for y");
  if (y == json.end()) return WrongPart(prefix + "y", "absent, wanted a number as for x");
  Position position;
  VRP_ASSIGN_OR_RETURN(position.x, ReadAmount(*x, prefix + "x"));
  VRP_ASSIGN_OR_RETURN(position.y, ReadAmount(*y, prefix + "y"));
  return position;
}

absl::StatusOr<TimeWindow> ReadStopWindow(const Json& json, const std::string& field) {
  if (!json.is_array() || json.size() != 2) {
    return WrongPart(field, Concat("got ", ShownValue(json), ", wanted [open, close]"));
  }
  TimeWindow window;
  VRP_ASSIGN_OR_RETURN(window.open, ReadAmount(json[0], field));
  VRP_ASSIGN_OR_RETURN(window.close, ReadAmount(json[1], field));
  if (window.open <= window.close) return window;
  return WrongPart(field, Concat("got ", ShownValue(json), ", which closes before it opens"));
}

absl::StatusOr<StopLine> ReadStop(const Json& json, const std::string& field) {
  if (!json.is_object()) {
    return WrongPart(field, Concat("got ", ShownValue(json), ", wanted an object"));
  }
  const std::string prefix = field + ".";
  VRP_RETURN_IF_ERROR(CheckKeysOf(json, kStopKeys, prefix));
  StopLine stop;
  if (json.contains("id")) {
    VRP_ASSIGN_OR_RETURN(stop.id, ReadName(json["id"], prefix + "id"));
  }
  VRP_ASSIGN_OR_RETURN(stop.position, ReadPosition(json, prefix));
  if (stop.id.empty() && !stop.position.has_value()) {
    return WrongPart(prefix + "id",
                     "absent, and the stop has no position; wanted an id, or x and y");
  }
  if (json.contains("demand")) {
    VRP_ASSIGN_OR_RETURN(stop.demand, ReadAmount(json["demand"], prefix + "demand"));
    if (stop.demand < 0) {
      return WrongPart(prefix + "demand",
                       Concat("got ", ShownValue(json["demand"]), ", wanted at least 0"));
    }
  }
  if (json.contains("window")) {
    VRP_ASSIGN_OR_RETURN(stop.window, ReadStopWindow(json["window"], prefix + "window"));
  }
  return stop;
}

absl::StatusOr<std::vector<StopLine>> ReadStops(const Json& json) {
  const auto list = json.find("stops");
  if (list == json.end()) return WrongPart("stops", "absent, wanted the stops in their order");
  if (!list->is_array() || list->empty()) {
    return WrongPart("stops", Concat("got ", ShownValue(*list), ", wanted at least one stop"));
  }
  if (std::ssize(*list) > kMaxRouteStops) {
    return WrongPart("stops",
                     Concat("got ", list->size(), " stops, wanted at most ", kMaxRouteStops));
  }
  std::vector<StopLine> stops;
  std::unordered_set<std::string> ids;
  for (const Json& item : *list) {
    const std::string field = Concat("stops[", stops.size(), "]");
    VRP_ASSIGN_OR_RETURN(StopLine stop, ReadStop(item, field));
    if (!stop.id.empty() && !ids.insert(stop.id).second) {
      return WrongPart(field + ".id", Concat("got ", Quoted(stop.id),
                                             " again, wanted each stop once in its route; join "
                                             "its visits, or give a route for each trip"));
    }
    stops.push_back(std::move(stop));
  }
  return stops;
}

absl::StatusOr<std::optional<Position>> ReadDepot(const Json& json) {
  const auto depot = json.find("depot");
  if (depot == json.end()) return std::nullopt;
  if (!depot->is_object()) {
    return WrongPart("depot",
                     Concat("got ", ShownValue(*depot), ", wanted {\"x\": .., \"y\": ..}"));
  }
  VRP_RETURN_IF_ERROR(CheckKeysOf(*depot, kDepotKeys, "depot."));
  return ReadPosition(*depot, "depot.");
}

absl::StatusOr<std::optional<CoordinateSystem>> ReadCoordinates(const Json& json) {
  const auto value = json.find("coordinates");
  if (value == json.end()) return std::nullopt;
  const auto& names = kChoiceNames<CoordinateSystem>;
  for (size_t i = 0; i < names.size(); ++i) {
    if (*value == std::string(names[i])) return static_cast<CoordinateSystem>(i);
  }
  return WrongPart("coordinates",
                   Concat("got ", ShownValue(*value), R"(, wanted "planar" or "lon_lat")"));
}

absl::Status CheckDegrees(const std::optional<Position>& position, const std::string& prefix) {
  if (!position.has_value()) return absl::OkStatus();
  if (std::abs(position->x) > 180) {
    return WrongPart(prefix + "x", Concat("got ", position->x, ", wanted a longitude in degrees"));
  }
  if (std::abs(position->y) > 90) {
    return WrongPart(prefix + "y", Concat("got ", position->y, ", wanted a latitude in degrees"));
  }
  return absl::OkStatus();
}

absl::StatusOr<Json> ParseRoute(std::string_view line) {
  absl::StatusOr<Json> json = ParseJsonText(line, "line", kRouteLimits);
  if (!json.ok()) return json;
  if (json->is_object()) return json;
  return absl::InvalidArgumentError("line: wanted a JSON object with day and stops");
}

}  // namespace

bool RouteLineReader::Recognises(std::string_view line) {
  const absl::StatusOr<Json> json = ParseRoute(line);
  return json.ok() &&
         (json->contains("stops") || json->contains("driver") || json->contains("depot"));
}

absl::StatusOr<RouteLine> RouteLineReader::Read(std::string_view line) {
  VRP_ASSIGN_OR_RETURN(const Json json, ParseRoute(line));
  VRP_RETURN_IF_ERROR(CheckKeysOf(json, kRouteKeys, ""));
  RouteLine route;
  VRP_ASSIGN_OR_RETURN(route.day, ReadDay(json));
  if (json.contains("driver")) {
    VRP_ASSIGN_OR_RETURN(route.driver, ReadName(json["driver"], "driver"));
  }
  VRP_ASSIGN_OR_RETURN(route.coordinates, ReadCoordinates(json));
  VRP_ASSIGN_OR_RETURN(route.depot, ReadDepot(json));
  VRP_ASSIGN_OR_RETURN(route.stops, ReadStops(json));
  VRP_RETURN_IF_ERROR(CheckOrder(route));
  VRP_RETURN_IF_ERROR(CheckCoordinates(route));
  VRP_RETURN_IF_ERROR(CheckDriver(route.driver));
  if (!route.driver.empty()) drivers_.insert(route.driver);
  if (routes_ == 0) coordinates_ = route.coordinates.value_or(CoordinateSystem::kPlanar);
  if (routes_ == 0 || route.day != day_) ++days_;
  day_ = route.day;
  ++routes_;
  stops_ += std::ssize(route.stops);
  return route;
}

absl::Status RouteLineReader::CheckOrder(const RouteLine& route) const {
  if (routes_ > 0 && route.day < day_) {
    return WrongPart("day", Concat("got \"", DayText(route.day), "\" after \"", DayText(day_),
                                   "\", wanted days in increasing order"));
  }
  if (stops_ + std::ssize(route.stops) <= kMaxHistoryStops) return absl::OkStatus();
  return WrongPart("stops", Concat("got more than ", kMaxHistoryStops,
                                   " in all routes, the limit of a history; give fewer days"));
}

absl::Status RouteLineReader::CheckDriver(const std::string& driver) const {
  const bool fits =
      driver.empty() || drivers_.contains(driver) || std::ssize(drivers_) < kMaxHistoryDrivers;
  if (fits) return absl::OkStatus();
  return WrongPart(
      "driver", Concat("got more than ", kMaxHistoryDrivers, " drivers, the limit of a history"));
}

absl::Status RouteLineReader::CheckCoordinates(const RouteLine& route) const {
  const CoordinateSystem stated = route.coordinates.value_or(coordinates_);
  if (routes_ > 0 && stated != coordinates_) {
    return WrongPart("coordinates",
                     Concat("got another system than in the first line, which has \"",
                            kChoiceNames<CoordinateSystem>[static_cast<size_t>(coordinates_)],
                            "\" (\"planar\" if it has no such key)"));
  }
  if (stated == CoordinateSystem::kPlanar) return absl::OkStatus();
  VRP_RETURN_IF_ERROR(CheckDegrees(route.depot, "depot."));
  for (size_t i = 0; i < route.stops.size(); ++i) {
    VRP_RETURN_IF_ERROR(CheckDegrees(route.stops[i].position, Concat("stops[", i, "].")));
  }
  return absl::OkStatus();
}

std::string DayText(int64_t day) { return absl::FormatCivilTime(kFirstDay + day); }

}  // namespace vrp
