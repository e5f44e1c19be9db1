// How VROOM's files name the vehicles, breaks and tasks of an instance.
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

// What VROOM knows of a place or a task besides its type and id.
struct VroomPlace {
  VroomLocation location = {};
  std::string description = {};
};

// Thread-safe. Both constructors read all they need.
class VroomNames {
 public:
  // Of an instance that VROOM does not know: tasks have their node's number, vehicles are counted
  // from 1 through all types, where a type without a limit has one for each customer.
  explicit VroomNames(const Instance& instance);
  // Of the instance that InstanceFromVroom made of `input`: the file's own.
  VroomNames(const Instance& instance, VroomInput input);

  VroomTaskType TypeOf(NodeIndex customer) const { return tasks_[TaskAt(customer)].type; }
  int64_t IdOf(NodeIndex customer) const { return tasks_[TaskAt(customer)].id; }
  VroomPlace PlaceOf(NodeIndex customer) const;
  // Where vehicles of that type start, or end.
  VroomPlace StartOf(int32_t type) const;
  VroomPlace EndOf(int32_t type) const;

  // The `number`-th vehicle of a type; of one that there is not, the last.
  int64_t VehicleId(int32_t type, int64_t number) const;
  std::string VehicleDescription(int32_t type, int64_t number) const;
  // Of a vehicle's breaks, by their place.
  VroomBreakName BreakName(int32_t type, int64_t number, int32_t index) const;
  // The type of the vehicle with that id, and the customer with that id.
  std::optional<int32_t> TypeOfVehicle(int64_t id) const;
  std::optional<NodeIndex> CustomerOf(VroomTaskType type, int64_t id) const;

  // The custom routes that the file gives to its vehicles, whose tasks InstanceFromVroom knows.
  Plan PlanOfSteps() const;

  // Metres from a node to another for vehicles of that type; nothing where the file has none.
  std::optional<double> Metres(int32_t type, NodeIndex from, NodeIndex to) const;

 private:
  size_t TaskAt(NodeIndex customer) const {
    return static_cast<size_t>(customer - instance_.num_depots());
  }
  // Of the file; null where the instance is none of VROOM's.
  const VroomVehicle* VehicleAt(int32_t type, int64_t number) const;
  VroomPlace PlaceByNode(NodeIndex node) const;
  void IndexTasks();

  const Instance instance_;
  std::optional<VroomInput> input_;
  std::vector<std::vector<int32_t>> groups_;  // by type, where there is an input
  std::vector<int64_t> first_ids_;            // by type and one more, where there is none
  std::vector<VroomTask> tasks_;              // by customer; of no input only types and ids
  std::map<std::pair<VroomTaskType, int64_t>, NodeIndex> customers_;
};

// Of the instance that was read from `text`, whatever its format.
VroomNames VroomNamesOf(const Instance& instance, std::string_view text);

}  // namespace vrp
