#include "core/problem/formats/vroom/vroom_vehicle_parser.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/formats/vroom/vroom_values.h"
#include "core/problem/instance/instance_data.h"

namespace vrp {
namespace {

using nlohmann::json;

absl::Status ReadBreaks(JsonFields& fields, const std::string& path, VroomVehicle& vehicle) {
  std::vector<std::pair<Break, VroomBreakName>> breaks;
  const auto read = [&](JsonFields& entry, const std::string&) {
    VroomBreakName name = {.index = breaks.size()};
    VRP_ASSIGN_OR_RETURN(name.description, ReadVroomDescription(entry));
    VRP_ASSIGN_OR_RETURN(name.id, ReadVroomId(entry));
    VRP_ASSIGN_OR_RETURN(const std::vector<TimeWindow> windows, ReadVroomWindows(entry));
    Break pause;
    if (!windows.empty()) {
      pause.window = windows.front();
      pause.further_windows.assign(windows.begin() + 1, windows.end());
    }
    VRP_ASSIGN_OR_RETURN(pause.duration, ReadVroomNumber(entry, "service", 0));
    VRP_ASSIGN_OR_RETURN(pause.max_load, entry.Numbers("max_load"));
    breaks.emplace_back(std::move(pause), std::move(name));
    return absl::OkStatus();
  };
  VRP_RETURN_IF_ERROR(ForEachVroomObject(fields, path, "breaks", read));
  std::ranges::stable_sort(breaks, {}, [](const auto& entry) {
    return std::pair(entry.first.window.open, entry.first.window.close);
  });
  for (auto& [pause, name] : breaks) {
    vehicle.breaks.push_back(std::move(pause));
    vehicle.break_names.push_back(std::move(name));
  }
  return absl::OkStatus();
}

absl::Status ReadStepType(JsonFields& fields, VroomStep& step) {
  VRP_ASSIGN_OR_RETURN(const std::optional<std::string> type, fields.String("type"));
  if (type == "start") {
    step.type = VroomStepType::kStart;
  } else if (type == "end") {
    step.type = VroomStepType::kEnd;
  } else if (type == "break") {
    step.type = VroomStepType::kBreak;
  } else if (type == "pickup") {
    step.task = VroomTaskType::kPickup;
  } else if (type == "delivery") {
    step.task = VroomTaskType::kDelivery;
  } else if (type != "job") {
    return fields.Error("type", type.has_value() ? Concat("got ", Quoted(*type)) : "absent",
                        ", wanted start, job, pickup, delivery, break or end");
  }
  return absl::OkStatus();
}

absl::Status ReadStepTimes(JsonFields& fields, VroomStep& step) {
  for (const char* key : {"service_at", "service_after", "service_before"}) {
    const bool is_lower = key != std::string_view("service_before");
    const bool is_upper = key != std::string_view("service_after");
    if (fields.Find(key) == nullptr) continue;
    VRP_ASSIGN_OR_RETURN(const double time, ReadVroomNumber(fields, key, 0));
    if (!(time >= 0) || time > kMaxMagnitude) {
      return fields.Error(key, "got ", time, ", wanted 0 to ", kMaxMagnitude);
    }
    if (is_lower) step.earliest = std::max(step.earliest, time);
    if (is_upper) step.latest = std::min(step.latest, time);
  }
  return absl::OkStatus();
}

absl::Status ReadSteps(JsonFields& fields, const std::string& path, VroomVehicle& vehicle) {
  return ForEachVroomObject(fields, path, "steps", [&](JsonFields& entry, const std::string&) {
    VroomStep step = {.index = vehicle.steps.size()};
    VRP_RETURN_IF_ERROR(ReadStepType(entry, step));
    const bool needs_id = step.type == VroomStepType::kTask;
    if (needs_id || entry.Find("id") != nullptr) {
      VRP_ASSIGN_OR_RETURN(step.id, ReadVroomId(entry));
    }
    VRP_RETURN_IF_ERROR(ReadStepTimes(entry, step));
    vehicle.steps.push_back(step);
    return absl::OkStatus();
  });
}

absl::Status ReadCosts(JsonFields& fields, const std::string& path, VroomVehicle& vehicle) {
  const json* object = fields.Find("costs");
  if (object == nullptr) return absl::OkStatus();
  if (!object->is_object()) {
    return fields.Error("costs", "got ", Shown(*object), ", wanted an object");
  }
  JsonFields costs(*object, Concat(path, ".costs"));
  for (const auto& [key, member] : kVroomCosts) {
    VRP_ASSIGN_OR_RETURN(vehicle.*member, ReadVroomNumber(costs, key, vehicle.*member));
  }
  return costs.RefuseUnknownKeys();
}

absl::Status ReadLimits(JsonFields& fields, VroomVehicle& vehicle) {
  VRP_ASSIGN_OR_RETURN(vehicle.speed_factor, ReadVroomNumber(fields, "speed_factor", 1));
  if (!(vehicle.speed_factor > 0) || vehicle.speed_factor > 5) {
    return fields.Error("speed_factor", "got ", vehicle.speed_factor,
                        ", wanted above 0 and at most 5");
  }
  VRP_ASSIGN_OR_RETURN(const std::optional<int32_t> tasks, fields.Integer("max_tasks"));
  vehicle.max_tasks = tasks.value_or(INT32_MAX);
  for (const auto& [key, member] : kVroomLimits) {
    VRP_ASSIGN_OR_RETURN(vehicle.*member, ReadVroomNumber(fields, key, kNoLimit));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<VroomVehicle> ReadVroomVehicle(JsonFields& fields, const std::string& path) {
  VroomVehicle vehicle;
  VRP_ASSIGN_OR_RETURN(vehicle.id, ReadVroomId(fields));
  VRP_ASSIGN_OR_RETURN(vehicle.description, ReadVroomDescription(fields));
  VRP_ASSIGN_OR_RETURN(const std::optional<std::string> type, fields.String("type"));
  vehicle.type = type.value_or("");
  VRP_ASSIGN_OR_RETURN(const std::optional<std::string> profile, fields.String("profile"));
  vehicle.profile = profile.value_or("car");
  VRP_ASSIGN_OR_RETURN(vehicle.start, ReadVroomLocation(fields, "start", "start_index"));
  VRP_ASSIGN_OR_RETURN(const VroomLocation end, ReadVroomLocation(fields, "end", "end_index"));
  if (!end.absent()) vehicle.end = end;
  if (vehicle.start.absent() && !vehicle.end.has_value()) {
    return fields.Error("start", "absent, and the end too; wanted one of them");
  }
  VRP_ASSIGN_OR_RETURN(vehicle.capacity, fields.Numbers("capacity"));
  VRP_ASSIGN_OR_RETURN(vehicle.skills, ReadVroomSkills(fields));
  VRP_ASSIGN_OR_RETURN(const std::vector<double> window, fields.Numbers("time_window"));
  if (!window.empty() && window.size() != 2) {
    return fields.Error("time_window", "has ", window.size(), " numbers, wanted 2");
  }
  if (!window.empty()) vehicle.window = {.open = window[0], .close = window[1]};
  VRP_RETURN_IF_ERROR(ReadBreaks(fields, path, vehicle));
  VRP_RETURN_IF_ERROR(ReadCosts(fields, path, vehicle));
  VRP_RETURN_IF_ERROR(ReadLimits(fields, vehicle));
  VRP_RETURN_IF_ERROR(ReadSteps(fields, path, vehicle));
  return vehicle;
}

}  // namespace vrp
