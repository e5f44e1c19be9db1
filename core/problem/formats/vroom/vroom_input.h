// VROOM's JSON input as it stands in the file, before it becomes an instance.
// Format: github.com/VROOM-Project/vroom, docs/API.md (v1.15).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/problem/instance/metric.h"
#include "core/problem/instance/units.h"
#include "core/problem/instance/vehicle.h"
#include "nlohmann/json.hpp"

namespace vrp {

// A place: by coordinates, by a row of the matrices, or both.
struct VroomLocation {
  std::optional<Position> position = {};  // longitude, latitude
  std::optional<int32_t> index = {};

  bool absent() const { return !position.has_value() && !index.has_value(); }
  bool operator==(const VroomLocation&) const = default;
};

struct VroomBreakName {
  int64_t id = 0;
  std::string description = {};

  bool operator==(const VroomBreakName&) const = default;
};

enum class VroomTaskType { kJob, kPickup, kDelivery };

// A task of a custom route: a vehicle's `steps`.
struct VroomStep {
  VroomTaskType type = VroomTaskType::kJob;
  int64_t id = 0;
  size_t place = 0;  // among the file's steps

  bool operator==(const VroomStep&) const = default;
};

struct VroomTask {
  VroomTaskType type = VroomTaskType::kJob;
  int64_t id = 0;
  std::string description = {};
  VroomLocation location = {};
  double setup = 0;
  double service = 0;
  std::vector<double> delivery = {};  // of a job
  bool delivery_is_amount = false;    // whether the file calls it `amount` (VROOM before 1.5)
  std::vector<double> pickup = {};    // of a job
  std::vector<double> amount = {};    // of a shipment's two tasks
  std::vector<std::string> skills = {};
  int32_t priority = 0;
  std::vector<TimeWindow> windows = {};
};

struct VroomVehicle {
  int64_t id = 0;
  std::string description = {};
  std::string profile = "car";
  VroomLocation start = {};               // absent: the route starts with its first task
  std::optional<VroomLocation> end = {};  // none: the route ends with its last task
  std::vector<double> capacity = {};      // empty: no limit
  std::vector<std::string> skills = {};
  TimeWindow window = {};
  std::vector<VroomBreakName> break_names = {};
  std::vector<Break> breaks = {};
  double fixed_cost = 0;
  double cost_per_hour = kSecondsPerHour;
  double cost_per_km = 0;
  double speed_factor = 1;
  int32_t max_tasks = INT32_MAX;
  double max_travel_time = kNoLimit;
  double max_distance = kNoLimit;
  std::vector<VroomStep> steps = {};  // a plan to start from; without start, end and breaks

  bool operator==(const VroomVehicle&) const = default;
};

// [n, n] row-major; empty where not given.
struct VroomMatrices {
  int32_t size = 0;
  bool is_old_key = false;  // whether the file calls it `matrix` (VROOM before 1.8)
  std::vector<double> durations = {};
  std::vector<double> distances = {};
  std::vector<double> costs = {};
};

// Seconds and metres of travel where there are no matrices: as the crow flies, at 50 km/h.
inline constexpr double kVroomSpeed = 50 / 3.6;

struct VroomInput {
  std::vector<VroomVehicle> vehicles = {};
  std::vector<VroomTask> tasks = {};  // the jobs, then pickup and delivery of each shipment
  size_t num_jobs = 0;
  std::map<std::string, VroomMatrices> matrices = {};  // by profile
};

// Vehicles that differ in nothing but their names, as numbers in `vehicles`; each group is one
// vehicle type of the instance, in order of its first member. Those that may do no task
// (max_tasks 0) are in none.
std::vector<std::vector<int32_t>> VroomVehicleGroups(const VroomInput& input);

// Whether an object is VROOM's input rather than our JSON.
bool LooksLikeVroom(const nlohmann::json& root);

// `root` must be an object. kInvalidArgument: `name: jobs[3].service: got "x", wanted a number`.
// Keys that change what is to be solved and that are not known here are refused by name.
absl::StatusOr<VroomInput> ReadVroomInput(const nlohmann::json& root, std::string_view name);

}  // namespace vrp
