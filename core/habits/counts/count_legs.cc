#include "core/habits/counts/count_legs.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "core/habits/counts/zones.h"

namespace vrp {
namespace {

std::optional<SpacePoint> PointAt(const std::optional<Position>& position,
                                  CoordinateSystem coordinates) {
  if (!position.has_value()) return std::nullopt;
  return PointOf(*position, coordinates);
}

// Returns the mean length of the legs with two known ends, 1 if there is none of positive length.
double MeanLeg(std::span<const PastRoute> routes, CoordinateSystem coordinates) {
  double sum = 0;
  int64_t legs = 0;
  for (const PastRoute& route : routes) {
    const std::optional<SpacePoint> depot = PointAt(route.depot, coordinates);
    std::optional<SpacePoint> last = depot;
    const auto drive_to = [&](const std::optional<SpacePoint>& next) {
      if (last.has_value() && next.has_value()) {
        sum += PointDistance(*last, *next);
        ++legs;
      }
      last = next;
    };
    for (const PastStop& stop : route.stops) drive_to(PointAt(stop.position, coordinates));
    drive_to(depot);
  }
  return sum > 0 ? sum / static_cast<double>(legs) : 1;
}

// Returns the points of all stops: that of each id once, and each stop without an id.
std::vector<SpacePoint> PlacesOf(std::span<const PastRoute> routes, const CountTables& tables) {
  std::vector<SpacePoint> places;
  for (const std::optional<Position>& position : tables.positions) {
    if (position.has_value()) places.push_back(PointOf(*position, tables.coordinates));
  }
  for (const PastRoute& route : routes) {
    for (const PastStop& stop : route.stops) {
      if (stop.id < 0) places.push_back(PointOf(*stop.position, tables.coordinates));
    }
  }
  return places;
}

int32_t NodeOf(const PastStop& stop) { return stop.id < 0 ? -1 : stop.id + 1; }

}  // namespace

LegCounter::LegCounter(const RouteHistory& history, size_t routes, int32_t zones, uint64_t seed)
    : routes_(std::span(history.routes).first(routes)) {
  base_.coordinates = history.coordinates;
  // Both are in the order of their first routes, so that those of later routes are at the end.
  size_t ids = 0;
  size_t drivers = 0;
  for (const PastRoute& route : routes_) {
    drivers = std::max(drivers, static_cast<size_t>(route.driver + 1));
    for (const PastStop& stop : route.stops) ids = std::max(ids, static_cast<size_t>(stop.id + 1));
  }
  base_.drivers.assign(history.drivers.begin(),
                       history.drivers.begin() + static_cast<std::ptrdiff_t>(drivers));
  base_.ids.assign(history.ids.begin(), history.ids.begin() + static_cast<std::ptrdiff_t>(ids));
  base_.positions.resize(ids);
  by_driver_.resize(drivers);
  for (size_t i = 0; i < routes_.size(); ++i) {
    all_.push_back(static_cast<int32_t>(i));
    const PastRoute& route = routes_[i];
    if (route.driver >= 0) {
      by_driver_[static_cast<size_t>(route.driver)].push_back(static_cast<int32_t>(i));
    }
    for (const PastStop& stop : route.stops) {
      if (stop.id >= 0) base_.positions[static_cast<size_t>(stop.id)] = stop.position;
    }
  }
  base_.leg_length = MeanLeg(routes_, base_.coordinates);
  base_.centres = FindZones(PlacesOf(routes_, base_), zones, seed);
}

double LegCounter::WeightOf(const PastRoute& route, double half_life) const {
  if (half_life <= 0) return 1;
  return std::exp2(-static_cast<double>(routes_.back().day - route.day) / half_life);
}

void LegCounter::AddZoneLegs(const PastRoute& route, double weight, CountTables& tables) const {
  const size_t zones = tables.zones();
  float* const all = tables.zone_legs.data();
  float* const own =
      route.driver < 0 ? nullptr : all + static_cast<size_t>(route.driver + 1) * zones * zones;
  size_t from = 0;
  const auto drive_to = [&](size_t to) {
    all[from * zones + to] += static_cast<float>(weight);
    if (own != nullptr) own[from * zones + to] += static_cast<float>(weight);
    from = to;
  };
  for (const PastStop& stop : route.stops) {
    drive_to(
        static_cast<size_t>(ZoneOf(PointAt(stop.position, tables.coordinates), tables.centres)));
  }
  drive_to(0);
}

LegCounts LegCounter::CountRoutes(std::span<const int32_t> routes,
                                  const CountParameters& parameters) const {
  std::vector<Leg> legs;
  for (const int32_t index : routes) {
    const PastRoute& route = routes_[static_cast<size_t>(index)];
    const auto weight = static_cast<float>(WeightOf(route, parameters.half_life));
    int32_t from = 0;
    for (const PastStop& stop : route.stops) {
      const int32_t to = NodeOf(stop);
      if (from >= 0 && to >= 0) legs.push_back({.from = from, .to = to, .weight = weight});
      from = to;
    }
    if (from >= 0) legs.push_back({.from = from, .to = 0, .weight = weight});
  }
  // Sorted stably, so that sums of weights do not depend on the library.
  std::stable_sort(legs.begin(), legs.end(), [](const Leg& a, const Leg& b) {
    return std::tie(a.from, a.to) < std::tie(b.from, b.to);
  });
  LegCounts counts;
  for (const Leg& leg : legs) {
    if (counts.nodes.empty() || counts.nodes.back() != leg.from) {
      counts.nodes.push_back(leg.from);
      counts.first.push_back(counts.first.back());
    }
    const bool begins = counts.first[counts.first.size() - 2] == counts.first.back();
    if (begins || counts.to.back() != leg.to) {
      counts.to.push_back(leg.to);
      counts.counts.push_back(0);
      ++counts.first.back();
    }
    counts.counts.back() += leg.weight;
  }
  CorrectForAvailability(routes, parameters, counts);
  return counts;
}

void LegCounter::CorrectForAvailability(std::span<const int32_t> routes,
                                        const CountParameters& parameters, LegCounts& legs) const {
  std::vector<int32_t> row_of(base_.ids.size() + 1, -1);
  for (size_t row = 0; row < legs.nodes.size(); ++row) {
    row_of[static_cast<size_t>(legs.nodes[row])] = static_cast<int32_t>(row);
  }
  std::vector<double> departures(legs.nodes.size(), 0);
  std::vector<double> available(legs.to.size(), 0);
  // The number of the visit of each node, counted over all routes: those of the current route are
  // at least `begin`.
  std::vector<int64_t> visit_of(base_.ids.size() + 1, -1);
  int64_t begin = 0;
  for (const int32_t index : routes) {
    const PastRoute& route = routes_[static_cast<size_t>(index)];
    const double weight = WeightOf(route, parameters.half_life);
    const auto stops = std::ssize(route.stops);
    for (int64_t i = 0; i < stops; ++i) {
      const int32_t node = NodeOf(route.stops[static_cast<size_t>(i)]);
      if (node >= 0) visit_of[static_cast<size_t>(node)] = begin + i;
    }
    for (int64_t i = -1; i < stops; ++i) {
      const int32_t node = i < 0 ? 0 : NodeOf(route.stops[static_cast<size_t>(i)]);
      const int32_t row = node < 0 ? -1 : row_of[static_cast<size_t>(node)];
      if (row < 0) continue;
      departures[static_cast<size_t>(row)] += weight;
      for (int64_t e = legs.first[static_cast<size_t>(row)];
           e < legs.first[static_cast<size_t>(row) + 1]; ++e) {
        const auto to = static_cast<size_t>(legs.to[static_cast<size_t>(e)]);
        if (to == 0 || visit_of[to] > begin + i) available[static_cast<size_t>(e)] += weight;
      }
    }
    begin += stops;
  }
  for (size_t row = 0; row < legs.nodes.size(); ++row) {
    for (int64_t e = legs.first[row]; e < legs.first[row + 1]; ++e) {
      const auto entry = static_cast<size_t>(e);
      float& count = legs.counts[entry];
      if (count == 0) continue;  // too old; `available` may be 0 too
      // In double precision, because the factor of an old leg may exceed the range of a float.
      count = static_cast<float>(count * (departures[row] + parameters.availability) /
                                 (available[entry] + parameters.availability));
    }
  }
}

CountTables LegCounter::Count(const CountParameters& parameters) const {
  CountTables tables = base_;
  tables.parameters = parameters;
  const size_t zones = tables.zones();
  tables.zone_legs.assign((tables.drivers.size() + 1) * zones * zones, 0);
  for (const PastRoute& route : routes_) {
    AddZoneLegs(route, WeightOf(route, parameters.half_life), tables);
  }
  tables.legs = CountRoutes(all_, parameters);
  for (const std::vector<int32_t>& routes : by_driver_) {
    tables.driver_legs.push_back(CountRoutes(routes, parameters));
  }
  return tables;
}

}  // namespace vrp
