#include "core/habits/driven_day.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/base/random.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/habits/leg_probabilities.h"

namespace vrp {
namespace {

constexpr uint64_t kNodeOrderSeed = 45;

// A stop of a route, by number.
struct Visit {
  size_t route = 0;
  size_t stop = 0;
};

class DrivenDayBuilder {
 public:
  DrivenDayBuilder(const RouteHistory& history, std::span<const PastRoute> routes)
      : history_(history), routes_(routes) {
    data_.coordinates = history.coordinates;
    data_.name = DayText(routes.front().day);
  }

  absl::StatusOr<DrivenDay> Build() && {
    VRP_RETURN_IF_ERROR(CheckSize());
    VRP_RETURN_IF_ERROR(AddDepots());
    VRP_RETURN_IF_ERROR(AddCustomers());
    AddWindows();
    AddVehicles();
    absl::StatusOr<Instance> instance = Instance::Create(std::move(data_));
    if (!instance.ok()) return Refuse(FromAbsl(instance.status().message()));
    return DrivenDay{.instance = *std::move(instance),
                     .driven = std::move(driven_),
                     .places = std::move(places_)};
  }

 private:
  absl::Status Refuse(std::string_view problem) const {
    return absl::InvalidArgumentError(Concat(DayText(routes_.front().day), ": ", problem));
  }

  absl::Status CheckSize() const {
    size_t stops = 0;
    for (const PastRoute& route : routes_) stops += route.stops.size();
    if (stops < static_cast<size_t>(kMaxGuidedNodes)) return absl::OkStatus();
    return Refuse(Concat("got ", stops, " stops, wanted fewer than ", kMaxGuidedNodes,
                         ", the limit of an instance with habits"));
  }

  // Adds each depot once, and finds those of the routes.
  absl::Status AddDepots() {
    for (const PastRoute& route : routes_) {
      const std::optional<Position>& depot = route.depot;
      if (!depot.has_value()) return Refuse("no depot is known; give it with x and y");
      auto found = std::ranges::find(data_.positions, *depot);
      if (found == data_.positions.end()) found = data_.positions.insert(found, *depot);
      depots_.push_back(static_cast<NodeIndex>(found - data_.positions.begin()));
    }
    data_.num_depots = static_cast<int32_t>(data_.positions.size());
    for (NodeIndex depot = 0; depot < data_.num_depots; ++depot) places_.push_back(depot);
    return absl::OkStatus();
  }

  // Returns the visits in random order, so that node numbers do not tell the routes.
  std::vector<Visit> ShuffledVisits() const {
    std::vector<Visit> visits;
    for (size_t r = 0; r < routes_.size(); ++r) {
      for (size_t s = 0; s < routes_[r].stops.size(); ++s)
        visits.push_back({.route = r, .stop = s});
    }
    CounterRandom random(kNodeOrderSeed, static_cast<uint64_t>(routes_.front().day));
    random.Shuffle(std::span(visits));
    return visits;
  }

  absl::Status AddCustomers() {
    for (const PastRoute& route : routes_)
      driven_.emplace_back().customers.resize(route.stops.size());
    const std::vector<Visit> visits = ShuffledVisits();
    std::unordered_map<int32_t, NodeIndex> first_visits;
    for (const Visit& visit : visits) {
      const PastStop& stop = routes_[visit.route].stops[visit.stop];
      const auto node = static_cast<NodeIndex>(data_.positions.size());
      if (!stop.position.has_value()) {
        return Refuse(Concat("stop ", Quoted(IdOf(stop)), " has no position; give it x and y"));
      }
      data_.positions.push_back(*stop.position);
      places_.push_back(stop.id < 0 ? node : first_visits.emplace(stop.id, node).first->second);
      driven_[visit.route].customers[visit.stop] = node;
      has_demands_ = has_demands_ || stop.demand > 0;
      has_windows_ = has_windows_ || stop.window != TimeWindow();
    }
    NameNodes(visits);
    if (!has_demands_) return absl::OkStatus();
    data_.demands.resize(data_.positions.size(), 0);
    for (size_t i = 0; i < visits.size(); ++i) {
      const PastStop& stop = routes_[visits[i].route].stops[visits[i].stop];
      data_.demands[static_cast<size_t>(data_.num_depots) + i] = stop.demand;
    }
    return absl::OkStatus();
  }

  const std::string& IdOf(const PastStop& stop) const {
    static const std::string* const none = new std::string;
    return stop.id < 0 ? *none : history_.ids[static_cast<size_t>(stop.id)];
  }

  // Gives the first node of each stop the stop's id, and all others ids that no stop has.
  void NameNodes(const std::vector<Visit>& visits) {
    std::unordered_set<std::string> taken;
    const auto first = static_cast<size_t>(data_.num_depots);
    data_.ids.resize(data_.positions.size());
    for (size_t i = 0; i < visits.size(); ++i) {
      const PastStop& stop = routes_[visits[i].route].stops[visits[i].stop];
      const size_t node = first + i;
      if (stop.id < 0 || places_[node] != static_cast<NodeIndex>(node)) continue;
      data_.ids[node] = IdOf(stop);
      taken.insert(data_.ids[node]);
    }
    for (size_t node = 0; node < data_.ids.size(); ++node) {
      if (!data_.ids[node].empty()) continue;
      std::string name = Concat(node < first ? "depot " : "visit ", node);
      while (!taken.insert(name).second) name += '\'';
      data_.ids[node] = std::move(name);
    }
  }

  // Adds the windows, each open until the largest opening time of the stops before it.
  void AddWindows() {
    if (!has_windows_) return;
    data_.kind = ProblemKind::kVrptw;
    data_.windows.resize(data_.positions.size());
    for (size_t r = 0; r < routes_.size(); ++r) {
      double time = 0;
      for (size_t s = 0; s < routes_[r].stops.size(); ++s) {
        TimeWindow window = routes_[r].stops[s].window;
        window.open = std::max(window.open, 0.0);
        time = std::max(time, window.open);
        window.close = std::max(time, window.close);
        data_.windows[static_cast<size_t>(driven_[r].customers[s])] = window;
      }
    }
    data_.duration_matrix.assign(data_.positions.size() * data_.positions.size(), 0);
  }

  void AddVehicles() {
    double capacity = 0;
    size_t stops = 0;
    for (const PastRoute& route : routes_) {
      double load = 0;
      for (const PastStop& stop : route.stops) load += stop.demand;
      capacity = std::max(capacity, load);
      stops = std::max(stops, route.stops.size());
    }
    std::map<std::pair<std::string_view, NodeIndex>, int32_t> types;
    for (size_t r = 0; r < routes_.size(); ++r) {
      const std::string_view driver = history_.DriverName(routes_[r].driver);
      const auto [type, added] = types.emplace(std::pair(driver, depots_[r]), types.size());
      if (added) {
        VehicleType& vehicle = data_.vehicles.emplace_back();
        vehicle.id = driver;
        vehicle.depot = depots_[r];
        if (has_demands_) vehicle.capacity = capacity;
        if (!has_demands_) vehicle.max_stops = static_cast<int32_t>(stops);
      }
      ++data_.vehicles[static_cast<size_t>(type->second)].count;
      driven_[r].vehicle_type = type->second;
    }
  }

  const RouteHistory& history_;
  const std::span<const PastRoute> routes_;
  InstanceData data_;
  Plan driven_;                    // in the order of the routes
  std::vector<NodeIndex> depots_;  // by route
  std::vector<NodeIndex> places_;  // by node
  bool has_demands_ = false;
  bool has_windows_ = false;
};

using Leg = std::pair<NodeIndex, NodeIndex>;  // places

Leg EitherWay(const Leg& leg) { return std::minmax(leg.first, leg.second); }

std::vector<Leg> LegsOf(const DrivenDay& day, const Plan& plan) {
  std::vector<Leg> legs;
  for (const PlannedRoute& route : plan) {
    if (route.customers.empty()) continue;
    const NodeIndex depot = VehicleOf(day.instance, route).depot;
    NodeIndex from = depot;
    for (const NodeIndex node : route.customers) {
      const NodeIndex to = day.places[static_cast<size_t>(node)];
      legs.emplace_back(std::exchange(from, to), to);
    }
    legs.emplace_back(from, depot);
  }
  return legs;
}

// Returns the number of legs that both have, each as often as both have it.
double CountCommon(std::vector<Leg> a, std::vector<Leg> b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  std::vector<Leg> common;
  std::ranges::set_intersection(a, b, std::back_inserter(common));
  return static_cast<double>(common.size());
}

}  // namespace

absl::StatusOr<DrivenDay> MakeDrivenDay(const RouteHistory& history,
                                        std::span<const PastRoute> routes) {
  return DrivenDayBuilder(history, routes).Build();
}

LegShares SharesOfDrivenLegs(const DrivenDay& day, const Plan& plan) {
  std::vector<Leg> driven = LegsOf(day, day.driven);
  std::vector<Leg> planned = LegsOf(day, plan);
  const auto count = static_cast<double>(driven.size());
  LegShares shares;
  shares.same_way = CountCommon(driven, planned) / count;
  std::ranges::transform(driven, driven.begin(), EitherWay);
  std::ranges::transform(planned, planned.begin(), EitherWay);
  shares.either_way = CountCommon(std::move(driven), std::move(planned)) / count;
  return shares;
}

}  // namespace vrp
