#include "core/habits/similar_day.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <tuple>

namespace vrp {
namespace {

// Gives the vehicles of an instance to past routes.
class VehicleGiver {
 public:
  explicit VehicleGiver(const Instance& instance) : instance_(instance) {
    for (const VehicleType& type : instance.vehicles()) {
      left_.push_back(type.count > 0 ? type.count : instance.num_customers());
    }
  }

  // Takes the vehicle with that id. Returns its type, or -1 if there is none left.
  int32_t TakeDriver(std::string_view driver) {
    for (size_t type = 0; type < left_.size() && !driver.empty(); ++type) {
      if (left_[type] > 0 && instance_.vehicles()[type].id == driver) return Take(type);
    }
    return -1;
  }

  // Takes the vehicle that suits a route with that load best. Returns its type, or -1.
  int32_t TakeNearest(std::optional<Position> depot, double load) {
    std::optional<size_t> best;
    for (size_t type = 0; type < left_.size(); ++type) {
      if (left_[type] == 0) continue;
      if (!best.has_value() || RankOf(type, depot, load) < RankOf(*best, depot, load)) best = type;
    }
    return best.has_value() ? Take(*best) : -1;
  }

 private:
  int32_t Take(size_t type) {
    --left_[type];
    return static_cast<int32_t>(type);
  }

  // Less is better: the distance to the depot, the load that does not fit, the capacity.
  std::tuple<double, double, double> RankOf(size_t number, std::optional<Position> depot,
                                            double load) const {
    const VehicleType& type = instance_.vehicles()[number];
    double distance = 0;
    if (depot.has_value() && instance_.has_positions()) {
      const Position start = instance_.position(type.depot);
      distance = std::hypot(start.x - depot->x, start.y - depot->y);
    }
    return {distance, std::max(0.0, load - type.capacity), type.capacity};
  }

  const Instance& instance_;
  std::vector<int64_t> left_;
};

double LoadOf(const Instance& instance, const std::vector<NodeIndex>& customers) {
  return std::accumulate(customers.begin(), customers.end(), 0.0,
                         [&](double sum, NodeIndex node) { return sum + instance.demand(node); });
}

// Returns all customers as the one tour of a travelling salesman.
Plan OneTour(const std::vector<std::vector<NodeIndex>>& routes) {
  Plan plan(1);
  for (const std::vector<NodeIndex>& route : routes) {
    plan.front().customers.insert(plan.front().customers.end(), route.begin(), route.end());
  }
  return plan;
}

}  // namespace

PastDays::PastDays(const RouteHistory& history) : ids_(history.ids), days_of_(history.ids.size()) {
  for (size_t i = 0; i < ids_.size(); ++i) numbers_.emplace(ids_[i], static_cast<int32_t>(i));
  for (const PastRoute& past : history.routes) {
    if (days_.empty() || days_.back().day != past.day) days_.push_back({.day = past.day});
    Day& day = days_.back();
    const auto number = static_cast<int32_t>(days_.size()) - 1;
    Route& route = day.routes.emplace_back(
        Route{.driver = std::string(history.DriverName(past.driver)), .depot = past.depot});
    for (const PastStop& stop : past.stops) {
      if (stop.id < 0) continue;
      route.stops.push_back(stop.id);
      std::vector<int32_t>& days = days_of_[static_cast<size_t>(stop.id)];
      if (!days.empty() && days.back() == number) continue;
      days.push_back(number);
      ++day.stops;
    }
  }
}

std::optional<SimilarDay> PastDays::MostSimilarTo(const Instance& instance) const {
  std::vector<int32_t> common(days_.size(), 0);
  for (NodeIndex node = instance.num_depots(); node < instance.num_nodes(); ++node) {
    const auto found = numbers_.find(instance.id(node));
    if (found == numbers_.end()) continue;
    for (const int32_t day : days_of_[static_cast<size_t>(found->second)]) ++common[day];
  }
  std::optional<size_t> best;
  double best_share = 0;
  for (size_t day = 0; day < days_.size(); ++day) {
    if (common[day] == 0) continue;
    const int32_t all = instance.num_customers() + days_[day].stops - common[day];
    const double share = static_cast<double>(common[day]) / all;
    if (share < best_share) continue;
    best = day;
    best_share = share;
  }
  if (!best.has_value()) return std::nullopt;
  const Day& day = days_[*best];
  return SimilarDay{.day = day.day,
                    .common_stops = common[*best],
                    .past_stops = day.stops,
                    .plan = PlanOf(day, instance)};
}

Plan PastDays::PlanOf(const Day& day, const Instance& instance) const {
  std::unordered_map<std::string_view, NodeIndex> absent;  // customers without a visit so far
  for (NodeIndex node = instance.num_depots(); node < instance.num_nodes(); ++node) {
    absent.emplace(instance.id(node), node);
  }
  std::vector<std::vector<NodeIndex>> routes(day.routes.size());
  for (size_t r = 0; r < routes.size(); ++r) {
    for (const int32_t stop : day.routes[r].stops) {
      const auto node = absent.extract(ids_[static_cast<size_t>(stop)]);
      if (!node.empty()) routes[r].push_back(node.mapped());
    }
  }
  if (instance.vehicles().empty()) return OneTour(routes);
  std::vector<size_t> order(routes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::erase_if(order, [&](size_t r) { return routes[r].empty(); });
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](size_t r) { return routes[r].size(); });
  VehicleGiver vehicles(instance);
  std::vector<int32_t> types(routes.size(), -1);
  for (const size_t r : order) types[r] = vehicles.TakeDriver(day.routes[r].driver);
  for (const size_t r : order) {
    if (types[r] >= 0) continue;
    types[r] = vehicles.TakeNearest(day.routes[r].depot, LoadOf(instance, routes[r]));
  }
  Plan plan;
  for (size_t r = 0; r < routes.size(); ++r) {
    if (types[r] >= 0)
      plan.push_back({.vehicle_type = types[r], .customers = std::move(routes[r])});
  }
  return plan;
}

bool NamesCustomers(const Instance& instance) {
  for (NodeIndex node = instance.num_depots(); node < instance.num_nodes(); ++node) {
    if (instance.id(node) != std::to_string(node)) return true;
  }
  return false;
}

}  // namespace vrp
