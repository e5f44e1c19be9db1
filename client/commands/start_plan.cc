#include "client/commands/start_plan.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "client/output/json.h"
#include "client/support/files.h"
#include "client/support/text.h"

namespace vrp::client {
namespace {

absl::Status WrongValue(const std::string& path, const Json& got, const std::string& wanted) {
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": got ", ShownJson(got), ", wanted ", wanted));
}

// Reads a whole number into `count`. Leaves `count` unchanged if the key is absent.
absl::Status ReadCount(const Json& route, const char* key, std::string_view path, int32_t& count) {
  if (!route.contains(key)) return absl::OkStatus();
  const Json& value = route[key];
  if (!value.is_number_unsigned() || value.get<uint64_t>() > INT32_MAX) {
    return WrongValue(absl::StrCat(std::string(path), ".", key), value,
                      absl::StrCat("a whole number from 0 to ", INT32_MAX));
  }
  count = value.get<int32_t>();
  return absl::OkStatus();
}

absl::Status ReadRoute(const Json& json, const std::string& path, v1::Route& route) {
  if (!json.is_object() || !json.contains("stops") || !json["stops"].is_array()) {
    return WrongValue(path, json, "an object with an array stops");
  }
  int32_t vehicle = 0;
  int32_t frozen_stops = 0;
  for (const absl::Status& status : {ReadCount(json, "vehicle", path, vehicle),
                                     ReadCount(json, "frozen_stops", path, frozen_stops)}) {
    if (!status.ok()) return status;
  }
  route.set_vehicle(vehicle);
  route.set_frozen_stops(frozen_stops);
  for (size_t s = 0; s < json["stops"].size(); ++s) {
    const Json& stop = json["stops"][s];
    if (!stop.is_object() || !stop.contains("id") || !stop["id"].is_string()) {
      return WrongValue(absl::StrCat(path, ".stops[", s, "]"), stop, "an object with a string id");
    }
    // The plan has no depots at the ends of its routes, and a first depot would be the start.
    if (s == 0 && stop.value("reload", Json(false)) == true) route.add_stops()->set_depot(true);
    route.add_stops()->set_id(stop["id"].get<std::string>());
  }
  return absl::OkStatus();
}

absl::Status ReadJsonPlan(std::string_view text, v1::Solution& solution) {
  const Json json = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("routes") || !json["routes"].is_array()) {
    return absl::InvalidArgumentError(
        "not the output of `vrpctl solve --output json`; wanted an object with routes");
  }
  for (size_t r = 0; r < json["routes"].size(); ++r) {
    const absl::Status status =
        ReadRoute(json["routes"][r], absl::StrCat("routes[", r, "]"), *solution.add_routes());
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// Whether `text` is VROOM's output. The daemon parses this format, so the client sends it
// unchanged.
bool IsVroomsOutput(absl::string_view text) {
  const Json json = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("routes") || !json["routes"].is_array()) return false;
  const Json& routes = json["routes"];
  return !routes.empty() && routes[0].is_object() && routes[0].contains("steps");
}

}  // namespace

absl::Status SetStartPlan(std::string_view name, std::string content, v1::SolveRequest& request) {
  const absl::string_view text =
      absl::StripAsciiWhitespace(absl::string_view(content.data(), content.size()));
  if (!text.empty() && text.front() == '{' && !IsVroomsOutput(text)) {
    // Takes the last line as the final plan if `text` has one JSON object per line. A single object
    // may span several lines.
    const bool lines = !Json::accept(text.begin(), text.end());
    const absl::string_view last = lines ? text.substr(text.rfind('\n') + 1) : text;
    return ReadJsonPlan({last.data(), last.size()}, *request.mutable_initial_solution());
  }
  v1::SolutionFile& file = *request.mutable_initial_solution_file();
  file.set_name(ToValidUtf8(BaseName(name)));
  file.set_content(std::move(content));
  return absl::OkStatus();
}

}  // namespace vrp::client
