#include "core/problem/instance/features.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "core/base/text.h"
#include "core/problem/instance/field_errors.h"
#include "core/problem/instance/fields.h"

namespace vrp {
namespace {

Feature FeatureOf(RuleKind kind) {
  switch (kind) {
    case RuleKind::kSameRoute:
      return Feature::kSameRoute;
    case RuleKind::kDifferentRoutes:
      return Feature::kDifferentRoutes;
    case RuleKind::kMaxPerRoute:
      return Feature::kMaxPerRoute;
    case RuleKind::kInOrder:
      return Feature::kInOrder;
  }
  return Feature::kSameRoute;
}

class Collector {
 public:
  explicit Collector(const Instance& instance)
      : data_(instance.data()), frozen_(instance.frozen()), nodes_(instance.num_nodes()) {}

  std::vector<FeatureUse> Run() && {
    if (data_.objective != Objective::kDistance) Add(Feature::kObjective, "objective");
    if (data_.num_depots > 1) Add(Feature::kSeveralDepots, "depots");
    if (data_.vehicles.size() > 1) Add(Feature::kVehicleTypes, "vehicles");
    if (!data_.duration_matrices.empty()) Add(Feature::kTimeOfDay, "duration_matrices");
    if (!data_.length_matrix.empty()) Add(Feature::kLengthMatrix, "length_matrix");
    AddVehicleFeatures();
    AddCustomerFeatures();
    if (!data_.shipments.empty()) Add(Feature::kShipments, "shipments[0]");
    if (!data_.alternative_groups.empty()) Add(Feature::kAlternatives, "alternative_groups[0]");
    AddRules();
    if (!frozen_.empty()) {
      Add(Feature::kFrozenStops,
          Concat("initial_solution.routes[", frozen_[0].route, "].frozen_stops"));
    }
    if (!data_.matrix_rows.empty()) Add(Feature::kMatrixRows, "matrix_rows");
    if (data_.balance.has_value()) Add(Feature::kBalance, "balance");
    std::sort(uses_.begin(), uses_.end(),
              [](const FeatureUse& a, const FeatureUse& b) { return a.feature < b.feature; });
    return std::move(uses_);
  }

 private:
  void Add(Feature feature, std::string field) { uses_.push_back({feature, std::move(field)}); }

  bool Has(Feature feature) const {
    return std::ranges::any_of(uses_,
                               [&](const FeatureUse& use) { return use.feature == feature; });
  }

  // Adds `feature` if any vehicle type requires it through `field`, with the path of the first one.
  template <typename Field>
  void AddVehicleFeature(Feature feature, const Field& field) {
    const auto default_value = field.Default();
    const auto requires_feature = [&](const VehicleType& vehicle) {
      if constexpr (Field::kKind == FieldKind::kEndDepot) return vehicle.end() != vehicle.depot;
      return !(vehicle.*field.member == default_value);
    };
    const auto found = std::ranges::find_if(data_.vehicles, requires_feature);
    if (found == data_.vehicles.end()) return;
    Add(feature, Concat("vehicles[", found - data_.vehicles.begin(), "].", field.name));
  }

  void AddVehicleFeatures() {
    ForEachField<VehicleType>([&](auto field) {
      if (field.feature.has_value() && !Has(*field.feature)) {
        AddVehicleFeature(*field.feature, field);
      }
    });
  }

  // Adds `feature` if any node's value satisfies `predicate`, with the path of the first such
  // node.
  template <typename T, typename Predicate>
  void AddNodeFeature(Feature feature, const std::vector<T>& values, std::string_view field,
                      Predicate predicate) {
    const auto found = std::ranges::find_if(values, predicate);
    if (found == values.end()) return;
    const int64_t node = (found - values.begin()) * nodes_ / static_cast<int64_t>(values.size());
    Add(feature, Concat(NodePath(data_, static_cast<size_t>(node)).ToString(), ".", field));
  }

  void AddCustomerFeatures() {
    if (data_.load_dimensions > 1) Add(Feature::kLoadDimensions, "customers[0].demand[1]");
    ForEachNodeField(data_, [&](auto field, const auto& values) {
      if (!field.feature.has_value()) return;
      AddNodeFeature(*field.feature, values, field.name,
                     [default_value = field.Default()](const auto& value) {
                       return !(value == default_value);
                     });
    });
    AddSoftWindows();
    const auto depots = std::min<size_t>(data_.services.size(), data_.num_depots);
    for (size_t depot = 0; depot < depots; ++depot) {
      if (data_.services[depot] == 0) continue;
      return Add(Feature::kDepotService, Concat("depots[", depot, "].service"));
    }
  }

  void AddRules() {
    for (size_t i = 0; i < data_.customer_rules.size(); ++i) {
      const Feature feature = FeatureOf(data_.customer_rules[i].kind);
      if (!Has(feature)) Add(feature, Concat("customer_rules[", i, "]"));
    }
  }

  void AddSoftWindows() {
    AddNodeFeature(Feature::kSoftWindows, data_.windows, "window.late_cost",
                   [](const TimeWindow& window) { return window.soft(); });
    if (Has(Feature::kSoftWindows)) return;
    AddNodeFeature(Feature::kSoftWindows, data_.further_windows, "further_windows.late_cost",
                   [](const std::vector<TimeWindow>& windows) {
                     return !windows.empty() && windows.back().soft();
                   });
  }

  const InstanceData& data_;
  const std::span<const FrozenRoute> frozen_;
  const int64_t nodes_;
  std::vector<FeatureUse> uses_;
};

}  // namespace

std::vector<FeatureUse> FeaturesOf(const Instance& instance) { return Collector(instance).Run(); }

absl::Status RefuseFeatures(const Instance& instance, const std::vector<Feature>& known,
                            std::string_view solver) {
  for (const FeatureUse& use : FeaturesOf(instance)) {
    if (std::find(known.begin(), known.end(), use.feature) != known.end()) continue;
    return absl::UnimplementedError(Concat(use.field, ": not supported by ", solver));
  }
  return absl::OkStatus();
}

}  // namespace vrp
