#include "core/problem/formats/vroom/vroom_names.h"

#include <algorithm>

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/problem/formats/text/text_scanner.h"
#include "core/problem/formats/vroom/vroom_parser.h"

namespace vrp {

VroomNames::VroomNames(const Instance& instance) : instance_(instance) {
  tasks_.resize(static_cast<size_t>(instance.num_customers()));
  for (NodeIndex node = instance.num_depots(); node < instance.num_nodes(); ++node) {
    tasks_[TaskAt(node)].id = node;
  }
  for (const Shipment& shipment : instance.data().shipments) {
    tasks_[TaskAt(shipment.pickup)].type = VroomTaskType::kPickup;
    tasks_[TaskAt(shipment.delivery)].type = VroomTaskType::kDelivery;
  }
  first_ids_.push_back(1);
  for (const VehicleType& type : instance.vehicles()) {
    const int32_t count = type.count == 0 ? instance.num_customers() : type.count;
    first_ids_.push_back(first_ids_.back() + count);
  }
  if (instance.vehicles().empty()) first_ids_.push_back(2);  // a TSP has one vehicle
  IndexTasks();
}

VroomNames::VroomNames(const Instance& instance, VroomInput input)
    : instance_(instance),
      input_(std::move(input)),
      groups_(VroomVehicleGroups(*input_)),
      tasks_(input_->tasks) {
  IndexTasks();
}

void VroomNames::IndexTasks() {
  for (size_t t = 0; t < tasks_.size(); ++t) {
    customers_.emplace(std::pair(tasks_[t].type, tasks_[t].id),
                       instance_.num_depots() + static_cast<NodeIndex>(t));
  }
}

const VroomVehicle* VroomNames::VehicleAt(int32_t type, int64_t number) const {
  if (!input_.has_value()) return nullptr;
  const std::vector<int32_t>& group = groups_[static_cast<size_t>(type)];
  const int64_t last = std::ssize(group) - 1;
  return &input_->vehicles[static_cast<size_t>(group[std::min(number, last)])];
}

VroomSite VroomNames::SiteByNode(NodeIndex node) const {
  VroomSite site;
  site.location.index = node;
  if (instance_.has_positions()) site.location.position = instance_.position(node);
  if (instance_.id(node) != std::to_string(node)) site.description = instance_.id(node);
  return site;
}

VroomSite VroomNames::SiteOf(NodeIndex customer) const {
  if (!input_.has_value()) return SiteByNode(customer);
  const VroomTask& task = tasks_[TaskAt(customer)];
  return {task.location, task.description};
}

VroomSite VroomNames::StartOf(int32_t type) const {
  const VroomVehicle* vehicle = VehicleAt(type, 0);
  if (vehicle != nullptr) return {vehicle->start, ""};
  return SiteByNode(instance_.vehicles().empty() ? 0 : instance_.vehicles()[type].depot);
}

VroomSite VroomNames::EndOf(int32_t type) const {
  const VroomVehicle* vehicle = VehicleAt(type, 0);
  if (vehicle != nullptr) return {vehicle->end.value_or(VroomLocation{}), ""};
  return SiteByNode(instance_.vehicles().empty() ? 0 : instance_.vehicles()[type].end());
}

int64_t VroomNames::VehicleId(int32_t type, int64_t number) const {
  const VroomVehicle* vehicle = VehicleAt(type, number);
  if (vehicle != nullptr) return vehicle->id;
  const auto t = static_cast<size_t>(type);
  return std::min(first_ids_[t] + number, first_ids_[t + 1] - 1);
}

std::string VroomNames::VehicleDescription(int32_t type, int64_t number) const {
  const VroomVehicle* vehicle = VehicleAt(type, number);
  if (vehicle != nullptr) return vehicle->description;
  return instance_.vehicles().empty() ? "" : instance_.vehicles()[type].id;
}

VroomBreakName VroomNames::BreakName(int32_t type, int64_t number, int32_t index) const {
  const VroomVehicle* vehicle = VehicleAt(type, number);
  if (vehicle == nullptr) return {.id = index + 1};
  return vehicle->break_names[static_cast<size_t>(index)];
}

std::optional<int32_t> VroomNames::TypeOfVehicle(int64_t id) const {
  if (!input_.has_value()) {
    const auto next = std::upper_bound(first_ids_.begin(), first_ids_.end(), id);
    if (next == first_ids_.begin() || next == first_ids_.end()) return std::nullopt;
    return static_cast<int32_t>(next - first_ids_.begin()) - 1;
  }
  for (size_t type = 0; type < groups_.size(); ++type) {
    for (const int32_t vehicle : groups_[type]) {
      if (input_->vehicles[vehicle].id == id) return static_cast<int32_t>(type);
    }
  }
  return std::nullopt;
}

std::optional<NodeIndex> VroomNames::CustomerOf(VroomTaskType type, int64_t id) const {
  const auto found = customers_.find({type, id});
  if (found == customers_.end()) return std::nullopt;
  return found->second;
}

VroomSteps VroomNames::Steps() const {
  VroomSteps result;
  for (size_t type = 0; type < groups_.size(); ++type) {
    for (const int32_t vehicle : groups_[type]) {
      PlannedRoute route{.vehicle_type = static_cast<int32_t>(type)};
      for (const VroomStep& step : input_->vehicles[vehicle].steps) {
        if (step.type != VroomStepType::kTask) continue;
        if (const auto node = CustomerOf(step.task, *step.id); node.has_value()) {
          route.customers.push_back(*node);
        }
      }
      if (route.customers.empty()) continue;
      result.vehicles.push_back(input_->vehicles[vehicle].id);
      result.plan.push_back(std::move(route));
    }
  }
  return result;
}

std::optional<std::pair<int32_t, int64_t>> VroomNames::PlaceOf(size_t vehicle) const {
  for (size_t type = 0; type < groups_.size(); ++type) {
    const auto member = std::ranges::find(groups_[type], static_cast<int32_t>(vehicle));
    if (member == groups_[type].end()) continue;
    return std::pair(static_cast<int32_t>(type), member - groups_[type].begin());
  }
  return std::nullopt;
}

std::optional<double> VroomNames::Metres(int32_t type, NodeIndex from, NodeIndex to) const {
  const auto vehicles = instance_.vehicles();
  if (!input_.has_value() || input_->matrices.empty()) {
    return vehicles.empty() ? instance_.Distance(from, to)
                            : instance_.Distance(vehicles[type], from, to);
  }
  const VroomMatrices& matrices = input_->matrices.at(VehicleAt(type, 0)->profile);
  if (matrices.distances.empty()) return std::nullopt;
  const bool from_open_start =
      instance_.is_depot(from) && from == vehicles[type].depot && StartOf(type).location.absent();
  if (from_open_start) return 0;
  const auto row = [&](NodeIndex node) -> size_t {
    const bool depot = instance_.is_depot(node);
    const bool start = depot && node == vehicles[type].depot;
    const VroomSite site = !depot ? SiteOf(node) : start ? StartOf(type) : EndOf(type);
    return static_cast<size_t>(*site.location.index);
  };
  return matrices.distances[row(from) * static_cast<size_t>(matrices.size) + row(to)];
}

VroomNames VroomNamesOf(const Instance& instance, std::string_view text) {
  if (!Trimmed(WithoutByteOrderMark(text)).starts_with("{")) return VroomNames(instance);
  const absl::StatusOr<nlohmann::json> root = ParseJsonText(text, instance.name());
  if (!root.ok() || !LooksLikeVroom(*root)) return VroomNames(instance);
  absl::StatusOr<VroomInput> input = ReadVroomInput(*root, instance.name());
  return input.ok() ? VroomNames(instance, *std::move(input)) : VroomNames(instance);
}

}  // namespace vrp
