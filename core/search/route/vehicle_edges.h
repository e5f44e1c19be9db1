// Matrices of what the ways between nodes cost each vehicle type.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "core/search/model/problem.h"

namespace vrp {

// Distances, durations and costs, [stride, stride] for each type; types that agree share them, with
// the problem where its own fit. The ways from depot to depot or to nowhere() cost nothing, so that
// a vehicle that is not used costs nothing. `problem` must outlive it. Thread-safe.
class VehicleEdges {
 public:
  explicit VehicleEdges(const Problem& problem);

  int64_t stride() const { return stride_; }
  const double* distances(int32_t type) const { return types_[type].distances; }
  const double* durations(int32_t type) const { return types_[type].durations; }
  // Distance and duration, service included (half of it at each end), at what they cost the
  // vehicle.
  const double* costs(int32_t type) const { return types_[type].costs; }
  // Whether all costs are the same both ways.
  bool symmetric() const { return symmetric_; }

  // How many numbers the matrices of costs have in all. O(types^2)
  static int64_t SizeOf(const Problem& problem);

 private:
  struct OfType {
    const double* distances = nullptr;
    const double* durations = nullptr;
    const double* costs = nullptr;
  };
  template <typename ValueFn>
  const double* Store(ValueFn value);
  const double* DistancesOf(const Vehicle& vehicle);
  const double* DurationsOf(const Vehicle& vehicle, const double* distances);
  const double* CostsOf(const Vehicle& vehicle, const OfType& type);
  // Whether a matrix of the problem needs no change.
  bool Fits(const double* matrix) const;

  const Problem& problem_;
  int64_t stride_;
  bool symmetric_ = true;
  std::vector<OfType> types_;
  std::deque<std::vector<double>> own_;
};

}  // namespace vrp
