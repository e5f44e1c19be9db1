#include "core/search/route/vehicle_edges.h"

#include <algorithm>

#include "core/search/model/distance_matrix.h"

namespace vrp {
namespace {

bool CostAlike(const Vehicle& a, const Vehicle& b) {
  return TravelAlike(a, b) && a.per_distance == b.per_distance && a.per_time == b.per_time;
}

// The first type before `type` that is alike; `type` itself: there is none.
template <typename Alike>
int32_t FirstAlike(const std::vector<Vehicle>& vehicles, int32_t type, Alike alike) {
  int32_t other = 0;
  while (!alike(vehicles[other], vehicles[type])) ++other;
  return other;
}

bool HasOpenEnd(const Problem& problem) {
  return std::any_of(problem.vehicles().begin(), problem.vehicles().end(),
                     [&](const Vehicle& vehicle) { return vehicle.end == problem.nowhere(); });
}

}  // namespace

VehicleEdges::VehicleEdges(const Problem& problem)
    : problem_(problem), stride_(int64_t{problem.size()} + HasOpenEnd(problem)) {
  const std::vector<Vehicle>& vehicles = problem.vehicles();
  for (int32_t t = 0; t < std::ssize(vehicles); ++t) {
    OfType type;
    const int32_t same_way = FirstAlike(vehicles, t, TravelAlike);
    if (same_way < t) {
      type = types_[same_way];
    } else {
      type.distances = DistancesOf(vehicles[t]);
      type.durations = DurationsOf(vehicles[t], type.distances);
    }
    const int32_t same_cost = FirstAlike(vehicles, t, CostAlike);
    type.costs = same_cost < t ? types_[same_cost].costs : CostsOf(vehicles[t], type);
    symmetric_ = symmetric_ && (same_cost < t || IsSymmetric(type.costs, stride_));
    types_.push_back(type);
  }
}

int64_t VehicleEdges::SizeOf(const Problem& problem) {
  int64_t matrices = 0;
  for (int32_t t = 0; t < std::ssize(problem.vehicles()); ++t) {
    matrices += FirstAlike(problem.vehicles(), t, CostAlike) == t;
  }
  return matrices * problem.size() * problem.size();
}

template <typename ValueFn>
const double* VehicleEdges::Store(ValueFn value) {
  std::vector<double>& matrix = own_.emplace_back(stride_ * stride_, 0.0);
  for (NodeIndex from = 0; from < problem_.size(); ++from) {
    const bool leaves_depot = problem_.is_depot(from);
    for (NodeIndex to = leaves_depot ? problem_.depots() : 0; to < problem_.size(); ++to) {
      matrix[from * stride_ + to] = value(from, to);
    }
  }
  return matrix.data();
}

bool VehicleEdges::Fits(const double* matrix) const {
  if (matrix == nullptr || stride_ != problem_.size()) return false;
  for (NodeIndex from = 0; from < problem_.depots(); ++from) {
    const double* row = matrix + from * stride_;
    if (std::any_of(row, row + problem_.depots(), [](double way) { return way != 0; })) {
      return false;
    }
  }
  return true;
}

const double* VehicleEdges::DistancesOf(const Vehicle& vehicle) {
  if (Fits(vehicle.distance)) return vehicle.distance;
  return Store([&](NodeIndex from, NodeIndex to) { return problem_.Distance(vehicle, from, to); });
}

const double* VehicleEdges::DurationsOf(const Vehicle& vehicle, const double* distances) {
  if (Fits(vehicle.duration)) return vehicle.duration;
  const double* durations =
      Store([&](NodeIndex from, NodeIndex to) { return problem_.Duration(vehicle, from, to); });
  if (!std::equal(durations, durations + stride_ * stride_, distances)) return durations;
  own_.pop_back();
  return distances;
}

const double* VehicleEdges::CostsOf(const Vehicle& vehicle, const OfType& type) {
  if (vehicle.per_distance == 1 && vehicle.per_time == 0) return type.distances;
  const auto service = [&](NodeIndex node) {
    return problem_.is_depot(node) ? 0 : problem_.service(node);
  };
  return Store([&](NodeIndex from, NodeIndex to) {
    const int64_t at = from * stride_ + to;
    return vehicle.per_distance * type.distances[at] +
           vehicle.per_time * (type.durations[at] + (service(from) + service(to)) / 2);
  });
}

}  // namespace vrp
