#include "core/problem/instance/instance.h"

#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "core/problem/instance/travel_time.h"

namespace vrp {
namespace {

// Returns the vehicle's entry for the customer; null if there is none.
const CustomerTimes* TimesAt(const VehicleType& vehicle, NodeIndex node) {
  const auto found = std::ranges::lower_bound(vehicle.customer_times, node, {},
                                              [](const CustomerTimes& at) { return at.customer; });
  return found != vehicle.customer_times.end() && found->customer == node ? &*found : nullptr;
}

}  // namespace

absl::StatusOr<Instance> Instance::Create(InstanceData data) {
  if (std::vector<std::string> errors = Validate(data); !errors.empty()) {
    return absl::InvalidArgumentError(errors.front());
  }
  const auto count = static_cast<size_t>(NodeCount(data));
  if (data.demands.empty()) {
    data.demands.assign(count * static_cast<size_t>(data.load_dimensions), 0.0);
  }
  // Normalises windows and features, so that equal instances have equal data.
  const bool single = std::all_of(data.further_windows.begin(), data.further_windows.end(),
                                  [](const auto& windows) { return windows.empty(); });
  if (single) data.further_windows.clear();
  std::sort(data.features.begin(), data.features.end(),
            [](const FeatureColumn& a, const FeatureColumn& b) { return a.name < b.name; });
  for (VehicleType& vehicle : data.vehicles) {
    std::ranges::sort(vehicle.customer_times, {}, [](const auto& at) { return at.customer; });
  }
  if (data.ids.empty()) {
    data.ids.reserve(count);
    for (size_t i = 0; i < count; ++i) data.ids.push_back(Concat(i));
  }
  return Instance(std::move(data));
}

Instance::Instance(InstanceData data)
    : data_(std::make_shared<const InstanceData>(std::move(data))),
      num_nodes_(NodeCount(*data_)),
      matrix_size_(MatrixSize(*data_)),
      matrix_rows_(data_->matrix_rows.empty() ? nullptr : data_->matrix_rows.data()) {}

double Instance::Distance(NodeIndex from, NodeIndex to) const {
  if (has_distance_matrix()) return Entry(data_->distance_matrix, from, to);
  const Position a = data_->positions[from];
  const Position b = data_->positions[to];
  return data_->coordinates == CoordinateSystem::kLonLat ? GreatCircleDistance(data_->metric, a, b)
                                                         : MetricDistance(data_->metric, a, b);
}

double Instance::Distance(const VehicleType& vehicle, NodeIndex from, NodeIndex to) const {
  if (vehicle.distance_matrix.empty()) return Distance(from, to);
  return Entry(vehicle.distance_matrix, from, to);
}

double Instance::Length(const VehicleType& vehicle, NodeIndex from, NodeIndex to) const {
  if (!vehicle.length_matrix.empty()) return Entry(vehicle.length_matrix, from, to);
  if (!data_->length_matrix.empty()) return Entry(data_->length_matrix, from, to);
  return Distance(vehicle, from, to);
}

double Instance::LeastDuration(const std::vector<TimedMatrix>& list, NodeIndex from,
                               NodeIndex to) const {
  double least = kNoLimit;
  for (const TimedMatrix& timed : list) least = std::min(least, Duration(timed, from, to));
  return least;
}

double Instance::Duration(NodeIndex from, NodeIndex to) const {
  if (!data_->duration_matrix.empty()) return Entry(data_->duration_matrix, from, to);
  if (!data_->duration_matrices.empty()) return LeastDuration(data_->duration_matrices, from, to);
  return Distance(from, to) / data_->speed;
}

double Instance::Duration(const VehicleType& vehicle, NodeIndex from, NodeIndex to) const {
  if (!vehicle.duration_matrix.empty()) return Entry(vehicle.duration_matrix, from, to);
  const std::vector<TimedMatrix>& timed = TimedMatricesOf(*data_, vehicle);
  if (!timed.empty()) return LeastDuration(timed, from, to);
  if (!data_->duration_matrix.empty()) return Duration(from, to);
  return Distance(vehicle, from, to) / data_->speed;
}

double Instance::Duration(const VehicleType& vehicle, NodeIndex from, NodeIndex to,
                          double departure) const {
  const std::vector<TimedMatrix>& timed = TimedMatricesOf(*data_, vehicle);
  if (timed.empty()) return Duration(vehicle, from, to);
  std::vector<double> at;
  std::vector<double> durations;
  for (const TimedMatrix& entry : timed) {
    at.push_back(entry.at);
    durations.push_back(Duration(entry, from, to));
  }
  return TravelTime(at, durations.data()).From(departure);
}

double Instance::Service(const VehicleType& vehicle, NodeIndex node) const {
  const CustomerTimes* const own = TimesAt(vehicle, node);
  return own != nullptr && own->service != kNoLimit ? own->service : service(node);
}

double Instance::Setup(const VehicleType& vehicle, NodeIndex node) const {
  const CustomerTimes* const own = TimesAt(vehicle, node);
  if (own != nullptr && own->setup != kNoLimit) return own->setup;
  return data_->setups.empty() ? 0 : data_->setups[node];
}

double Instance::Work(const VehicleType& vehicle, NodeIndex from, NodeIndex node) const {
  const double service = Service(vehicle, node);
  const double setup = Setup(vehicle, node);
  if (setup == 0) return service;
  const bool moves = Duration(vehicle, from, node) > 0 || Distance(vehicle, from, node) > 0;
  return moves ? service + setup : service;
}

std::vector<double> Instance::DistanceMatrix() const {
  if (has_distance_matrix() && matrix_rows_ == nullptr) return data_->distance_matrix;
  std::vector<double> matrix(static_cast<size_t>(num_nodes_) * num_nodes_);
  size_t next = 0;
  for (NodeIndex from = 0; from < num_nodes_; ++from) {
    for (NodeIndex to = 0; to < num_nodes_; ++to) matrix[next++] = Distance(from, to);
  }
  return matrix;
}

std::vector<double> Instance::DurationMatrix() const {
  if (!data_->duration_matrix.empty() && matrix_rows_ == nullptr) return data_->duration_matrix;
  std::vector<double> matrix(static_cast<size_t>(num_nodes_) * num_nodes_);
  size_t next = 0;
  for (NodeIndex from = 0; from < num_nodes_; ++from) {
    for (NodeIndex to = 0; to < num_nodes_; ++to) matrix[next++] = Duration(from, to);
  }
  return matrix;
}

}  // namespace vrp
