#include "core/problem/formats/json_solution.h"

#include <unordered_map>
#include <utility>

#include "core/base/json.h"
#include "core/base/status_macros.h"
#include "core/problem/formats/json/json_fields.h"

namespace vrp {
namespace {

using nlohmann::json;

constexpr std::string_view kWantedStop = "wanted the id of a customer, or of a depot for a reload";

class JsonSolutionReader {
 public:
  JsonSolutionReader(std::string_view source, const VroomNames& names, const Instance& instance)
      : source_(source), names_(names) {
    for (NodeIndex node = 0; node < instance.num_nodes(); ++node) {
      nodes_.emplace(instance.id(node), node);
    }
  }

  // Reads only the keys of the plan and its cost, and ignores all others.
  absl::StatusOr<SolutionFile> Run(const json& root) && {
    JsonFields fields(root, source_);
    VRP_ASSIGN_OR_RETURN(file_.cost, fields.Number("cost"));
    const json* routes = fields.Find("routes");
    if (routes == nullptr || !routes->is_array()) {
      return fields.Error("routes", routes == nullptr ? "absent" : Concat("got ", Shown(*routes)),
                          ", wanted an array");
    }
    for (const json& route : *routes) {
      const std::string location = Concat(source_, ": routes[", file_.plan.size(), "]");
      if (!route.is_object()) return WrongValue(location, Shown(route), "an object");
      file_.plan.emplace_back();
      VRP_RETURN_IF_ERROR(route.contains("steps") ? ReadVroomRoute(route, location)
                                                  : ReadRoute(route, location));
    }
    return std::move(file_);
  }

 private:
  static absl::Status WrongValue(std::string_view location, std::string_view got,
                                 std::string_view wanted) {
    return absl::InvalidArgumentError(Concat(location, ": got ", got, ", wanted ", wanted));
  }

  // Calls `read` for each object of an array.
  template <typename Read>
  static absl::Status ForEach(JsonFields& fields, const std::string& key,
                              const std::string& location, Read read) {
    const json* array = fields.Find(key);
    if (array == nullptr || !array->is_array()) {
      return fields.Error(key, array == nullptr ? "absent" : Concat("got ", Shown(*array)),
                          ", wanted an array");
    }
    for (size_t i = 0; i < array->size(); ++i) {
      const std::string path = Concat(location, ".", key, "[", i, "]");
      if (!(*array)[i].is_object()) return WrongValue(path, Shown((*array)[i]), "an object");
      JsonFields entry((*array)[i], path);
      VRP_RETURN_IF_ERROR(read(entry));
    }
    return absl::OkStatus();
  }

  absl::Status ReadRoute(const json& object, const std::string& location) {
    JsonFields fields(object, location);
    VRP_ASSIGN_OR_RETURN(const std::optional<int32_t> vehicle, fields.Integer("vehicle"));
    file_.plan.back().vehicle_type = vehicle.value_or(0);
    return ForEach(fields, "stops", location, [&](JsonFields& stop) {
      VRP_ASSIGN_OR_RETURN(const std::optional<std::string> id, stop.String("id"));
      if (!id.has_value()) return stop.Error("id", "absent, ", kWantedStop);
      const auto node = nodes_.find(*id);
      if (node == nodes_.end()) {
        return stop.Error("id", "got ", Quoted(*id), ", ", kWantedStop);
      }
      file_.plan.back().customers.push_back(node->second);
      return absl::OkStatus();
    });
  }

  static absl::StatusOr<int64_t> Id(JsonFields& fields, const std::string& key) {
    const json* id = fields.Find(key);
    if (id != nullptr && id->is_number_integer()) return id->get<int64_t>();
    return fields.Error(key, id == nullptr ? "absent" : Concat("got ", Shown(*id)),
                        ", wanted an integer");
  }

  absl::Status ReadVroomRoute(const json& object, const std::string& location) {
    JsonFields fields(object, location);
    VRP_ASSIGN_OR_RETURN(const int64_t vehicle, Id(fields, "vehicle"));
    const std::optional<int32_t> type = names_.TypeOfVehicle(vehicle);
    if (!type.has_value()) {
      return fields.Error("vehicle", "got ", vehicle, ", wanted the id of a vehicle");
    }
    file_.plan.back().vehicle_type = *type;
    return ForEach(fields, "steps", location, [&](JsonFields& step) { return ReadStep(step); });
  }

  absl::Status ReadStep(JsonFields& step) {
    VRP_ASSIGN_OR_RETURN(const std::optional<std::string> type, step.String("type"));
    if (type == "start" || type == "end" || type == "break") return absl::OkStatus();
    if (type != "job" && type != "pickup" && type != "delivery") {
      return step.Error("type", type.has_value() ? Concat("got ", Quoted(*type)) : "absent",
                        ", wanted start, job, pickup, delivery, break or end");
    }
    VRP_ASSIGN_OR_RETURN(const int64_t id, Id(step, "id"));
    const VroomTaskType task = type == "job"      ? VroomTaskType::kJob
                               : type == "pickup" ? VroomTaskType::kPickup
                                                  : VroomTaskType::kDelivery;
    const std::optional<NodeIndex> customer = names_.CustomerOf(task, id);
    if (!customer.has_value()) {
      return step.Error("id", "got ", id, ", wanted the id of a ", *type);
    }
    file_.plan.back().customers.push_back(*customer);
    return absl::OkStatus();
  }

  const std::string_view source_;
  const VroomNames& names_;
  std::unordered_map<std::string, NodeIndex> nodes_;
  SolutionFile file_;
};

}  // namespace

absl::StatusOr<SolutionFile> ParseJsonSolution(std::string_view text, std::string_view name,
                                               const VroomNames& names, const Instance& instance) {
  VRP_ASSIGN_OR_RETURN(const json root, ParseJsonText(text, name));
  if (root.is_object()) return JsonSolutionReader(name, names, instance).Run(root);
  return absl::InvalidArgumentError(Concat(name, ": got ", Shown(root), ", wanted an object"));
}

}  // namespace vrp
