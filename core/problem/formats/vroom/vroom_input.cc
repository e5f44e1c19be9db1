#include "core/problem/formats/vroom/vroom_input.h"

#include <algorithm>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/formats/json/json_fields.h"

namespace vrp {
namespace {

using nlohmann::json;

// Keys of VROOM's that are known and have no meaning here yet, with what to do about them.
absl::Status RefuseKnown(JsonFields& fields) {
  for (const auto& [key, remedy] : std::initializer_list<std::pair<const char*, const char*>>{
           {"setup_per_type", "give setup"},
           {"service_per_type", "give service"},
           {"max_load", "leave it out"}}) {
    if (fields.Find(key) != nullptr) return fields.Error(key, "not supported yet; ", remedy);
  }
  return absl::OkStatus();
}

// The objects of the array `key`, each with its place: `jobs[3]`.
template <typename Read>
absl::Status ForEachObject(JsonFields& fields, std::string_view source, const std::string& key,
                           Read read) {
  const json* array = fields.Find(key);
  if (array == nullptr) return absl::OkStatus();
  if (!array->is_array()) {
    return fields.Error(key, "got ", Shown(*array), ", wanted an array of objects");
  }
  for (size_t i = 0; i < array->size(); ++i) {
    const std::string path = Concat(key, "[", i, "]");
    if (!(*array)[i].is_object()) {
      return fields.Error(path, "got ", Shown((*array)[i]), ", wanted an object");
    }
    const std::string place = Concat(source, source.find(": ") == source.npos ? ": " : ".", path);
    JsonFields own((*array)[i], place);
    VRP_RETURN_IF_ERROR(read(own, place));
    VRP_RETURN_IF_ERROR(RefuseKnown(own));
    VRP_RETURN_IF_ERROR(own.RefuseOthers());
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> Id(JsonFields& fields) {
  const json* id = fields.Find("id");
  const bool in_range = id != nullptr && id->is_number_integer() &&
                        (!id->is_number_unsigned() || id->get<uint64_t>() <= INT64_MAX);
  if (in_range) return id->get<int64_t>();
  return fields.Error("id", id == nullptr ? "absent" : Concat("got ", Shown(*id)),
                      ", wanted an integer below 2^63");
}

absl::StatusOr<double> NumberOr(JsonFields& fields, const std::string& key, double absent) {
  VRP_ASSIGN_OR_RETURN(const std::optional<double> value, fields.Number(key));
  return value.value_or(absent);
}

absl::StatusOr<std::string> Description(JsonFields& fields) {
  VRP_ASSIGN_OR_RETURN(std::optional<std::string> description, fields.String("description"));
  return std::move(description).value_or("");
}

// Skills are integers in the file.
absl::StatusOr<std::vector<std::string>> Skills(JsonFields& fields) {
  std::vector<std::string> skills;
  const json* array = fields.Find("skills");
  if (array == nullptr) return skills;
  if (!array->is_array()) {
    return fields.Error("skills", "got ", Shown(*array), ", wanted an array of integers");
  }
  for (size_t i = 0; i < array->size(); ++i) {
    if (!(*array)[i].is_number_integer()) {
      return fields.Error(Concat("skills[", i, "]"), "got ", Shown((*array)[i]),
                          ", wanted an integer");
    }
    skills.push_back(Concat((*array)[i].get<int64_t>()));
  }
  return skills;
}

absl::StatusOr<std::vector<TimeWindow>> Windows(JsonFields& fields) {
  VRP_ASSIGN_OR_RETURN(const std::vector<double> ends, fields.Rows("time_windows", 2));
  std::vector<TimeWindow> windows;
  for (size_t i = 0; i < ends.size(); i += 2) {
    windows.push_back({.open = ends[i], .close = ends[i + 1]});
  }
  return windows;
}

absl::StatusOr<VroomLocation> Location(JsonFields& fields, const std::string& coordinates,
                                       const std::string& index) {
  VroomLocation location;
  VRP_ASSIGN_OR_RETURN(const std::vector<double> numbers, fields.Numbers(coordinates));
  if (!numbers.empty() && numbers.size() != 2) {
    return fields.Error(coordinates, "has ", numbers.size(),
                        " numbers, wanted longitude and latitude");
  }
  if (!numbers.empty()) location.position = Position{numbers[0], numbers[1]};
  VRP_ASSIGN_OR_RETURN(location.index, fields.Integer(index));
  return location;
}

bool IsAbsent(const VroomLocation& location) { return location == VroomLocation{}; }

class InputReader {
 public:
  explicit InputReader(std::string_view source) : source_(source) {}

  absl::StatusOr<VroomInput> Run(const json& root) {
    JsonFields fields(root, source_);
    VRP_RETURN_IF_ERROR(ForEachObject(
        fields, source_, "vehicles",
        [this](JsonFields& own, const std::string& path) { return ReadVehicle(own, path); }));
    VRP_RETURN_IF_ERROR(
        ForEachObject(fields, source_, "jobs",
                      [this](JsonFields& own, const std::string&) { return ReadJob(own); }));
    input_.num_jobs = input_.tasks.size();
    VRP_RETURN_IF_ERROR(ForEachObject(
        fields, source_, "shipments",
        [this](JsonFields& own, const std::string& path) { return ReadShipment(own, path); }));
    VRP_RETURN_IF_ERROR(ReadMatrices(fields));
    VRP_RETURN_IF_ERROR(ReadOptions(fields));
    if (input_.vehicles.empty()) return fields.Error("vehicles", "absent or empty");
    if (input_.tasks.empty()) return fields.Error("jobs", "absent or empty, and no shipments");
    VRP_RETURN_IF_ERROR(fields.RefuseOthers());
    return std::move(input_);
  }

 private:
  absl::Status ReadVehicle(JsonFields& fields, const std::string& path) {
    VroomVehicle vehicle;
    VRP_ASSIGN_OR_RETURN(vehicle.id, Id(fields));
    VRP_ASSIGN_OR_RETURN(vehicle.description, Description(fields));
    fields.Find("type");  // matters to service_per_type alone, which is refused
    VRP_ASSIGN_OR_RETURN(const std::optional<std::string> profile, fields.String("profile"));
    vehicle.profile = profile.value_or("car");
    VRP_ASSIGN_OR_RETURN(vehicle.start, Location(fields, "start", "start_index"));
    VRP_ASSIGN_OR_RETURN(const VroomLocation end, Location(fields, "end", "end_index"));
    if (!IsAbsent(end)) vehicle.end = end;
    if (IsAbsent(vehicle.start) && !vehicle.end.has_value()) {
      return fields.Error("start", "absent, and the end too; wanted one of them");
    }
    VRP_ASSIGN_OR_RETURN(vehicle.capacity, fields.Numbers("capacity"));
    VRP_ASSIGN_OR_RETURN(vehicle.skills, Skills(fields));
    VRP_ASSIGN_OR_RETURN(const std::vector<double> window, fields.Numbers("time_window"));
    if (!window.empty() && window.size() != 2) {
      return fields.Error("time_window", "has ", window.size(), " numbers, wanted 2");
    }
    if (!window.empty()) vehicle.window = {.open = window[0], .close = window[1]};
    VRP_RETURN_IF_ERROR(ReadBreaks(fields, path, vehicle));
    VRP_RETURN_IF_ERROR(ReadCosts(fields, path, vehicle));
    VRP_RETURN_IF_ERROR(ReadLimits(fields, vehicle));
    VRP_RETURN_IF_ERROR(ReadSteps(fields, path, vehicle));
    input_.vehicles.push_back(std::move(vehicle));
    return absl::OkStatus();
  }

  static absl::Status ReadBreaks(JsonFields& fields, const std::string& path,
                                 VroomVehicle& vehicle) {
    return ForEachObject(fields, path, "breaks", [&](JsonFields& own, const std::string&) {
      VroomBreakName name;
      VRP_ASSIGN_OR_RETURN(name.description, Description(own));
      VRP_ASSIGN_OR_RETURN(name.id, Id(own));
      VRP_ASSIGN_OR_RETURN(const std::vector<TimeWindow> windows, Windows(own));
      if (windows.size() > 1) {
        return own.Error("time_windows", "got ", windows.size(),
                         " windows, not supported yet; wanted one");
      }
      VRP_ASSIGN_OR_RETURN(const double service, NumberOr(own, "service", 0));
      vehicle.break_names.push_back(std::move(name));
      vehicle.breaks.push_back(
          {.window = windows.empty() ? TimeWindow{} : windows.front(), .duration = service});
      return absl::OkStatus();
    });
  }

  static absl::Status ReadSteps(JsonFields& fields, const std::string& path,
                                VroomVehicle& vehicle) {
    size_t place = 0;
    return ForEachObject(fields, path, "steps", [&](JsonFields& own, const std::string&) {
      VRP_ASSIGN_OR_RETURN(const std::optional<std::string> type, own.String("type"));
      const bool job = type == "job", pickup = type == "pickup", delivery = type == "delivery";
      if (job || pickup || delivery) {
        VroomStep step{.type = job      ? VroomTaskType::kJob
                               : pickup ? VroomTaskType::kPickup
                                        : VroomTaskType::kDelivery,
                       .place = place};
        VRP_ASSIGN_OR_RETURN(step.id, Id(own));
        vehicle.steps.push_back(step);
      } else if (type != "start" && type != "end" && type != "break") {
        return own.Error("type", type.has_value() ? Concat("got ", Quoted(*type)) : "absent",
                         ", wanted start, job, pickup, delivery, break or end");
      }
      own.Find("id");  // breaks are placed anew
      ++place;
      return absl::OkStatus();
    });
  }

  static absl::Status ReadCosts(JsonFields& fields, const std::string& path,
                                VroomVehicle& vehicle) {
    const json* object = fields.Find("costs");
    if (object == nullptr) return absl::OkStatus();
    if (!object->is_object()) {
      return fields.Error("costs", "got ", Shown(*object), ", wanted an object");
    }
    JsonFields costs(*object, Concat(path, ".costs"));
    VRP_ASSIGN_OR_RETURN(vehicle.fixed_cost, NumberOr(costs, "fixed", 0));
    VRP_ASSIGN_OR_RETURN(vehicle.cost_per_hour, NumberOr(costs, "per_hour", kSecondsPerHour));
    VRP_ASSIGN_OR_RETURN(vehicle.cost_per_km, NumberOr(costs, "per_km", 0));
    VRP_ASSIGN_OR_RETURN(const double per_task_hour, NumberOr(costs, "per_task_hour", 0));
    if (per_task_hour != 0) {
      return costs.Error("per_task_hour", "not supported yet; leave it out");
    }
    return costs.RefuseOthers();
  }

  static absl::Status ReadLimits(JsonFields& fields, VroomVehicle& vehicle) {
    VRP_ASSIGN_OR_RETURN(vehicle.speed_factor, NumberOr(fields, "speed_factor", 1));
    if (!(vehicle.speed_factor > 0) || vehicle.speed_factor > 5) {
      return fields.Error("speed_factor", "got ", vehicle.speed_factor,
                          ", wanted above 0 and at most 5");
    }
    VRP_ASSIGN_OR_RETURN(const std::optional<int32_t> tasks, fields.Integer("max_tasks"));
    vehicle.max_tasks = tasks.value_or(INT32_MAX);
    VRP_ASSIGN_OR_RETURN(vehicle.max_travel_time, NumberOr(fields, "max_travel_time", kNoLimit));
    VRP_ASSIGN_OR_RETURN(vehicle.max_distance, NumberOr(fields, "max_distance", kNoLimit));
    return absl::OkStatus();
  }

  absl::Status ReadJob(JsonFields& fields) {
    VroomTask task;
    VRP_RETURN_IF_ERROR(ReadStep(fields, task));
    VRP_ASSIGN_OR_RETURN(task.delivery, fields.Numbers("delivery"));
    VRP_ASSIGN_OR_RETURN(task.pickup, fields.Numbers("pickup"));
    VRP_ASSIGN_OR_RETURN(std::vector<double> amount, fields.Numbers("amount"));
    // As of VROOM before 1.5, where jobs knew nothing else.
    if (task.delivery.empty() && task.pickup.empty()) {
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
      VRP_RETURN_IF_ERROR(RefuseKnown(step));
      VRP_RETURN_IF_ERROR(step.RefuseOthers());
      input_.tasks.push_back(std::move(task));
    }
    return absl::OkStatus();
  }

  // What jobs and the two steps of shipments have.
  static absl::Status ReadStep(JsonFields& fields, VroomTask& task) {
    VRP_ASSIGN_OR_RETURN(task.id, Id(fields));
    VRP_ASSIGN_OR_RETURN(task.description, Description(fields));
    VRP_ASSIGN_OR_RETURN(task.location, Location(fields, "location", "location_index"));
    VRP_ASSIGN_OR_RETURN(task.setup, NumberOr(fields, "setup", 0));
    VRP_ASSIGN_OR_RETURN(task.service, NumberOr(fields, "service", 0));
    VRP_ASSIGN_OR_RETURN(task.windows, Windows(fields));
    return absl::OkStatus();
  }

  // What jobs and whole shipments have.
  static absl::Status ReadShared(JsonFields& fields, VroomTask& task) {
    VRP_ASSIGN_OR_RETURN(task.skills, Skills(fields));
    VRP_ASSIGN_OR_RETURN(const std::optional<int32_t> priority, fields.Integer("priority"));
    task.priority = priority.value_or(0);
    return absl::OkStatus();
  }

  // vroom-express's: how VROOM runs, not what it solves, but for the mode that keeps a plan.
  absl::Status ReadOptions(JsonFields& fields) const {
    const json* object = fields.Find("options");
    if (object == nullptr) return absl::OkStatus();
    if (!object->is_object()) {
      return fields.Error("options", "got ", Shown(*object), ", wanted an object");
    }
    if (object->value("c", json(false)) == json(false)) return absl::OkStatus();
    return fields.Error("options.c", "not supported; check a plan by `vrpctl check`");
  }

  // VROOM's before 1.8: one matrix, of travel times.
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
      JsonFields own(value, Concat(source_, ": ", path));
      VroomMatrices& matrices = input_.matrices[profile];
      VRP_ASSIGN_OR_RETURN(matrices.durations, own.Rows("durations", 0));
      VRP_ASSIGN_OR_RETURN(matrices.distances, own.Rows("distances", 0));
      VRP_ASSIGN_OR_RETURN(matrices.costs, own.Rows("costs", 0));
      if (matrices.durations.empty()) return own.Error("durations", "absent or empty");
      while (static_cast<size_t>(matrices.size) * static_cast<size_t>(matrices.size) <
             matrices.durations.size()) {
        ++matrices.size;
      }
      for (const auto& [key, matrix] :
           {std::pair{"distances", &matrices.distances}, std::pair{"costs", &matrices.costs}}) {
        if (matrix->empty() || matrix->size() == matrices.durations.size()) continue;
        return own.Error(key, "has another size than durations, wanted ", matrices.size, " rows");
      }
      VRP_RETURN_IF_ERROR(own.RefuseOthers());
    }
    return absl::OkStatus();
  }

  std::string_view source_;
  VroomInput input_;
};

}  // namespace

std::vector<std::vector<int32_t>> VroomVehicleGroups(const VroomInput& input) {
  const auto same = [](VroomVehicle a, const VroomVehicle& b) {
    a.id = b.id;
    a.description = b.description;
    a.break_names = b.break_names;
    a.steps = b.steps;
    return a == b;
  };
  std::vector<std::vector<int32_t>> groups;
  for (int32_t v = 0; v < std::ssize(input.vehicles); ++v) {
    if (input.vehicles[v].max_tasks == 0) continue;
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& members) {
      return same(input.vehicles[members.front()], input.vehicles[v]);
    });
    if (group == groups.end()) {
      groups.push_back({v});
    } else {
      group->push_back(v);
    }
  }
  return groups;
}

// Ours, which has shipments too, cannot do without its kind.
bool LooksLikeVroom(const json& root) {
  return !root.contains("kind") && (root.contains("jobs") || root.contains("shipments"));
}

absl::StatusOr<VroomInput> ReadVroomInput(const json& root, std::string_view name) {
  return InputReader(name).Run(root);
}

}  // namespace vrp
