#include "core/problem/formats/vroom/vroom_parser.h"

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/formats/vroom/vroom_values.h"
#include "core/problem/formats/vroom/vroom_vehicle_parser.h"

namespace vrp {
namespace {

using nlohmann::json;

class VroomParser {
 public:
  explicit VroomParser(std::string_view source) : source_(source) {}

  absl::StatusOr<VroomInput> Run(const json& root) {
    JsonFields fields(root, source_);
    VRP_RETURN_IF_ERROR(ForEachVroomObject(
        fields, source_, "vehicles", [this](JsonFields& entry, const std::string& path) {
          VRP_ASSIGN_OR_RETURN(input_.vehicles.emplace_back(), ReadVroomVehicle(entry, path));
          return absl::OkStatus();
        }));
    VRP_RETURN_IF_ERROR(ForEachVroomObject(
        fields, source_, "jobs",
        [this](JsonFields& entry, const std::string&) { return ReadJob(entry); }));
    input_.num_jobs = input_.tasks.size();
    VRP_RETURN_IF_ERROR(ForEachVroomObject(
        fields, source_, "shipments",
        [this](JsonFields& entry, const std::string& path) { return ReadShipment(entry, path); }));
    VRP_RETURN_IF_ERROR(ReadMatrices(fields));
    VRP_RETURN_IF_ERROR(ReadOptions(fields));
    if (input_.vehicles.empty())
      return fields.Error("vehicles", "absent or empty, wanted at least one vehicle");
    if (input_.tasks.empty())
      return fields.Error("jobs", "absent or empty, and shipments too; wanted at least one task");
    VRP_RETURN_IF_ERROR(fields.RefuseUnknownKeys());
    ClearUnusedTypes();
    return std::move(input_);
  }

 private:
  // Clears the types of vehicles on which no time depends, so that these vehicles are equal.
  void ClearUnusedTypes() {
    std::set<std::string> used;
    for (const VroomTask& task : input_.tasks) {
      for (const auto& [type, time] : task.setup_per_type) used.insert(type);
      for (const auto& [type, time] : task.service_per_type) used.insert(type);
    }
    for (VroomVehicle& vehicle : input_.vehicles) {
      if (!used.contains(vehicle.type)) vehicle.type.clear();
    }
  }

  absl::Status ReadJob(JsonFields& fields) {
    VroomTask task;
    VRP_RETURN_IF_ERROR(ReadStep(fields, task));
    VRP_ASSIGN_OR_RETURN(task.delivery, fields.Numbers("delivery"));
    VRP_ASSIGN_OR_RETURN(task.pickup, fields.Numbers("pickup"));
    VRP_ASSIGN_OR_RETURN(std::vector<double> amount, fields.Numbers("amount"));
    // Before VROOM 1.5, jobs had only `amount`, which means `delivery`.
    if (fields.Find("amount") != nullptr) {
      for (const char* key : {"delivery", "pickup"}) {
        if (fields.Find(key) == nullptr) continue;
        return fields.Error("amount", "given, and ", key,
                            " too; wanted delivery instead of amount, its old name");
      }
      task.delivery_is_amount = !amount.empty();
      task.delivery = std::move(amount);
    }
    VRP_RETURN_IF_ERROR(ReadShared(fields, task));
    input_.tasks.push_back(std::move(task));
    return absl::OkStatus();
  }

  absl::Status ReadShipment(JsonFields& fields, const std::string& path) {
    VroomTask shared;
    VRP_ASSIGN_OR_RETURN(shared.amount, fields.Numbers("amount"));
    VRP_RETURN_IF_ERROR(ReadShared(fields, shared));
    for (const VroomTaskType type : {VroomTaskType::kPickup, VroomTaskType::kDelivery}) {
      const std::string key = type == VroomTaskType::kPickup ? "pickup" : "delivery";
      const json* object = fields.Find(key);
      if (object == nullptr || !object->is_object()) {
        return fields.Error(key, object == nullptr ? "absent" : Concat("got ", Shown(*object)),
                            ", wanted an object");
      }
      JsonFields step(*object, Concat(path, ".", key));
      VroomTask task = shared;
      task.type = type;
      VRP_RETURN_IF_ERROR(ReadStep(step, task));
      VRP_RETURN_IF_ERROR(step.RefuseUnknownKeys());
      input_.tasks.push_back(std::move(task));
    }
    return absl::OkStatus();
  }

  // Reads the keys that jobs and the two steps of shipments have in common.
  static absl::Status ReadStep(JsonFields& fields, VroomTask& task) {
    VRP_ASSIGN_OR_RETURN(task.id, ReadVroomId(fields));
    VRP_ASSIGN_OR_RETURN(task.description, ReadVroomDescription(fields));
    VRP_ASSIGN_OR_RETURN(task.location, ReadVroomLocation(fields, "location", "location_index"));
    VRP_ASSIGN_OR_RETURN(task.setup, ReadVroomNumber(fields, "setup", 0));
    VRP_ASSIGN_OR_RETURN(task.service, ReadVroomNumber(fields, "service", 0));
    VRP_ASSIGN_OR_RETURN(task.setup_per_type, ReadVroomTimesPerType(fields, "setup_per_type"));
    VRP_ASSIGN_OR_RETURN(task.service_per_type, ReadVroomTimesPerType(fields, "service_per_type"));
    VRP_ASSIGN_OR_RETURN(task.windows, ReadVroomWindows(fields));
    return absl::OkStatus();
  }

  // Reads the keys that jobs and whole shipments have in common.
  static absl::Status ReadShared(JsonFields& fields, VroomTask& task) {
    VRP_ASSIGN_OR_RETURN(task.required_skills, ReadVroomSkills(fields));
    VRP_ASSIGN_OR_RETURN(const std::optional<int32_t> priority, fields.Integer("priority"));
    task.priority = priority.value_or(0);
    return absl::OkStatus();
  }

  // Reads the plan mode. Ignores vroom-express's other options, which do not change the problem.
  absl::Status ReadOptions(JsonFields& fields) {
    const json* object = fields.Find("options");
    if (object == nullptr) return absl::OkStatus();
    if (!object->is_object()) {
      return fields.Error("options", "got ", Shown(*object), ", wanted an object");
    }
    const json plan_mode = object->value("c", json(nullptr));
    if (!plan_mode.is_boolean() && !plan_mode.is_null()) {
      return fields.Error("options.c", "got ", Shown(plan_mode), ", wanted true or false");
    }
    input_.plan_mode = plan_mode == json(true);
    return absl::OkStatus();
  }

  // Reads the only matrix of files for VROOM before 1.8, which holds travel times.
  absl::Status ReadMatrix(JsonFields& fields) {
    VRP_ASSIGN_OR_RETURN(std::vector<double> durations, fields.Rows("matrix", 0));
    if (durations.empty()) return absl::OkStatus();
    if (fields.Find("matrices") != nullptr) {
      return fields.Error("matrix", "given, and matrices too; wanted one of them");
    }
    VroomMatrices& matrices = input_.matrices["car"];
    matrices.durations = std::move(durations);
    matrices.is_old_key = true;
    matrices.size = static_cast<int32_t>(fields.Find("matrix")->size());
    return absl::OkStatus();
  }

  absl::Status ReadMatrices(JsonFields& fields) {
    VRP_RETURN_IF_ERROR(ReadMatrix(fields));
    const json* object = fields.Find("matrices");
    if (object == nullptr) return absl::OkStatus();
    if (!object->is_object()) {
      return fields.Error("matrices", "got ", Shown(*object), ", wanted an object");
    }
    for (const auto& [profile, value] : object->items()) {
      const std::string path = Concat("matrices.", profile);
      if (!value.is_object()) {
        return fields.Error(path, "got ", Shown(value), ", wanted an object");
      }
      JsonFields entry(value, Concat(source_, ": ", path));
      VroomMatrices& matrices = input_.matrices[profile];
      VRP_ASSIGN_OR_RETURN(matrices.durations, entry.Rows("durations", 0));
      VRP_ASSIGN_OR_RETURN(matrices.distances, entry.Rows("distances", 0));
      VRP_ASSIGN_OR_RETURN(matrices.costs, entry.Rows("costs", 0));
      if (matrices.durations.empty())
        return entry.Error("durations", "absent or empty, wanted rows of numbers");
      while (static_cast<size_t>(matrices.size) * static_cast<size_t>(matrices.size) <
             matrices.durations.size()) {
        ++matrices.size;
      }
      for (const auto& [key, matrix] :
           {std::pair{"distances", &matrices.distances}, std::pair{"costs", &matrices.costs}}) {
        if (matrix->empty() || matrix->size() == matrices.durations.size()) continue;
        return entry.Error(key, "has ", matrix->size(), " numbers, wanted ",
                           matrices.durations.size(), ", as durations has");
      }
      VRP_RETURN_IF_ERROR(entry.RefuseUnknownKeys());
    }
    return absl::OkStatus();
  }

  std::string_view source_;
  VroomInput input_;
};

}  // namespace

absl::StatusOr<VroomInput> ReadVroomInput(const json& root, std::string_view name) {
  return VroomParser(name).Run(root);
}

}  // namespace vrp
