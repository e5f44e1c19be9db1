#include "core/habits/counts/zones.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>

#include "core/base/random.h"

namespace vrp {
namespace {

constexpr int kKMeansRounds = 30;  // of k-means

// Draws the starts, each with a probability in proportion to its squared distance to the others.
std::vector<SpacePoint> DrawStarts(std::span<const SpacePoint> points, int32_t zones,
                                   CounterRandom& random) {
  std::vector<SpacePoint> starts;
  std::vector<double> squares(points.size(), std::numeric_limits<double>::infinity());
  auto chosen = static_cast<size_t>(random.UniformInt(0, std::ssize(points) - 1));
  while (true) {
    starts.push_back(points[chosen]);
    if (std::ssize(starts) == zones) return starts;
    double sum = 0;
    for (size_t i = 0; i < points.size(); ++i) {
      const double distance = PointDistance(points[i], starts.back());
      squares[i] = std::min(squares[i], distance * distance);
      sum += squares[i];
    }
    if (sum <= 0) return starts;  // all points are starts
    double left = random.UniformDouble() * sum;
    chosen = points.size();
    for (size_t i = 0; i < points.size() && (chosen == points.size() || left > 0); ++i) {
      if (squares[i] > 0) chosen = i;
      left -= squares[i];
    }
  }
}

// Moves each centre to the mean of its points. Returns whether any point changed its centre.
bool MoveCentres(std::span<const SpacePoint> points, std::vector<SpacePoint>& centres,
                 std::vector<int32_t>& zone_of) {
  bool changed = false;
  std::vector<SpacePoint> sums(centres.size(), SpacePoint{});
  std::vector<double> sizes(centres.size(), 0);
  for (size_t i = 0; i < points.size(); ++i) {
    const int32_t zone = ZoneOf(points[i], centres) - 1;
    changed = changed || zone != zone_of[i];
    zone_of[i] = zone;
    sizes[static_cast<size_t>(zone)] += 1;
    for (size_t k = 0; k < 3; ++k) sums[static_cast<size_t>(zone)][k] += points[i][k];
  }
  for (size_t zone = 0; zone < centres.size(); ++zone) {
    if (sizes[zone] == 0) continue;  // keeps its place
    for (size_t k = 0; k < 3; ++k) centres[zone][k] = sums[zone][k] / sizes[zone];
  }
  return changed;
}

}  // namespace

std::vector<SpacePoint> FindZones(std::span<const SpacePoint> points, int32_t zones,
                                  uint64_t seed) {
  if (points.empty() || zones <= 0) return {};
  CounterRandom random(seed);
  std::vector<SpacePoint> centres = DrawStarts(points, zones, random);
  std::vector<int32_t> zone_of(points.size(), -1);
  for (int round = 0; round < kKMeansRounds; ++round) {
    if (!MoveCentres(points, centres, zone_of)) break;
  }
  return centres;
}

}  // namespace vrp
