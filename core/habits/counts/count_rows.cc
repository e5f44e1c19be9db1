#include "core/habits/counts/count_rows.h"

#include <algorithm>
#include <cmath>

namespace vrp {
namespace {

// Keeps the weights of all distances, and with them all probabilities, above 0.
constexpr double kLeastWeight = 1e-200;

}  // namespace

CountRows::CountRows(const CountModel& model, std::span<const HabitStop> stops,
                     std::string_view driver)
    : tables_(model.tables()),
      driver_(model.DriverOf(driver)),
      points_(stops.size()),
      zone_of_(stops.size()),
      nodes_(stops.size()),
      first_of_node_(tables_.ids.size() + 1, -1),
      next_of_node_(stops.size(), -1),
      probabilities_(stops.size()),
      zone_distances_(tables_.zones()),
      zone_mixed_(tables_.zones()) {
  for (size_t i = stops.size(); i-- > 0;) {
    std::optional<Position> position = stops[i].position;
    nodes_[i] = i == 0 ? 0 : model.NodeOf(stops[i].id);
    if (nodes_[i] >= 0) {
      int32_t& first = first_of_node_[static_cast<size_t>(nodes_[i])];
      next_of_node_[i] = first;
      first = static_cast<int32_t>(i);
    }
    if (!position.has_value() && nodes_[i] > 0) {
      position = tables_.positions[static_cast<size_t>(nodes_[i]) - 1];
    }
    if (position.has_value()) points_[i] = PointOf(*position, tables_.coordinates);
    zone_of_[i] = i == 0 ? 0 : static_cast<size_t>(ZoneOf(points_[i], tables_.centres));
  }
  legs_ = Select(tables_.legs);
  if (driver_ >= 0) driver_legs_ = Select(tables_.driver_legs[static_cast<size_t>(driver_)]);
}

CountRows::TodayLegs CountRows::Select(const LegCounts& legs) const {
  TodayLegs today;
  today.first.push_back(0);
  for (const int32_t node : nodes_) {
    const auto found = std::lower_bound(legs.nodes.begin(), legs.nodes.end(), node);
    const bool known = node >= 0 && found != legs.nodes.end() && *found == node;
    const auto row = static_cast<size_t>(found - legs.nodes.begin());
    for (int64_t e = known ? legs.first[row] : 0; known && e < legs.first[row + 1]; ++e) {
      const auto entry = static_cast<size_t>(e);
      for (int32_t to = first_of_node_[static_cast<size_t>(legs.to[entry])]; to >= 0;
           to = next_of_node_[static_cast<size_t>(to)]) {
        today.to.push_back(static_cast<size_t>(to));
        today.counts.push_back(legs.counts[entry]);
      }
    }
    today.first.push_back(today.to.size());
  }
  return today;
}

void CountRows::SpreadOverDistances(size_t from, std::span<const uint8_t> open) {
  const double power = tables_.parameters.distance_power;
  double sum = 0;
  double known = 0;
  double unknown = 0;
  for (size_t j = 0; j < open.size(); ++j) {
    probabilities_[j] = 0;
    if (open[j] == 0) continue;
    if (!points_[from].has_value() || !points_[j].has_value()) {
      ++unknown;
      continue;
    }
    const double distance = PointDistance(*points_[from], *points_[j]);
    probabilities_[j] =
        std::max(kLeastWeight, std::exp(-power * std::log1p(distance / tables_.leg_length)));
    sum += probabilities_[j];
    ++known;
  }
  // A stop without a position is as likely as the mean of the others.
  const double mean = known > 0 ? sum / known : 1;
  const double scale = 1 / (sum + unknown * mean);
  for (size_t j = 0; j < open.size(); ++j) {
    if (open[j] == 0) continue;
    const bool both = points_[from].has_value() && points_[j].has_value();
    probabilities_[j] = (both ? probabilities_[j] : mean) * scale;
  }
}

void CountRows::MixZoneCounts(size_t driver, size_t from, double strength) {
  const size_t zones = zone_mixed_.size();
  const float* const counts = tables_.zone_legs.data() + (driver * zones + zone_of_[from]) * zones;
  double sum = strength;
  for (size_t zone = 0; zone < zones; ++zone) {
    if (zone_distances_[zone] > 0) sum += counts[zone];
  }
  for (size_t zone = 0; zone < zones; ++zone) {
    if (zone_distances_[zone] == 0) continue;
    zone_mixed_[zone] = (counts[zone] + strength * zone_mixed_[zone]) / sum;
  }
}

void CountRows::MixZones(size_t from) {
  std::fill(zone_distances_.begin(), zone_distances_.end(), 0.0);
  for (size_t j = 0; j < probabilities_.size(); ++j) {
    zone_distances_[zone_of_[j]] += probabilities_[j];
  }
  zone_mixed_ = zone_distances_;
  const CountParameters& parameters = tables_.parameters;
  MixZoneCounts(0, from, parameters.zone_strength);
  if (driver_ >= 0) {
    MixZoneCounts(static_cast<size_t>(driver_) + 1, from, parameters.driver_zone_strength);
  }
  for (size_t zone = 0; zone < zone_mixed_.size(); ++zone) {
    if (zone_distances_[zone] > 0) zone_mixed_[zone] /= zone_distances_[zone];
  }
  for (size_t j = 0; j < probabilities_.size(); ++j) probabilities_[j] *= zone_mixed_[zone_of_[j]];
}

void CountRows::MixStops(const TodayLegs& legs, size_t from, std::span<const uint8_t> open,
                         double strength) {
  double sum = 0;
  for (size_t e = legs.first[from]; e < legs.first[from + 1]; ++e) {
    if (open[legs.to[e]] != 0) sum += legs.counts[e];
  }
  if (sum == 0) return;
  const double share = strength / (sum + strength);
  for (double& probability : probabilities_) probability *= share;
  for (size_t e = legs.first[from]; e < legs.first[from + 1]; ++e) {
    if (open[legs.to[e]] != 0) probabilities_[legs.to[e]] += legs.counts[e] / (sum + strength);
  }
}

void CountRows::Row(size_t from, std::span<const uint8_t> open, float* logs) {
  const CountParameters& parameters = tables_.parameters;
  SpreadOverDistances(from, open);
  MixZones(from);
  MixStops(legs_, from, open, parameters.stop_strength);
  if (driver_ >= 0) MixStops(driver_legs_, from, open, parameters.driver_stop_strength);
  for (size_t j = 0; j < open.size(); ++j) {
    if (open[j] != 0) logs[j] = static_cast<float>(std::log(probabilities_[j]));
  }
}

}  // namespace vrp
