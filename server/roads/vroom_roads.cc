#include "server/roads/vroom_roads.h"

#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

#include "core/base/json.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/formats/vroom/vroom_input.h"
#include "core/problem/formats/vroom/vroom_parser.h"
#include "core/problem/instance/instance_data.h"
#include "nlohmann/json.hpp"
#include "server/convert/field_violation.h"
#include "server/roads/add_roads.h"

namespace vrp {
namespace {

using nlohmann::json;

constexpr char kFileField[] = "file.road_network";

// A writer of matrices into the JSON of a file that VROOM's reader has accepted.
class VroomRoads {
 public:
  VroomRoads(json& root, const std::string& all, RoadSource& source, const StopCondition& stop)
      : root_(root), all_(all), source_(source), stop_(stop) {}

  absl::Status Run() {
    if (root_.contains("matrices") || root_.contains("matrix")) {
      return InvalidField(kFileField, "given together with matrices; wanted only one of them");
    }
    AddIndices();
    if (places_.size() > kMaxMatrixNodes) {
      return InvalidField(
          kFileField,
          Concat(places_.size(), " distinct locations exceed the limit of ", kMaxMatrixNodes));
    }
    json matrices = json::object();
    for (json& vehicle : root_["vehicles"]) {
      json& profile = vehicle["profile"];
      if (profile.is_null()) profile = all_;
      const auto& network = profile.get_ref<const std::string&>();
      if (matrices.contains(network)) continue;
      VRP_ASSIGN_OR_RETURN(
          const std::shared_ptr<const RoadMatrices> found,
          JoinedMatrices(source_, kFileField, network, places_, place_names_, stop_));
      matrices[network] = {{"durations", RowsOf(found->durations)},
                           {"distances", RowsOf(found->distances)}};
    }
    root_["matrices"] = std::move(matrices);
    return absl::OkStatus();
  }

 private:
  void AddIndices() {
    size_t v = 0;
    for (json& vehicle : root_["vehicles"]) {
      const std::string path = Concat("vehicles[", v++, "].");
      AddIndex(vehicle, "start", path);
      AddIndex(vehicle, "end", path);
    }
    if (root_.contains("jobs")) {
      size_t j = 0;
      for (json& job : root_["jobs"]) AddIndex(job, "location", Concat("jobs[", j++, "]."));
    }
    if (!root_.contains("shipments")) return;
    size_t s = 0;
    for (json& shipment : root_["shipments"]) {
      const std::string path = Concat("shipments[", s++, "].");
      for (const char* part : {"pickup", "delivery"}) {
        AddIndex(shipment[part], "location", Concat(path, part, "."));
      }
    }
  }

  // Adds `key`_index beside a location, and replaces an index that the file states.
  void AddIndex(json& object, const std::string& key, const std::string& path) {
    const auto location = object.find(key);
    if (location == object.end()) return;
    const RoadPlace place = PlaceOf({location->at(0).get<double>(), location->at(1).get<double>()});
    const auto [found, added] = rows_.emplace(place, places_.size());
    if (added) {
      places_.push_back(place);
      place_names_.push_back(path + key);
    }
    object[key + "_index"] = found->second;
  }

  // Returns the rows in whole seconds or metres, which VROOM's format requires.
  json RowsOf(const std::vector<int32_t>& values) const {
    json rows = json::array();
    for (size_t from = 0; from < places_.size(); ++from) {
      json row = json::array();
      for (size_t to = 0; to < places_.size(); ++to) {
        row.push_back(std::llround(values[from * places_.size() + to] / kRoadUnits));
      }
      rows.push_back(std::move(row));
    }
    return rows;
  }

  json& root_;
  const std::string& all_;
  RoadSource& source_;
  const StopCondition& stop_;
  std::vector<RoadPlace> places_;
  std::vector<std::string> place_names_;
  std::unordered_map<RoadPlace, size_t> rows_;
};

}  // namespace

bool IsVroom(const v1::InstanceFile& file) {
  const absl::StatusOr<json> root = ParseJsonText(file.content(), file.name());
  return root.ok() && root->is_object() && LooksLikeVroom(*root);
}

absl::StatusOr<VroomWithRoads> AddRoadsToVroom(const v1::InstanceFile& file, const std::string& all,
                                               RoadSource& source, const StopCondition& stop) {
  VRP_ASSIGN_OR_RETURN(json root, ParseJsonText(file.content(), file.name()));
  VRP_RETURN_IF_ERROR(VroomRoads(root, all, source, stop).Run());
  VRP_ASSIGN_OR_RETURN(const VroomInput input, ReadVroomInput(root, file.name()));
  VroomWithRoads result{.file = file, .networks = {}};
  result.file.set_content(root.dump());
  for (const std::vector<int32_t>& group : VroomVehicleGroups(input)) {
    result.networks.push_back(input.vehicles[static_cast<size_t>(group.front())].profile);
  }
  return result;
}

}  // namespace vrp
