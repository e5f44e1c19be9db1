// The rules of vehicle types and of matrices.
#include <algorithm>
#include <cmath>

#include "core/base/number.h"
#include "core/problem/instance/instance_rules.h"

namespace vrp {
namespace {

class VehicleRules {
 public:
  VehicleRules(const InstanceData& data, size_t nodes, FieldErrors& errors)
      : data_(data),
        matrix_size_(data.matrix_rows.empty() ? nodes : MatrixSize(data)),
        errors_(errors) {}

  void Check(size_t index) {
    const VehicleType& vehicle = data_.vehicles[index];
    path_ = Concat("vehicles[", index, "].");
    errors_.CheckName(path_ + "id", vehicle.id);
    CheckRange("count", vehicle.count, 0, kMaxVehicles);
    CheckDepots(vehicle);
    CheckCapacities(vehicle);
    errors_.CheckLimit(path_ + "max_duration", vehicle.max_duration);
    errors_.CheckLimit(path_ + "max_distance", vehicle.max_distance);
    CheckRange("max_stops", vehicle.max_stops, 1, INT32_MAX);
    CheckRange("max_reloads", vehicle.max_reloads, 0, kMaxNodes);
    errors_.CheckHardWindow(path_ + "shift", vehicle.shift);
    CheckCosts(vehicle);
    CheckOvertime(vehicle);
    CheckSkills(vehicle);
    CheckBreaks(vehicle);
    CheckMatrix({path_ + "distance_matrix", vehicle.distance_matrix});
    CheckMatrix({path_ + "duration_matrix", vehicle.duration_matrix, false});
  }

 private:
  void CheckRange(std::string_view field, int32_t value, int32_t least, int32_t most) {
    if (value >= least && value <= most) return;
    errors_.Add(Concat(path_, field), "got ", value, ", wanted ", least, " to ", most);
  }

  void CheckDepot(std::string_view field, NodeIndex depot) {
    if (depot >= 0 && depot < data_.num_depots) return;
    errors_.Add(Concat(path_, field), "got ", depot, ", wanted a depot: 0 to ",
                data_.num_depots - 1);
  }

  void CheckDepots(const VehicleType& vehicle) {
    CheckDepot("depot", vehicle.depot);
    if (vehicle.end_depot == kWhereItStarts) return;
    CheckDepot("end_depot", vehicle.end_depot);
    if (vehicle.open_end && vehicle.end_depot != vehicle.depot) {
      errors_.Add(path_ + "end_depot", "got ", vehicle.end_depot,
                  ", but with open_end the vehicle ends at no depot");
    }
  }

  void CheckCapacities(const VehicleType& vehicle) {
    const bool single = data_.load_dimensions == 1;
    CheckCapacity(path_ + (single ? "capacity" : "capacity[0]"), vehicle.capacity);
    const std::vector<double>& further = vehicle.further_capacities;
    if (!further.empty() && further.size() + 1 != static_cast<size_t>(data_.load_dimensions)) {
      errors_.Add(path_ + "capacity", "has ", further.size() + 1,
                  " entries, wanted one for each of ", data_.load_dimensions, " load dimensions");
    }
    for (size_t k = 0; k < further.size(); ++k) {
      CheckCapacity(Concat(path_, "capacity[", k + 1, "]"), further[k]);
    }
  }

  // 0 is one: a van that takes no pallets.
  void CheckCapacity(const std::string& path, double capacity) {
    if (capacity != kNoLimit) errors_.CheckValue(path, capacity, 0);
  }

  void CheckCosts(const VehicleType& vehicle) {
    CheckCost("fixed_cost", vehicle.fixed_cost, 0);
    CheckCost("cost_per_distance", vehicle.cost_per_distance, 1);
    CheckCost("cost_per_time", vehicle.cost_per_time, 0);
    CheckCost("overtime_cost", vehicle.overtime_cost, 0);
  }

  void CheckCost(std::string_view field, double cost, double usual) {
    const std::string path = Concat(path_, field);
    if (!errors_.CheckValue(path, cost, 0)) return;
    if (cost == usual || data_.objective == Objective::kCost) return;
    errors_.Add(path, "given, but the objective is ", ObjectiveName(data_.objective),
                "; wanted objective cost");
  }

  void CheckOvertime(const VehicleType& vehicle) {
    const std::string path = path_ + "max_overtime";
    if (vehicle.max_overtime != kNoLimit && !errors_.CheckValue(path, vehicle.max_overtime, 0)) {
      return;
    }
    if (vehicle.max_overtime > 0 && vehicle.max_duration == kNoLimit) {
      errors_.Add(path, "given, but there is no max_duration");
    }
    if (vehicle.max_overtime == 0 && vehicle.overtime_cost != 0) {
      errors_.Add(path_ + "overtime_cost", "given, but there is no max_overtime");
    }
  }

  void CheckSkills(const VehicleType& vehicle) {
    for (size_t i = 0; i < vehicle.skills.size(); ++i) {
      const std::string path = Concat(path_, "skills[", i, "]");
      errors_.CheckName(path, vehicle.skills[i]);
      if (vehicle.skills[i].empty()) errors_.Add(path, "empty");
    }
  }

  void CheckBreaks(const VehicleType& vehicle) {
    if (vehicle.breaks.size() > kMaxBreaks) {
      errors_.Add(path_ + "breaks", "has ", vehicle.breaks.size(), " entries, wanted at most ",
                  kMaxBreaks);
      return;
    }
    for (size_t i = 0; i < vehicle.breaks.size(); ++i) {
      const std::string path = Concat(path_, "breaks[", i, "]");
      errors_.CheckHardWindow(path + ".window", vehicle.breaks[i].window);
      errors_.CheckValue(path + ".duration", vehicle.breaks[i].duration, 0);
    }
  }

  void CheckMatrix(const MatrixField& matrix) {
    CheckMatrixSize(matrix, matrix_size_, errors_);
    if (matrix.values.size() == matrix_size_ * matrix_size_) {
      CheckMatrixValues(matrix, data_.metric, errors_);
    }
  }

  const InstanceData& data_;
  const size_t matrix_size_;
  FieldErrors& errors_;
  std::string path_;
};

}  // namespace

void CheckVehicles(const InstanceData& data, size_t nodes, FieldErrors& errors) {
  if (data.vehicles.size() > kMaxVehicles) {
    errors.Add("vehicles", data.vehicles.size(), " types exceed the limit of ", kMaxVehicles);
    return;
  }
  VehicleRules rules(data, nodes, errors);
  for (size_t i = 0; i < data.vehicles.size(); ++i) rules.Check(i);
}

void CheckMatrixSize(const MatrixField& matrix, size_t nodes, FieldErrors& errors) {
  if (matrix.values.empty()) return;
  if (nodes > kMaxMatrixNodes) {
    errors.Add(matrix.path, nodes, " nodes exceed the limit of ", kMaxMatrixNodes, " for a matrix");
  } else if (matrix.values.size() != nodes * nodes) {
    errors.Add(matrix.path, "has ", matrix.values.size(), " entries, wanted ", nodes, " x ", nodes);
  }
}

void CheckMatrixValues(const MatrixField& matrix, Metric metric, FieldErrors& errors) {
  const double unit = matrix.distances ? MetricUnit(metric) : 0;
  const auto nodes = static_cast<size_t>(std::lround(std::sqrt(matrix.values.size())));
  for (size_t i = 0; i < matrix.values.size(); ++i) {
    const double value = matrix.values[i];
    const bool plain = value >= 0 && value <= kMaxMagnitude;
    if (plain && (unit == 0 || MetricSum(metric, value) == value)) continue;
    const std::string path = Concat(matrix.path, "[", i / nodes, "][", i % nodes, "]");
    if (errors.CheckValue(path, value, 0)) {
      errors.Add(path, "got ", FormatNumber(value), ", no multiple of the unit ",
                 FormatNumber(unit), " of metric ", MetricName(metric));
    }
  }
}

}  // namespace vrp
