#include "server/roads/road_names.h"

#include <algorithm>
#include <utility>

#include "core/base/json.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/formats/json/json_fields.h"
#include "core/problem/formats/vroom/vroom_input.h"
#include "nlohmann/json.hpp"
#include "server/convert/field_violation.h"

namespace vrp {
namespace {

using nlohmann::json;

constexpr char kRoadKey[] = "road_network";

// Takes the key out of an object. `path` locates the object in errors, as "a.json: vehicles[2].".
absl::StatusOr<std::string> TakeName(json& object, const std::string& path) {
  const auto found = object.find(kRoadKey);
  if (found == object.end()) return "";
  if (!found->is_string() || found->get_ref<const std::string&>().empty()) {
    return InvalidField("file.content", Concat(path, kRoadKey, ": got ", Shown(*found),
                                               ", wanted the name of a road network"));
  }
  std::string name = found->get<std::string>();
  object.erase(found);
  return name;
}

absl::StatusOr<RoadFile> TakeFromJson(const v1::InstanceFile& file, json root) {
  RoadFile result;
  const std::string path = Concat(file.name().empty() ? "file" : file.name(), ": ");
  VRP_ASSIGN_OR_RETURN(result.names.all, TakeName(root, path));
  if (const auto vehicles = root.find("vehicles"); vehicles != root.end() && vehicles->is_array()) {
    for (json& vehicle : *vehicles) {
      std::string& name = result.names.vehicles.emplace_back();
      if (!vehicle.is_object()) continue;
      VRP_ASSIGN_OR_RETURN(name, TakeName(vehicle, Concat(path, "vehicles[",
                                                          result.names.vehicles.size() - 1, "].")));
    }
  }
  if (!file.road_network().empty()) {
    result.names.all = file.road_network();
    root.erase("ref_cost");  // valid only for the file's own distances
  }
  result.file = file;
  result.file.clear_road_network();
  result.file.set_content(root.dump());
  return result;
}

}  // namespace

bool RoadNames::any() const {
  return !all.empty() ||
         std::any_of(vehicles.begin(), vehicles.end(), [](auto& name) { return !name.empty(); });
}

RoadNames RoadNamesOf(const v1::Instance& message) {
  RoadNames names{.all = message.road_network()};
  for (const v1::Vehicle& vehicle : message.vehicles()) {
    names.vehicles.push_back(vehicle.road_network());
  }
  return names;
}

v1::Instance WithoutRoadNames(v1::Instance message) {
  message.clear_road_network();
  for (v1::Vehicle& vehicle : *message.mutable_vehicles()) vehicle.clear_road_network();
  return message;
}

bool MayNameRoads(const v1::InstanceFile& file) {
  return !file.road_network().empty() ||
         file.content().find(Concat("\"", kRoadKey, "\"")) != std::string::npos;
}

absl::StatusOr<RoadFile> TakeRoadNames(const v1::InstanceFile& file) {
  absl::StatusOr<json> root = ParseJsonText(file.content(), file.name());
  if (root.ok() && root->is_object() && !LooksLikeVroom(*root)) {
    return TakeFromJson(file, *std::move(root));
  }
  RoadFile result{.file = file, .names = {.all = file.road_network()}};
  result.file.clear_road_network();
  return result;
}

}  // namespace vrp
