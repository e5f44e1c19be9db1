#include "core/problem/instance/features.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "core/base/text.h"
#include "core/problem/instance/field_errors.h"

namespace vrp {
namespace {

class Collector {
 public:
  explicit Collector(const Instance& instance)
      : data_(instance.data()), frozen_(instance.frozen()), nodes_(instance.num_nodes()) {}

  std::vector<FeatureUse> Run() && {
    if (data_.objective != Objective::kDistance) Add(Feature::kObjective, "objective");
    if (data_.num_depots > 1) Add(Feature::kSeveralDepots, "depots");
    if (data_.vehicles.size() > 1) Add(Feature::kVehicleTypes, "vehicles");
    AddVehicleFeatures();
    AddCustomerFeatures();
    if (!data_.shipments.empty()) Add(Feature::kShipments, "shipments[0]");
    if (!data_.alternative_groups.empty()) Add(Feature::kAlternatives, "alternative_groups[0]");
    if (!frozen_.empty()) {
      Add(Feature::kFrozenStops,
          Concat("initial_solution.routes[", frozen_[0].route, "].frozen_stops"));
    }
    if (!data_.matrix_rows.empty()) Add(Feature::kMatrixRows, "matrix_rows");
    std::sort(uses_.begin(), uses_.end(),
              [](const FeatureUse& a, const FeatureUse& b) { return a.feature < b.feature; });
    return std::move(uses_);
  }

 private:
  void Add(Feature feature, std::string field) { uses_.push_back({feature, std::move(field)}); }

  // Where the first vehicle type that `asks` says it.
  template <typename Asks>
  void AddVehicle(Feature feature, std::string_view field, Asks asks) {
    const auto found = std::find_if(data_.vehicles.begin(), data_.vehicles.end(), asks);
    if (found == data_.vehicles.end()) return;
    Add(feature, Concat("vehicles[", found - data_.vehicles.begin(), "].", field));
  }

  void AddVehicleFeatures() {
    using V = VehicleType;
    AddVehicle(Feature::kEndDepot, "end_depot", [](const V& v) { return v.end() != v.depot; });
    AddVehicle(Feature::kOpenEnd, "open_end", [](const V& v) { return v.open_end; });
    AddVehicle(Feature::kMaxDuration, "max_duration",
               [](const V& v) { return v.max_duration != kNoLimit; });
    AddVehicle(Feature::kMaxDistance, "max_distance",
               [](const V& v) { return v.max_distance != kNoLimit; });
    AddVehicle(Feature::kMaxStops, "max_stops",
               [](const V& v) { return v.max_stops != INT32_MAX; });
    AddVehicle(Feature::kShift, "shift", [](const V& v) { return v.shift != TimeWindow{}; });
    AddVehicle(Feature::kOvertime, "max_overtime", [](const V& v) { return v.max_overtime != 0; });
    AddVehicle(Feature::kReloads, "max_reloads", [](const V& v) { return v.max_reloads != 0; });
    AddVehicle(Feature::kBreaks, "breaks", [](const V& v) { return !v.breaks.empty(); });
    AddVehicle(Feature::kVehicleMatrix, "distance_matrix",
               [](const V& v) { return !v.distance_matrix.empty(); });
    if (!uses_.empty() && uses_.back().feature == Feature::kVehicleMatrix) return;
    AddVehicle(Feature::kVehicleMatrix, "duration_matrix",
               [](const V& v) { return !v.duration_matrix.empty(); });
  }

  // Where the first node of `values` that `asks` says it.
  template <typename T, typename Asks>
  void AddNode(Feature feature, const std::vector<T>& values, std::string_view field, Asks asks) {
    const auto found = std::find_if(values.begin(), values.end(), asks);
    if (found == values.end()) return;
    const int64_t node = (found - values.begin()) * nodes_ / static_cast<int64_t>(values.size());
    Add(feature, Concat(NodePath(data_, static_cast<size_t>(node)).ToString(), ".", field));
  }

  void AddCustomerFeatures() {
    const auto positive = [](double value) { return value > 0; };
    if (data_.load_dimensions > 1) Add(Feature::kLoadDimensions, "customers[0].demand[1]");
    AddNode(Feature::kBackhauls, data_.backhauls, "backhaul", positive);
    AddNode(Feature::kPickups, data_.pickups, "pickup", positive);
    AddNode(Feature::kSkills, data_.required_skills, "required_skills",
            [](const std::vector<std::string>& skills) { return !skills.empty(); });
    AddWindowFeatures();
    AddNode(Feature::kSetupTimes, data_.setups, "setup", positive);
    AddNode(Feature::kReleaseTimes, data_.releases, "release", positive);
    AddNode(Feature::kPrizes, data_.prizes, "prize",
            [](double prize) { return prize != kNoLimit; });
    AddNode(Feature::kPriorities, data_.priorities, "priority", positive);
  }

  void AddWindowFeatures() {
    using Windows = std::vector<TimeWindow>;
    const auto soft = [](const TimeWindow& window) { return window.soft(); };
    AddNode(Feature::kSeveralWindows, data_.further_windows, "further_windows",
            [](const Windows& windows) { return !windows.empty(); });
    const size_t before = uses_.size();
    AddNode(Feature::kSoftWindows, data_.windows, "window.late_cost", soft);
    if (uses_.size() > before) return;
    AddNode(Feature::kSoftWindows, data_.further_windows, "further_windows.late_cost",
            [](const Windows& windows) { return !windows.empty() && windows.back().soft(); });
  }

  const InstanceData& data_;
  const std::span<const FrozenRoute> frozen_;
  const int64_t nodes_;
  std::vector<FeatureUse> uses_;
};

}  // namespace

std::vector<FeatureUse> FeaturesOf(const Instance& instance) { return Collector(instance).Run(); }

absl::Status RefuseFeatures(const Instance& instance, const std::vector<Feature>& known,
                            std::string_view who) {
  for (const FeatureUse& use : FeaturesOf(instance)) {
    if (std::find(known.begin(), known.end(), use.feature) != known.end()) continue;
    return absl::UnimplementedError(Concat(use.field, ": not supported by ", who));
  }
  return absl::OkStatus();
}

}  // namespace vrp
