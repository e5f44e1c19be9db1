#include "core/problem/generate/layouts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/problem/generate/instance_draws.h"

namespace vrp {
namespace {

constexpr std::array<std::string_view, 3> kLayoutNames = {"uniform", "clustered", "x"};
constexpr double kClusterRadius = 0.04;  // 40 in the X set's square of side 1,000
constexpr double kGrid = 1000;           // grid steps on a side of the X set's square

Position DrawUnitPosition(CounterRandom& random) { return DrawPosition(1, random); }

// Approximates exp(-x) by (1 - x / 16)^16. Products are the same on every machine, unlike the last
// bit of libm's exp.
double Decay(double x) {
  double power = std::max(0.0, 1 - x / 16);
  for (int i = 0; i < 4; ++i) power *= power;
  return power;
}

// Adds positions clustered around `seeds` until `positions` has `last` entries. Accepts a random
// position with a probability of about the sum of exp(-distance / radius) over the seeds, at
// most 1.
void AddClustered(size_t last, const std::vector<Position>& seeds, CounterRandom& random,
                  std::vector<Position>& positions) {
  while (positions.size() < last) {
    const Position position = DrawUnitPosition(random);
    double probability = 0;
    for (const Position& seed : seeds) {
      const double x = position.x - seed.x;
      const double y = position.y - seed.y;
      probability += Decay(std::sqrt(x * x + y * y) / kClusterRadius);
    }
    if (random.UniformDouble() < probability) positions.push_back(position);
  }
}

// Draws the depot of the X set: in the centre, in a corner, or at random.
Position DrawXDepot(CounterRandom& random) {
  switch (random.UniformInt(0, 2)) {
    case 0:
      return {.x = 0.5, .y = 0.5};
    case 1:
      return {.x = 0, .y = 0};
    default:
      return DrawUnitPosition(random);
  }
}

void PlaceCustomers(size_t uniform, size_t nodes, CounterRandom& random,
                    std::vector<Position>& positions) {
  while (positions.size() < uniform) positions.push_back(DrawUnitPosition(random));
  if (positions.size() == nodes) return;
  std::vector<Position> seeds;
  const auto wanted = static_cast<size_t>(random.UniformInt(3, 8));
  while (seeds.size() < wanted && positions.size() < nodes) {
    seeds.push_back(DrawUnitPosition(random));
    positions.push_back(seeds.back());
  }
  AddClustered(nodes, seeds, random, positions);
}

// Draws from the triangular distribution from 3 to 25 with mode 6.
double DrawCustomersPerRoute(CounterRandom& random) {
  constexpr double kLow = 3;
  constexpr double kMode = 6;
  constexpr double kHigh = 25;
  const double share = random.UniformDouble();
  const double cut = (kMode - kLow) / (kHigh - kLow);
  if (share < cut) return kLow + std::sqrt(share * (kHigh - kLow) * (kMode - kLow));
  return kHigh - std::sqrt((1 - share) * (kHigh - kLow) * (kHigh - kMode));
}

struct Range {
  int64_t low;
  int64_t high;
};

// Returns the range of the demand of a customer at `position`. Rule 0 is unitary. Rules 1 to 4 have
// small or large values with small or large variation. Rule 5 depends on the quadrant. Rule 6 has
// many small and few large values.
Range DemandRange(int64_t rule, Position position, double small_share, CounterRandom& random) {
  constexpr std::array<Range, 5> kFixedRanges = {{{1, 1}, {1, 10}, {5, 10}, {1, 100}, {50, 100}}};
  if (rule < 5) return kFixedRanges[static_cast<size_t>(rule)];
  if (rule == 5) {
    const bool even = (position.x < 0.5) == (position.y < 0.5);
    return even ? Range{51, 100} : Range{1, 50};
  }
  return random.UniformDouble() < small_share ? Range{1, 10} : Range{50, 100};
}

}  // namespace

std::string_view LayoutName(Layout layout) { return kLayoutNames[static_cast<size_t>(layout)]; }

std::optional<Layout> LayoutFromName(std::string_view name) {
  const auto* found = std::find(kLayoutNames.begin(), kLayoutNames.end(), name);
  if (found == kLayoutNames.end()) return std::nullopt;
  return static_cast<Layout>(found - kLayoutNames.begin());
}

std::vector<Position> PlaceNodes(Layout layout, int32_t nodes, CounterRandom& random) {
  const auto count = static_cast<size_t>(nodes);
  std::vector<Position> positions;
  positions.reserve(count);
  if (layout != Layout::kX) {
    positions.push_back(DrawUnitPosition(random));
    PlaceCustomers(1, count, random, positions);
    return positions;
  }
  positions.push_back(DrawXDepot(random));
  // All customers are uniform, all are clustered, or half are of each kind.
  const std::array<size_t, 3> uniform = {count, 1, 1 + (count - 1) / 2};
  PlaceCustomers(uniform[static_cast<size_t>(random.UniformInt(0, 2))], count, random, positions);
  for (Position& position : positions) {
    position = {.x = std::round(position.x * kGrid) / kGrid,
                .y = std::round(position.y * kGrid) / kGrid};
  }
  return positions;
}

DrawnLoads DrawXLoads(const std::vector<Position>& positions, CounterRandom& random) {
  const int64_t rule = random.UniformInt(0, 6);
  const double small_share = 0.7 + 0.25 * random.UniformDouble();
  DrawnLoads loads;
  loads.demands.push_back(0);
  for (size_t i = 1; i < positions.size(); ++i) {
    const Range range = DemandRange(rule, positions[i], small_share, random);
    loads.demands.push_back(static_cast<double>(random.UniformInt(range.low, range.high)));
  }
  const double sum = std::accumulate(loads.demands.begin(), loads.demands.end(), 0.0);
  const auto customers = static_cast<double>(std::max<size_t>(1, positions.size() - 1));
  const double largest = *std::max_element(loads.demands.begin(), loads.demands.end());
  loads.capacity = std::max(largest, std::ceil(DrawCustomersPerRoute(random) * sum / customers));
  return loads;
}

}  // namespace vrp
