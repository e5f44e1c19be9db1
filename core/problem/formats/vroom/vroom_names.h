// Maps an instance's vehicles, breaks and tasks to their names in VROOM's files.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/problem/formats/vroom/vroom_input.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/plan.h"

namespace vrp {

// The location and description of a task, or of the start or end of a vehicle.
struct VroomSite {
  VroomLocation location = {};
  std::string description = {};
};

// The tasks of the custom routes of a VROOM file, without routes that have none.
struct VroomSteps {
  Plan plan = {};
  std::vector<int64_t> vehicles = {};  // id of each route's vehicle
};

// The names that a VROOM file gives to the vehicles, breaks and tasks of an instance. Thread-safe.
// The constructors store no reference to their arguments.
class VroomNames {
 public:
  // Builds names for an instance that was not read from a VROOM file. The id of a task is its node
  // number. Vehicles are numbered from 1 across all types; an unlimited type has one vehicle for
  // each customer.
  explicit VroomNames(const Instance& instance);
  // Builds names for the instance that InstanceFromVroom made from `input`. The names are those of
  // the file.
  VroomNames(const Instance& instance, VroomInput input);

  // Each returns a property of the customer's task.
  VroomTaskType TypeOf(NodeIndex customer) const { return tasks_[TaskAt(customer)].type; }
  int64_t IdOf(NodeIndex customer) const { return tasks_[TaskAt(customer)].id; }
  VroomSite SiteOf(NodeIndex customer) const;
  // Returns the site where vehicles of the type start, without a location if the start is open.
  VroomSite StartOf(int32_t type) const;
  // Returns the site where vehicles of the type end, without a location if the end is open.
  VroomSite EndOf(int32_t type) const;

  // Returns the id of the `number`-th vehicle of a type, from 0. Numbers beyond the last vehicle
  // refer to the last one.
  int64_t VehicleId(int32_t type, int64_t number) const;
  // Returns the description of the same vehicle.
  std::string VehicleDescription(int32_t type, int64_t number) const;
  // Returns the name of the vehicle's break `index`.
  VroomBreakName BreakName(int32_t type, int64_t number, int32_t index) const;
  // Returns the type of the vehicle with this id; nullopt if there is none.
  std::optional<int32_t> TypeOfVehicle(int64_t id) const;
  // Returns the customer of the task with this type and id; nullopt if there is none.
  std::optional<NodeIndex> CustomerOf(VroomTaskType type, int64_t id) const;

  // Returns the tasks of the custom routes that the file gives to its vehicles; no routes if the
  // instance was not read from a VROOM file.
  VroomSteps Steps() const;
  // Returns the file; null if the instance was not read from a VROOM file.
  const VroomInput* file() const { return input_.has_value() ? &*input_ : nullptr; }
  // Returns the type of vehicle `vehicle` of the file, and its number among those of the type;
  // nullopt if the vehicle may do no task.
  std::optional<std::pair<int32_t, int64_t>> PlaceOf(size_t vehicle) const;
  // Returns the task of a customer; only the type and id if the instance was not read from a VROOM
  // file.
  const VroomTask& TaskOf(NodeIndex customer) const { return tasks_[TaskAt(customer)]; }

  // Returns the distance from one node to another for vehicles of the type, in metres; nullopt if
  // the file's matrices for these vehicles have no distances. Returns 0 from an open start. The
  // unit is the instance's if it was not read from a VROOM file.
  std::optional<double> Metres(int32_t type, NodeIndex from, NodeIndex to) const;

 private:
  size_t TaskAt(NodeIndex customer) const {
    return static_cast<size_t>(customer - instance_.num_depots());
  }
  // Returns a vehicle of the file; null if the instance was not read from a VROOM file.
  const VroomVehicle* VehicleAt(int32_t type, int64_t number) const;
  VroomSite SiteByNode(NodeIndex node) const;
  void IndexTasks();

  const Instance instance_;
  std::optional<VroomInput> input_;
  std::vector<std::vector<int32_t>> groups_;  // by type; only if read from a VROOM file
  std::vector<int64_t> first_ids_;            // by type, with the end of the last; only if not read
                                              // from a VROOM file
  std::vector<VroomTask> tasks_;              // by customer; only types and ids if not read from a
                                              // VROOM file
  std::map<std::pair<VroomTaskType, int64_t>, NodeIndex> customers_;
};

// Returns the names for the instance that was read from `text`, which may have any format.
VroomNames VroomNamesOf(const Instance& instance, std::string_view text);

}  // namespace vrp
