#include "core/habits/guided_instance.h"

#include <algorithm>
#include <compare>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/checker/freeze.h"

namespace vrp {
namespace {

// A distance that is not 0 but changes no sum. Vehicles that leave a place need a setup.
constexpr double kJustNotZero = std::numeric_limits<double>::min();

// Returns the old cost of a unit of distance.
double CostPerDistance(const InstanceData& data, const VehicleType& type) {
  if (data.objective == Objective::kDuration) return 0;
  return data.objective == Objective::kCost ? type.cost_per_distance : 1;
}

// Returns the old cost of a unit of travel time, apart from waiting and service.
double CostPerTravelTime(const InstanceData& data, const VehicleType& type) {
  if (data.objective == Objective::kDuration) return 1;
  return data.objective == Objective::kCost ? type.cost_per_time + type.cost_per_travel_time : 0;
}

const VehicleType& FirstVehicle(const Instance& instance) {
  static const VehicleType* const unlimited = new VehicleType;
  return instance.vehicles().empty() ? *unlimited : instance.vehicles().front();
}

// The vehicle types that may share a matrix of guided distances.
struct MatrixKey {
  int32_t driver = 0;
  double cost_per_distance = 1;
  int32_t own = -1;  // the vehicle type, if it has matrices of its own

  auto operator<=>(const MatrixKey&) const = default;
};

class GuidedDataBuilder {
 public:
  GuidedDataBuilder(const Instance& instance, const LegProbabilities& probabilities, double scale)
      : instance_(instance),
        old_(instance.data()),
        probabilities_(probabilities),
        scale_(scale),
        size_(static_cast<size_t>(instance.num_nodes())) {
    for (size_t t = 0; t < old_.vehicles.size(); ++t) keys_.push_back(KeyOf(t));
    if (keys_.empty()) keys_.push_back({});
    std::map<MatrixKey, int32_t> counts;
    for (const MatrixKey& key : keys_) ++counts[key];
    common_ = std::ranges::max_element(counts, {}, [](const auto& at) { return at.second; })->first;
  }

  absl::Status CheckSize() const {
    const int64_t numbers = Matrices() * static_cast<int64_t>(size_ * size_);
    if (numbers <= kMaxGuidedNumbers) return absl::OkStatus();
    return absl::InvalidArgumentError(
        Concat("model: habits need ", Matrices(), " matrices of ", size_, " x ", size_,
               " numbers, one for each driver, cost per distance, limit of the distance and travel "
               "time; these exceed the limit of ",
               kMaxGuidedNumbers, " numbers; solve fewer customers or vehicles together"));
  }

  InstanceData Run() && {
    distances_ = instance_.DistanceMatrix();
    data_ = old_;
    ExpandMatrices(data_);
    KeepDurations();
    KeepLengths();
    for (size_t t = 0; t < data_.vehicles.size(); ++t) {
      VehicleType& type = data_.vehicles[t];
      type.distance_matrix = keys_[t] == common_ ? std::vector<double>() : Guided(t, keys_[t]);
    }
    const size_t first = static_cast<size_t>(std::ranges::find(keys_, common_) - keys_.begin());
    data_.distance_matrix = Guided(first, common_);
    SetCosts();
    data_.metric = Metric::kExact;
    data_.reference_cost.reset();
    return std::move(data_);
  }

 private:
  MatrixKey KeyOf(size_t t) const {
    const VehicleType& type = old_.vehicles[t];
    const bool own = !type.distance_matrix.empty() || !type.duration_matrix.empty() ||
                     !type.duration_matrices.empty();
    const auto index = static_cast<int32_t>(t);
    return {.driver = probabilities_.DriverOf(index),
            .cost_per_distance = CostPerDistance(old_, type),
            .own = own ? index : -1};
  }

  bool HasSharedDurations() const {
    return !old_.duration_matrix.empty() || !old_.duration_matrices.empty();
  }
  static bool HasOwnDurations(const VehicleType& type) {
    return !type.duration_matrix.empty() || !type.duration_matrices.empty();
  }
  // Whether the vehicle's travel times follow from its own matrix of distances.
  bool TimesFollowOwnDistances(const VehicleType& type) const {
    return !type.distance_matrix.empty() && !HasOwnDurations(type) && !HasSharedDurations();
  }
  // Whether the vehicle's lengths are its distances, and limited.
  bool LimitsDistance(const VehicleType& type) const {
    return type.max_distance != kNoLimit && !LimitsLength(old_, type);
  }

  // Returns the number of matrices of the result, those of the probabilities included.
  int64_t Matrices() const {
    const auto of = [](const auto& owner) {
      return std::ssize(owner.duration_matrices) + (owner.duration_matrix.empty() ? 0 : 1) +
             (owner.length_matrix.empty() ? 0 : 1);
    };
    int64_t count = probabilities_.num_drivers() + 1 + of(old_) + (HasSharedDurations() ? 0 : 1);
    if (std::ranges::any_of(old_.vehicles, [&](const auto& type) { return LimitsDistance(type); }))
      ++count;
    for (size_t t = 0; t < old_.vehicles.size(); ++t) {
      const VehicleType& type = old_.vehicles[t];
      count += of(type) + (keys_[t] == common_ ? 0 : 1);
      if (TimesFollowOwnDistances(type)) ++count;
      if (LimitsDistance(type) && !type.distance_matrix.empty()) ++count;
    }
    return count;
  }

  double Distance(const VehicleType& type, size_t from, size_t to) const {
    return type.distance_matrix.empty()
               ? distances_[from * size_ + to]
               : instance_.Distance(type, static_cast<NodeIndex>(from), static_cast<NodeIndex>(to));
  }

  // Keeps travel times that follow from distances and the speed.
  void KeepDurations() {
    const auto times = [&](std::vector<double> distances) {
      for (double& value : distances) value /= old_.speed;
      return distances;
    };
    if (!HasSharedDurations()) data_.duration_matrix = times(distances_);
    for (size_t t = 0; t < data_.vehicles.size(); ++t) {
      VehicleType& type = data_.vehicles[t];
      if (TimesFollowOwnDistances(old_.vehicles[t])) {
        type.duration_matrix = times(type.distance_matrix);
      }
    }
  }

  // Keeps distances that max_distance limits.
  void KeepLengths() {
    for (size_t t = 0; t < data_.vehicles.size(); ++t) {
      VehicleType& type = data_.vehicles[t];
      if (!LimitsDistance(old_.vehicles[t])) continue;
      if (!type.distance_matrix.empty()) {
        type.length_matrix = type.distance_matrix;
      } else if (data_.length_matrix.empty()) {
        data_.length_matrix = distances_;
      }
    }
  }

  // Returns the distances of vehicle type `t`, which include its old cost and the terms.
  std::vector<double> Guided(size_t t, const MatrixKey& key) const {
    static const VehicleType* const tourist = new VehicleType;
    const VehicleType& type = old_.vehicles.empty() ? *tourist : old_.vehicles[t];
    const VehicleType* const given = old_.vehicles.empty() ? nullptr : &type;
    std::vector<double> matrix(size_ * size_);
    for (size_t i = 0; i < size_; ++i) {
      for (size_t j = 0; j < size_; ++j) {
        const auto from = static_cast<NodeIndex>(i);
        const auto to = static_cast<NodeIndex>(j);
        const double distance = Distance(type, i, j);
        double& cost = matrix[i * size_ + j];
        cost = key.cost_per_distance * distance;
        if (i == j || (distance == 0 && !LeavesPlace(instance_, given, from, to))) continue;
        cost -= scale_ * probabilities_.Log(key.driver, from, to);
        cost = std::clamp(cost, kJustNotZero, kMaxMagnitude);
      }
    }
    return matrix;
  }

  void SetCosts() {
    const bool duration = old_.objective == Objective::kDuration;
    if (duration) data_.objective = Objective::kCost;
    for (VehicleType& type : data_.vehicles) {
      if (duration) type.cost_per_time = 1;
      type.cost_per_distance = 1;
    }
  }

  const Instance& instance_;
  const InstanceData& old_;
  const LegProbabilities& probabilities_;
  const double scale_;
  const size_t size_;              // N
  std::vector<MatrixKey> keys_;    // by vehicle type; one entry for a TSP
  MatrixKey common_;               // the key of most types, whose matrix all of them share
  std::vector<double> distances_;  // [N, N] of vehicles without an own matrix
  InstanceData data_;
};

}  // namespace

double UsualLegCost(const Instance& instance) {
  const VehicleType& type = FirstVehicle(instance);
  const double per_distance = CostPerDistance(instance.data(), type);
  const double per_time = CostPerTravelTime(instance.data(), type);
  double sum = 0;
  int32_t count = 0;
  for (NodeIndex from = instance.num_depots(); from < instance.num_nodes(); ++from) {
    double least = kNoLimit;
    for (NodeIndex to = 0; to < instance.num_nodes(); ++to) {
      if (to == from) continue;
      double cost = per_distance == 0 ? 0 : per_distance * instance.Distance(type, from, to);
      if (per_time != 0) cost += per_time * instance.Duration(type, from, to);
      if (cost > 0) least = std::min(least, cost);
    }
    if (least == kNoLimit) continue;
    sum += least;
    ++count;
  }
  return count == 0 ? 1 : sum / count;
}

bool LeavesPlace(const Instance& instance, const VehicleType* type, NodeIndex from, NodeIndex to) {
  if (type == nullptr) return instance.Distance(from, to) > 0 || instance.Duration(from, to) > 0;
  return instance.Distance(*type, from, to) > 0 || instance.Duration(*type, from, to) > 0;
}

absl::StatusOr<Instance> GuideInstance(const Instance& instance,
                                       const LegProbabilities& probabilities, double scale) {
  const InstanceData& data = instance.data();
  if (data.balance.has_value() && data.balance->measure == BalanceMeasure::kDistance) {
    return absl::UnimplementedError(
        "balance.measure: distance is not supported with habits; wanted duration, load or stops");
  }
  GuidedDataBuilder builder(instance, probabilities, scale);
  VRP_RETURN_IF_ERROR(builder.CheckSize());
  VRP_ASSIGN_OR_RETURN(Instance guided, Instance::Create(std::move(builder).Run()));
  if (instance.frozen().empty()) return guided;
  std::vector<FrozenRoute> frozen(instance.frozen().begin(), instance.frozen().end());
  for (FrozenRoute& route : frozen) route.deliveries.clear();  // Freeze finds them
  return Freeze(guided, std::move(frozen));
}

}  // namespace vrp
