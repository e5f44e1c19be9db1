#include "server/convert/vehicle_convert.h"

namespace vrp {

TimeWindow WindowFromProto(const v1::TimeWindow& window) {
  return {window.open(), window.has_close() ? window.close() : kNoLimit,
          window.has_late_cost() ? window.late_cost() : kNoLimit};
}

VehicleType VehicleFromProto(const v1::Vehicle& vehicle, size_t dimensions) {
  VehicleType type{.id = vehicle.id(), .count = vehicle.count(), .depot = vehicle.start_depot()};
  if (vehicle.has_end_depot()) type.end_depot = vehicle.end_depot();
  type.open_end = vehicle.open_end();
  if (vehicle.capacity_size() > 0) type.capacity = vehicle.capacity(0);
  if (vehicle.capacity_size() > 1) {
    type.further_capacities.assign(vehicle.capacity().begin() + 1, vehicle.capacity().end());
    type.further_capacities.resize(dimensions - 1, kNoLimit);
  }
  if (vehicle.has_max_duration()) type.max_duration = vehicle.max_duration();
  if (vehicle.has_max_distance()) type.max_distance = vehicle.max_distance();
  if (vehicle.has_shift()) type.shift = WindowFromProto(vehicle.shift());
  type.fixed_cost = vehicle.fixed_cost();
  if (vehicle.has_cost_per_distance()) type.cost_per_distance = vehicle.cost_per_distance();
  type.cost_per_time = vehicle.cost_per_time();
  type.max_overtime = vehicle.max_overtime();
  type.overtime_cost = vehicle.overtime_cost();
  if (vehicle.has_max_stops()) type.max_stops = vehicle.max_stops();
  type.max_reloads = vehicle.max_reloads();
  type.skills.assign(vehicle.skills().begin(), vehicle.skills().end());
  for (const v1::Break& pause : vehicle.breaks()) {
    type.breaks.push_back({WindowFromProto(pause.time_window()), pause.duration()});
  }
  return type;
}

}  // namespace vrp
