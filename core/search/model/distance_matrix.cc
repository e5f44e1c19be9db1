#include "core/search/model/distance_matrix.h"

#include <algorithm>

#include "core/base/huge_pages.h"
#include "core/search/model/deadline_monitor.h"

namespace vrp {
namespace {

// Whole columns would miss the cache at each entry, those of a tile do not.
constexpr int64_t kTile = 32;

// Calls visit(i, j) for all i > j, tile by tile, until it returns false or `stop` holds. Returns
// whether neither ended it.
template <typename Visit>
bool VisitTriangle(int64_t size, const StopCondition& stop, Visit visit) {
  for (int64_t top = 0; top < size; top += kTile) {
    if (stop.ShouldStop()) return false;
    for (int64_t left = 0; left <= top; left += kTile) {
      for (int64_t i = top; i < std::min(top + kTile, size); ++i) {
        for (int64_t j = left; j < std::min(left + kTile, i); ++j) {
          if (!visit(i, j)) return false;
        }
      }
    }
  }
  return true;
}

// Row by row, both halves: vectorised roots take less time than the far writes of a mirrored half.
std::vector<double> BuildExactDistances(std::span<const Position> positions,
                                        const StopCondition& stop) {
  const size_t size = positions.size();
  std::vector<double> distances = ReserveInHugePages<double>(size * size);
  std::vector<double> x(size), y(size), row(size);
  for (size_t i = 0; i < size; ++i) {
    x[i] = positions[i].x;
    y[i] = positions[i].y;
  }
  for (size_t i = 0; i < size; ++i) {
    if (i % kTile == kTile - 1 && stop.ShouldStop()) return {};
    const Position from = positions[i];
    for (size_t j = 0; j < size; ++j) row[j] = ExactDistance(from, {x[j], y[j]});
    distances.insert(distances.end(), row.begin(), row.end());
  }
  return distances;
}

}  // namespace

const Position* ExactPositions(const Instance& instance) {
  const bool exact = instance.metric() == Metric::kExact && !instance.has_distance_matrix() &&
                     instance.data().coordinates == CoordinateSystem::kPlanar;
  return exact ? instance.data().positions.data() : nullptr;
}

std::vector<double> BuildDistances(const Instance& instance, const StopCondition& stop) {
  const int64_t size = instance.num_nodes();
  if (!WorthAMatrix(stop, size)) return {};
  if (ExactPositions(instance) != nullptr) {
    return BuildExactDistances(instance.data().positions, stop);
  }
  std::vector<double> distances = ReserveInHugePages<double>(size * size);
  distances.resize(size * size);
  const bool complete = VisitTriangle(size, stop, [&](int64_t i, int64_t j) {
    const double distance = instance.Distance(static_cast<NodeIndex>(i), static_cast<NodeIndex>(j));
    distances[i * size + j] = distance;
    distances[j * size + i] = distance;
    return true;
  });
  return complete ? std::move(distances) : std::vector<double>();
}

bool IsSymmetric(const double* matrix, int64_t size) {
  return VisitTriangle(
      size, {}, [&](int64_t i, int64_t j) { return matrix[i * size + j] == matrix[j * size + i]; });
}

}  // namespace vrp
