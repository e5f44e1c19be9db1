#include "core/search/model/travel.h"

#include <algorithm>

namespace vrp {

Travel::Travel(const Instance& instance)
    : instance_(instance),
      size_(instance.num_nodes()),
      matrix_size_(MatrixSize(instance.data())),
      matrix_rows_(instance.data().matrix_rows.data()),
      inverse_speed_(1 / instance.speed()) {}

void Travel::SetMatrices(std::span<const VehicleType* const> types, const StopCondition& stop,
                         std::vector<Vehicle>& vehicles) {
  const InstanceData& data = instance_.data();
  const bool by_row = !data.matrix_rows.empty();
  const double* shared = data.distance_matrix.empty() ? nullptr : data.distance_matrix.data();
  const bool symmetric = shared == nullptr || IsSymmetric(shared, matrix_size_);
  if (shared == nullptr) exact_positions_ = ExactPositions(instance_);
  if (shared == nullptr && !by_row && size_ <= kMatrixNodes) {
    own_distances_ = BuildDistances(instance_, stop);
    if (!own_distances_.empty()) shared = own_distances_.data();
  }
  const Vehicle& first = vehicles.front();
  for (size_t t = 0; t < types.size(); ++t) {
    const VehicleType& type = *types[t];
    Vehicle& vehicle = vehicles[t];
    const bool own = !type.distance_matrix.empty();
    (by_row ? vehicle.row_distance : vehicle.distance) = own ? type.distance_matrix.data() : shared;
    vehicle.symmetric = own ? IsSymmetric(type.distance_matrix.data(), matrix_size_) : symmetric;
    SetDurations(type, vehicle);
    least_per_distance_ = std::min(least_per_distance_, vehicle.per_distance);
    one_distance_ = one_distance_ && vehicle.distance == first.distance &&
                    vehicle.row_distance == first.row_distance;
  }
  symmetric_ = first.symmetric;
  distances_ = first.distance;
  durations_ = first.duration;
}

void Travel::SetDurations(const VehicleType& type, Vehicle& vehicle) {
  const InstanceData& data = instance_.data();
  const double*& duration = data.matrix_rows.empty() ? vehicle.duration : vehicle.row_duration;
  const std::vector<TimedMatrix>& timed = TimedMatricesOf(data, type);
  if (!timed.empty()) {
    const bool shared = &timed == &data.duration_matrices;
    if (!shared || shared_profiles_ == nullptr) {
      profiles_.push_back(std::make_shared<const TravelProfiles>(timed));
    }
    if (shared && shared_profiles_ == nullptr) shared_profiles_ = profiles_.back().get();
    vehicle.profiles = shared ? shared_profiles_ : profiles_.back().get();
    duration = vehicle.profiles->least().data();
  } else if (!type.duration_matrix.empty()) {
    duration = type.duration_matrix.data();
  } else if (!data.duration_matrix.empty()) {
    duration = data.duration_matrix.data();
  }
}

double Travel::DistanceWithoutMatrix(const Vehicle& vehicle, NodeIndex from, NodeIndex to) const {
  return vehicle.row_distance != nullptr ? RowEntry(vehicle.row_distance, from, to)
                                         : instance_.Distance(from, to);
}

double Travel::SequenceDistance(std::span<const NodeIndex> nodes) const {
  double sum = 0;
  for (size_t i = 1; i < nodes.size(); ++i) sum += Distance(nodes[i - 1], nodes[i]);
  return sum;
}

}  // namespace vrp
