#include "core/problem/checker/checker_data.h"

#include <algorithm>
#include <cmath>

namespace vrp {
namespace {

// Returns the great-circle distance in metres, computed as haversine from the cosines of the full
// angles.
double SphereDistance(Position a, Position b) {
  const double degree = std::acos(-1.0) / 180;
  const double up = (1 - std::cos((a.y - b.y) * degree)) / 2;
  const double along = (1 - std::cos((a.x - b.x) * degree)) / 2;
  const double half = up + std::cos(a.y * degree) * std::cos(b.y * degree) * along;
  return 2 * kEarthRadius * std::atan2(std::sqrt(half), std::sqrt(std::max(0.0, 1 - half)));
}

// Returns the number of rows, which is the same for all matrices.
size_t RowsOfMatrices(const InstanceData& data) {
  size_t entries = 0;
  const auto add = [&](const auto& owner) {
    entries = std::max({entries, owner.distance_matrix.size(), owner.duration_matrix.size(),
                        owner.length_matrix.size()});
    for (const TimedMatrix& timed : owner.duration_matrices) {
      entries = std::max(entries, timed.durations.size());
    }
  };
  add(data);
  for (const VehicleType& vehicle : data.vehicles) add(vehicle);
  return static_cast<size_t>(std::lround(std::sqrt(static_cast<double>(entries))));
}

}  // namespace

CheckerData::CheckerData(const InstanceData& data) : data_(data), matrix_size_(data.ids.size()) {
  if (!data.matrix_rows.empty()) matrix_size_ = RowsOfMatrices(data);
  std::vector<TimeWindow> all = data.windows;
  for (const auto& windows : data.further_windows) {
    all.insert(all.end(), windows.begin(), windows.end());
  }
  for (const VehicleType& vehicle : data.vehicles) {
    all.push_back(vehicle.shift);
    for (const Break& pause : vehicle.breaks) {
      all.push_back(pause.window);
      all.insert(all.end(), pause.further_windows.begin(), pause.further_windows.end());
    }
  }
  std::erase_if(all, [](const TimeWindow& window) { return std::isinf(window.close); });
  double span = 1;
  if (!all.empty()) {
    const auto open = [](const TimeWindow& a, const TimeWindow& b) { return a.open < b.open; };
    const auto close = [](const TimeWindow& a, const TimeWindow& b) { return a.close < b.close; };
    span = std::max(span, std::max_element(all.begin(), all.end(), close)->close -
                              std::min_element(all.begin(), all.end(), open)->open);
  }
  time_tolerance_ = 1e-6 * span;
  if (!data.shipments.empty()) shipment_of_.assign(data.ids.size(), nullptr);
  for (const Shipment& shipment : data.shipments) {
    shipment_of_[static_cast<size_t>(shipment.pickup)] = &shipment;
    shipment_of_[static_cast<size_t>(shipment.delivery)] = &shipment;
  }
  if (!data.customer_rules.empty()) ReadRules();
}

void CheckerData::ReadRules() {
  rules_of_.resize(data_.ids.size());
  for (size_t rule = 0; rule < data_.customer_rules.size(); ++rule) {
    const std::vector<NodeIndex>& customers = data_.customer_rules[rule].customers;
    for (size_t place = 0; place < customers.size(); ++place) {
      rules_of_[static_cast<size_t>(customers[place])].push_back({rule, place});
    }
  }
  std::vector<bool> seen(data_.ids.size(), false);
  for (const CustomerRule& rule : data_.customer_rules) {
    const NodeIndex first = rule.customers.front();
    if (rule.kind != RuleKind::kSameRoute || seen[static_cast<size_t>(first)]) continue;
    together_.push_back(Together(first, seen));
  }
}

std::vector<NodeIndex> CheckerData::Together(NodeIndex node, std::vector<bool>& seen) const {
  std::vector<NodeIndex> reached;
  const auto reach = [&](NodeIndex other) {
    if (seen[static_cast<size_t>(other)]) return;
    seen[static_cast<size_t>(other)] = true;
    reached.push_back(other);
  };
  reach(node);
  size_t next = 0;
  while (next < reached.size()) {  // which grows
    const auto at = static_cast<size_t>(reached[next++]);
    for (const RulePlace& in : rules_of_[at]) {
      const CustomerRule& rule = data_.customer_rules[in.rule];
      // The neighbours in the list reach all others.
      if (rule.kind != RuleKind::kSameRoute) continue;
      if (in.place > 0) reach(rule.customers[in.place - 1]);
      if (in.place + 1 < rule.customers.size()) reach(rule.customers[in.place + 1]);
    }
    if (shipment_of_.empty() || shipment_of_[at] == nullptr) continue;
    reach(shipment_of_[at]->pickup);
    reach(shipment_of_[at]->delivery);
  }
  return reached;
}

const std::vector<CheckerData::RulePlace>& CheckerData::RulesOf(NodeIndex node) const {
  static const auto* const none = new std::vector<RulePlace>;
  return rules_of_.empty() ? *none : rules_of_[static_cast<size_t>(node)];
}

double CheckerData::steps_per_unit() const {
  if (data_.metric == Metric::kExact) return 0;
  return data_.metric == Metric::kDimacs ? 10 : 1;
}

double CheckerData::UnroundedDistance(NodeIndex from, NodeIndex to) const {
  const Position a = data_.positions[static_cast<size_t>(from)];
  const Position b = data_.positions[static_cast<size_t>(to)];
  if (data_.coordinates == CoordinateSystem::kLonLat) return SphereDistance(a, b);
  return std::sqrt((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y));
}

double CheckerData::Distance(const VehicleType& vehicle, NodeIndex from, NodeIndex to) const {
  if (!vehicle.distance_matrix.empty()) return Entry(vehicle.distance_matrix, from, to);
  if (!data_.distance_matrix.empty()) return Entry(data_.distance_matrix, from, to);
  const double plain = UnroundedDistance(from, to);
  switch (data_.metric) {
    case Metric::kExact:
      return plain;
    case Metric::kCeiled:
      return std::ceil(plain);
    case Metric::kRounded:
      return std::floor(plain + 0.5);
    case Metric::kDimacs:
      return std::floor(plain * 10) / 10;
    case Metric::kScaled1000:
      return std::floor(plain * 1000 + 0.5);
  }
  return plain;
}

double CheckerData::Length(const VehicleType& vehicle, NodeIndex from, NodeIndex to) const {
  const auto& lengths = vehicle.length_matrix.empty() ? data_.length_matrix : vehicle.length_matrix;
  return lengths.empty() ? Distance(vehicle, from, to) : Entry(lengths, from, to);
}

std::vector<TimePoint> CheckerData::TravelTimes(const VehicleType& vehicle, NodeIndex from,
                                                NodeIndex to) const {
  if (!vehicle.duration_matrix.empty()) return {{0, Entry(vehicle.duration_matrix, from, to)}};
  const std::vector<TimedMatrix>& list =
      vehicle.duration_matrices.empty() ? data_.duration_matrices : vehicle.duration_matrices;
  std::vector<TimePoint> points;
  for (const TimedMatrix& timed : list) {
    points.push_back({timed.at, Entry(timed.durations, from, to)});
  }
  if (!points.empty()) return points;
  if (!data_.duration_matrix.empty()) return {{0, Entry(data_.duration_matrix, from, to)}};
  return {{0, Distance(vehicle, from, to) / data_.speed}};
}

double CheckerData::ShortestTravelTime(const VehicleType& vehicle, NodeIndex from,
                                       NodeIndex to) const {
  double shortest = kNoLimit;
  for (const TimePoint& point : TravelTimes(vehicle, from, to)) {
    shortest = std::min(shortest, point.travel);
  }
  return shortest;
}

std::vector<TimeWindow> CheckerData::WindowsOf(NodeIndex node) const {
  const auto at = static_cast<size_t>(node);
  std::vector<TimeWindow> windows = {data_.windows.empty() ? TimeWindow{} : data_.windows[at]};
  if (data_.further_windows.empty()) return windows;
  windows.insert(windows.end(), data_.further_windows[at].begin(), data_.further_windows[at].end());
  return windows;
}

double CheckerData::WorkAt(const VehicleType& vehicle, NodeIndex from, NodeIndex node) const {
  double service = Value(data_.services, node, 0);
  double setup = Value(data_.setups, node, 0);
  const auto own = std::lower_bound(
      vehicle.customer_times.begin(), vehicle.customer_times.end(), node,
      [](const CustomerTimes& times, NodeIndex at) { return times.customer < at; });
  if (own != vehicle.customer_times.end() && own->customer == node) {
    if (!std::isinf(own->service)) service = own->service;
    if (!std::isinf(own->setup)) setup = own->setup;
  }
  if (setup == 0) return service;
  const bool stays =
      Distance(vehicle, from, node) == 0 && ShortestTravelTime(vehicle, from, node) == 0;
  return stays ? service : setup + service;
}

double CheckerData::Weight(NodeIndex node) const {
  return data_.priorities.empty() ? 1 : 1 + data_.priorities[static_cast<size_t>(node)];
}

double CheckerData::Handled(NodeIndex node, size_t k) const {
  return Demand(node, k) + Backhaul(node, k) + Pickup(node, k) + std::max(0.0, Shipped(node, k));
}

double CheckerData::Shipped(NodeIndex node, size_t k) const {
  const Shipment* const shipment = ShipmentAt(node);
  if (shipment == nullptr) return 0;
  return shipment->pickup == node ? shipment->amounts[k] : -shipment->amounts[k];
}

}  // namespace vrp
