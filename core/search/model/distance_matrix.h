// Matrices of distances between all nodes.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/base/stop.h"
#include "core/problem/instance/instance.h"

namespace vrp {

// Returns the distances of `instance`, which has no matrix, [N, N] row-major. Returns an empty
// vector if the time until `stop` is too short.
std::vector<double> BuildDistances(const Instance& instance, const StopCondition& stop);

// Whether matrix[i][j] == matrix[j][i] for all i and j. `matrix` is [size, size].
bool IsSymmetric(const double* matrix, int64_t size);

// The positions of an instance whose distances are those of a plane, not rounded; else null.
const Position* ExactPositions(const Instance& instance);

// Returns the distance between planar positions, not rounded.
inline double ExactDistance(Position a, Position b) {
  const double dx = a.x - b.x;
  const double dy = a.y - b.y;
  return std::sqrt(dx * dx + dy * dy);
}

}  // namespace vrp
