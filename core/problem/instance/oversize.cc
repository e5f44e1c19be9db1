#include "core/problem/instance/oversize.h"

#include <algorithm>
#include <string_view>

#include "core/base/number.h"
#include "core/problem/instance/field_errors.h"
#include "core/problem/instance/group_limits.h"

namespace vrp {
namespace {

constexpr double kSumRounding = 1e-12;  // of a sum of compartments, as a share of it

// Whether all capacities are valid, so that loads can be compared with them.
bool CapacitiesAreValid(const InstanceData& data) {
  const auto valid = [](double capacity) { return capacity >= 0; };  // false for NaN
  return std::ranges::all_of(data.vehicles, [&](const VehicleType& vehicle) {
    return valid(vehicle.capacity) && std::ranges::all_of(vehicle.further_capacities, valid) &&
           std::ranges::all_of(vehicle.compartments, valid, &Compartment::capacity);
  });
}

// Returns the largest load that a vehicle can carry in each load dimension.
std::vector<double> LargestCapacities(const InstanceData& data) {
  std::vector<double> largest(static_cast<size_t>(std::max(1, data.load_dimensions)), 0);
  for (const VehicleType& vehicle : data.vehicles) {
    for (size_t k = 0; k < largest.size(); ++k) {
      largest[k] = std::max(largest[k], LargestLoad(vehicle, static_cast<int32_t>(k)));
    }
  }
  return largest;
}

class OversizeFinder {
 public:
  explicit OversizeFinder(const InstanceData& data)
      : data_(data), largest_(LargestCapacities(data)) {}

  std::vector<std::string> Run() && {
    AddNodes("demand", data_.demands);
    AddNodes("backhaul", data_.backhauls);
    AddNodes("pickup", data_.pickups);
    for (size_t i = 0; i < data_.shipments.size(); ++i) {
      const std::vector<double>& amounts = data_.shipments[i].amounts;
      for (size_t k = 0; k < std::min(amounts.size(), largest_.size()); ++k) {
        Compare(Concat("shipments[", i, "].amount[", k, "]"), amounts[k], k);
      }
    }
    FindOversizeGroups(data_, errors_);
    return errors_.Take();
  }

 private:
  void AddNodes(std::string_view field, const std::vector<double>& loads) {
    const size_t columns = largest_.size();
    for (size_t i = 0; i < loads.size(); ++i) {
      const FieldPath node = NodePath(data_, i / columns);
      Compare(columns == 1 ? FieldPath(node, field) : FieldPath(node, field, i % columns), loads[i],
              i % columns);
    }
  }

  void Compare(const FieldPath& path, double load, size_t dimension) {
    if (load > largest_[dimension] * (1 + kSumRounding)) {  // false for NaN
      errors_.Add(path, FormatNumber(load), " exceeds vehicle capacity ",
                  FormatNumber(largest_[dimension]));
    }
  }

  const InstanceData& data_;
  const std::vector<double> largest_;
  FieldErrors errors_;
};

}  // namespace

std::vector<std::string> OversizeLoads(const InstanceData& data) {
  if (data.vehicles.empty() || !CapacitiesAreValid(data)) return {};
  return OversizeFinder(data).Run();
}

}  // namespace vrp
