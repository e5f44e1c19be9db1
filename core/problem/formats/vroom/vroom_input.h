// VROOM's JSON input as the file states it, before its conversion to an instance. The format is
// described in docs/API.md (v1.15) of github.com/VROOM-Project/vroom.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem/instance/metric.h"
#include "core/problem/instance/units.h"
#include "core/problem/instance/vehicle.h"
#include "nlohmann/json.hpp"

namespace vrp {

// A location given by coordinates, by a row of the matrices, or by both.
struct VroomLocation {
  std::optional<Position> position = {};  // longitude, latitude
  std::optional<int32_t> index = {};

  bool absent() const { return !position.has_value() && !index.has_value(); }
  bool operator==(const VroomLocation&) const = default;
};

// The id and description of a break.
struct VroomBreakName {
  int64_t id = 0;
  std::string description = {};
  size_t index = 0;  // index of the break among the vehicle's breaks in the file

  bool operator==(const VroomBreakName&) const = default;
};

// The type of a task. A shipment has a pickup and a delivery.
enum class VroomTaskType { kJob, kPickup, kDelivery };

// The type of a step. A kTask is a job, a pickup or a delivery.
enum class VroomStepType { kStart, kTask, kBreak, kEnd };

// A step of the custom route that a vehicle's `steps` give. Times are in seconds.
struct VroomStep {
  VroomStepType type = VroomStepType::kTask;
  VroomTaskType task = VroomTaskType::kJob;  // of a kTask
  std::optional<int64_t> id = {};            // of a kTask, which always has one, or a kBreak
  double earliest = 0;                       // service_at and service_after
  double latest = kNoLimit;                  // service_at and service_before
  size_t index = 0;                          // index among the vehicle's steps in the file

  bool operator==(const VroomStep&) const = default;
};

// A job, or the pickup or delivery of a shipment.
struct VroomTask {
  VroomTaskType type = VroomTaskType::kJob;
  int64_t id = 0;
  std::string description = {};
  VroomLocation location = {};
  double setup = 0;                                     // seconds
  double service = 0;                                   // seconds
  std::map<std::string, double> setup_per_type = {};    // seconds, by VroomVehicle::type
  std::map<std::string, double> service_per_type = {};  // likewise
  std::vector<double> delivery = {};                    // for jobs only
  bool delivery_is_amount = false;  // whether the file uses the key `amount` (VROOM before 1.5)
  std::vector<double> pickup = {};  // for jobs only
  std::vector<double> amount = {};  // for pickups and deliveries of shipments only
  std::vector<std::string> required_skills = {};
  int32_t priority = 0;
  std::vector<TimeWindow> windows = {};
};

// A vehicle. Times are in seconds, distances in metres.
struct VroomVehicle {
  int64_t id = 0;
  std::string description = {};
  std::string type = {};  // empty unless the times of a task depend on it
  std::string profile = "car";
  VroomLocation start = {};               // absent if the route starts with its first task
  std::optional<VroomLocation> end = {};  // absent if the route ends with its last task
  std::vector<double> capacity = {};      // empty: no limit
  std::vector<std::string> skills = {};
  TimeWindow window = {};
  std::vector<VroomBreakName> break_names = {};
  std::vector<Break> breaks = {};  // sorted by their first window, as VROOM does
  double fixed_cost = 0;
  double cost_per_hour = kSecondsPerHour;
  double cost_per_task_hour = 0;
  double cost_per_km = 0;
  double speed_factor = 1;
  int32_t max_tasks = INT32_MAX;
  double max_travel_time = kNoLimit;  // seconds
  double max_distance = kNoLimit;     // metres
  std::vector<VroomStep> steps = {};  // empty: no custom route

  bool operator==(const VroomVehicle&) const = default;
};

// The matrices of a profile, [size, size] row-major. Empty if not given.
struct VroomMatrices {
  int32_t size = 0;
  bool is_old_key = false;             // whether the file uses the key `matrix` (VROOM before 1.8)
  std::vector<double> durations = {};  // seconds
  std::vector<double> distances = {};  // metres
  std::vector<double> costs = {};      // in the file's own unit
};

// The key of a number in the file, and the vehicle's member that holds it.
struct VroomNumberKey {
  const char* key;
  double VroomVehicle::*member;
};
inline constexpr VroomNumberKey kVroomCosts[] = {
    {"fixed", &VroomVehicle::fixed_cost},
    {"per_hour", &VroomVehicle::cost_per_hour},
    {"per_task_hour", &VroomVehicle::cost_per_task_hour},
    {"per_km", &VroomVehicle::cost_per_km}};
inline constexpr VroomNumberKey kVroomLimits[] = {
    {"max_travel_time", &VroomVehicle::max_travel_time},
    {"max_distance", &VroomVehicle::max_distance}};

// Seconds from an open start to the first task, if there are setup times. The first task needs its
// setup, which a travel time of 0 would save. No sum of times changes by so little.
inline constexpr double kFromOpenStart = 1e-30;

// Speed on great circles if there are no matrices: 50 km/h in metres per second.
inline constexpr double kVroomSpeed = 50 / 3.6;
inline constexpr double kMetresPerKilometre = 1000;

// A parsed file.
struct VroomInput {
  std::vector<VroomVehicle> vehicles = {};
  std::vector<VroomTask> tasks = {};  // the jobs, then the pickup and delivery of each shipment
  size_t num_jobs = 0;
  std::map<std::string, VroomMatrices> matrices = {};  // by profile
  bool plan_mode = false;  // whether the file asks for times of the steps instead of a search
};

// Groups vehicles that differ only in their names and steps, and returns their indices into
// `vehicles`. Each group becomes one vehicle type of the instance. The groups are ordered by their
// first member. Vehicles with max_tasks 0 can serve no task and are in no group.
std::vector<std::vector<int32_t>> VroomVehicleGroups(const VroomInput& input);

// Whether an object is VROOM's input rather than our JSON.
bool LooksLikeVroom(const nlohmann::json& root);

}  // namespace vrp
