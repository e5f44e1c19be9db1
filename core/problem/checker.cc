#include "core/problem/checker.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "core/base/number.h"
#include "core/base/text.h"

namespace vrp {
namespace {

constexpr std::array<std::string_view, 12> kViolationNames = {
    "unknown_node",   "unknown_vehicle", "missing_customer", "duplicate_customer",
    "capacity",       "time_window",     "duration",         "distance",
    "backhaul_order", "fleet_size",      "tour_count",       "cost_mismatch"};

// Judges one plan from the raw data. It calls nothing of Instance's arithmetic or of solution.cc: a
// mistake there must not hide here.
class Judge {
 public:
  Judge(const Instance& instance, const Plan& plan)
      : data_(instance.data()), plan_(plan), nodes_(static_cast<NodeIndex>(data_.ids.size())) {
    double horizon = 1;
    for (const TimeWindow& window : data_.windows) {
      if (std::isfinite(window.close)) horizon = std::max(horizon, window.close);
    }
    time_tolerance_ = 1e-6 * horizon;
  }

  CheckReport Run(std::optional<Cost> claimed_cost) && {
    visits_.assign(static_cast<size_t>(nodes_), 0);
    for (size_t r = 0; r < plan_.size(); ++r) JudgeRoute(static_cast<int32_t>(r));
    JudgeMissing();
    JudgeFleet();
    report_.cost = InUnits(total_);
    if (claimed_cost.has_value()) JudgeClaim(*claimed_cost);
    report_.feasible = report_.violations.empty();
    return std::move(report_);
  }

 private:
  template <typename... Parts>
  void Add(Violation violation, const Parts&... parts) {
    violation.message = violation.route < 0 ? Concat(parts...)
                                            : Concat("routes[", violation.route, "]: ", parts...);
    report_.violations.push_back(std::move(violation));
  }

  // The step that distances of this metric are multiples of, as its reciprocal; 0: none.
  double StepsPerUnit() const {
    if (data_.metric == Metric::kExact) return 0;
    return data_.metric == Metric::kDimacs ? 10 : 1;
  }

  Cost InUnits(double sum) const {
    const double steps = StepsPerUnit();
    return steps == 0 ? sum : std::floor(sum * steps + 0.5) / steps;
  }

  double DistanceBetween(NodeIndex from, NodeIndex to) const {
    const size_t row = static_cast<size_t>(from);
    const size_t column = static_cast<size_t>(to);
    if (!data_.distance_matrix.empty())
      return data_.distance_matrix[row * data_.ids.size() + column];
    const Position a = data_.positions[row];
    const Position b = data_.positions[column];
    const double plain = std::sqrt((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y));
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

  double TravelTime(NodeIndex from, NodeIndex to) const {
    if (data_.duration_matrix.empty()) return DistanceBetween(from, to) / data_.speed;
    return data_
        .duration_matrix[static_cast<size_t>(from) * data_.ids.size() + static_cast<size_t>(to)];
  }

  TimeWindow WindowOf(NodeIndex node) const {
    return data_.windows.empty() ? TimeWindow{0, kNoLimit}
                                 : data_.windows[static_cast<size_t>(node)];
  }

  double ServiceOf(NodeIndex node) const {
    return data_.services.empty() ? 0 : data_.services[static_cast<size_t>(node)];
  }

  double BackhaulOf(NodeIndex node) const {
    return data_.backhauls.empty() ? 0 : data_.backhauls[static_cast<size_t>(node)];
  }

  void JudgeRoute(int32_t r) {
    const PlannedRoute& route = plan_[static_cast<size_t>(r)];
    VehicleType vehicle;
    const bool tsp = data_.vehicles.empty();
    const int64_t types = tsp ? 1 : static_cast<int64_t>(data_.vehicles.size());
    if (route.vehicle_type < 0 || route.vehicle_type >= types) {
      Add({.kind = ViolationKind::kUnknownVehicle, .route = r}, "vehicle type ", route.vehicle_type,
          " does not exist, wanted 0 to ", types - 1);
    } else if (!tsp) {
      vehicle = data_.vehicles[static_cast<size_t>(route.vehicle_type)];
    }
    std::vector<NodeIndex> path = KnownPath(r, vehicle.depot);
    if (!route.customers.empty()) ++used_[route.vehicle_type];
    if (path.size() == 1) return;
    if (!vehicle.open_end) path.push_back(vehicle.depot);
    JudgeDistance(r, path, vehicle.max_distance);
    JudgeLoad(r, path, vehicle.capacity);
    JudgeTimes(r, path, vehicle);
  }

  // The depot and the route's customers that exist; counts the visits and reports the rest.
  std::vector<NodeIndex> KnownPath(int32_t r, NodeIndex depot) {
    std::vector<NodeIndex> path = {depot};
    for (const NodeIndex node : plan_[static_cast<size_t>(r)].customers) {
      if (node < data_.num_depots || node >= nodes_) {
        Add({.kind = ViolationKind::kUnknownNode, .route = r, .node = node}, "node ", node,
            " is no customer, wanted ", data_.num_depots, " to ", nodes_ - 1);
        continue;
      }
      path.push_back(node);
      if (++visits_[static_cast<size_t>(node)] > 1) {
        Add({.kind = ViolationKind::kDuplicateCustomer, .route = r, .node = node, .amount = 1},
            "customer ", data_.ids[static_cast<size_t>(node)], " is visited again");
      }
    }
    return path;
  }

  void JudgeDistance(int32_t r, const std::vector<NodeIndex>& path, double max_distance) {
    double distance = 0;
    for (size_t i = 1; i < path.size(); ++i) distance += DistanceBetween(path[i - 1], path[i]);
    total_ += distance;
    if (distance <= max_distance + 1e-6 * std::max(1.0, max_distance)) return;
    Add({.kind = ViolationKind::kDistance, .route = r, .amount = distance - max_distance},
        "drives ", FormatNumber(distance), ", farther than the limit ", FormatNumber(max_distance));
  }

  void JudgeLoad(int32_t r, const std::vector<NodeIndex>& path, double capacity) {
    double delivered = 0;
    for (const NodeIndex node : path) delivered += data_.demands[static_cast<size_t>(node)];
    double on_board = delivered;
    double most = delivered;
    bool picked_up = false;
    for (const NodeIndex node : path) {
      const double demand = data_.demands[static_cast<size_t>(node)];
      if (picked_up && demand > 0) {
        Add({.kind = ViolationKind::kBackhaulOrder, .route = r, .node = node, .amount = demand},
            "delivery to customer ", data_.ids[static_cast<size_t>(node)], " after a pickup");
      }
      picked_up = picked_up || BackhaulOf(node) > 0;
      on_board += BackhaulOf(node) - demand;
      most = std::max(most, on_board);
    }
    // Room for the rounding of fractional demands.
    if (most <= capacity + 1e-9 * std::max(1.0, capacity)) return;
    Add({.kind = ViolationKind::kCapacity, .route = r, .amount = most - capacity}, "load ",
        FormatNumber(most), " exceeds vehicle capacity ", FormatNumber(capacity));
  }

  // Leaves the depot as soon as it opens, which is best for every window; the latest start that
  // ends as early (found from the end backwards) then gives the least duration that any start has.
  void JudgeTimes(int32_t r, const std::vector<NodeIndex>& path, const VehicleType& vehicle) {
    std::vector<double> begins = {WindowOf(path.front()).open};
    for (size_t i = 1; i < path.size(); ++i) {
      const double arrival =
          begins[i - 1] + (i > 1 ? ServiceOf(path[i - 1]) : 0) + TravelTime(path[i - 1], path[i]);
      const TimeWindow window = WindowOf(path[i]);
      begins.push_back(std::max(arrival, window.open));
      if (arrival <= window.close + time_tolerance_) continue;
      const bool back = i + 1 == path.size() && !vehicle.open_end;
      Add({.kind = ViolationKind::kTimeWindow,
           .route = r,
           .node = path[i],
           .amount = arrival - window.close},
          back ? "back at depot " : "arrives at customer ", data_.ids[static_cast<size_t>(path[i])],
          " at ", FormatNumber(arrival), ", after it closes at ", FormatNumber(window.close));
    }
    const double max_duration = vehicle.max_duration;
    if (max_duration == kNoLimit) return;
    const double end = begins.back() + (vehicle.open_end ? ServiceOf(path.back()) : 0);
    double latest = begins.back();
    for (size_t i = path.size() - 1; i-- > 0;) {
      latest -= TravelTime(path[i], path[i + 1]) + (i > 0 ? ServiceOf(path[i]) : 0);
      latest = std::max(begins[i], std::min(latest, WindowOf(path[i]).close));
    }
    const double duration = end - latest;
    if (duration <= max_duration + std::max(time_tolerance_, 1e-6 * max_duration)) return;
    Add({.kind = ViolationKind::kDuration, .route = r, .amount = duration - max_duration}, "takes ",
        FormatNumber(duration), ", longer than the limit ", FormatNumber(max_duration));
  }

  void JudgeMissing() {
    for (NodeIndex node = data_.num_depots; node < nodes_; ++node) {
      if (visits_[static_cast<size_t>(node)] > 0) continue;
      Add({.kind = ViolationKind::kMissingCustomer, .node = node, .amount = 1}, "customer ",
          data_.ids[static_cast<size_t>(node)], " is not visited");
    }
  }

  void JudgeFleet() {
    if (data_.kind == ProblemKind::kTsp) {
      int64_t tours = 0;
      for (const auto& [type, count] : used_) tours += count;
      if (tours == 1) return;
      Add({.kind = ViolationKind::kTourCount, .amount = std::abs(static_cast<double>(tours) - 1)},
          "the plan has ", tours, " tours, wanted 1");
      return;
    }
    for (size_t type = 0; type < data_.vehicles.size(); ++type) {
      const int64_t limit = data_.vehicles[type].count;
      const auto used = used_.find(static_cast<int32_t>(type));
      if (limit == 0 || used == used_.end() || used->second <= limit) continue;
      Add({.kind = ViolationKind::kFleetSize, .amount = static_cast<double>(used->second - limit)},
          used->second, " routes use vehicles[", type, "], of which there are ", limit);
    }
  }

  void JudgeClaim(Cost claimed) {
    const double steps = StepsPerUnit();
    const double allowed =
        steps == 0 ? 1e-6 * std::max(1.0, std::abs(report_.cost)) : 0.5 / steps + 1e-9;
    const double difference = std::abs(claimed - report_.cost);
    if (difference <= allowed) return;  // false for NaN, which is thus reported
    Add({.kind = ViolationKind::kCostMismatch, .amount = difference}, "claimed cost ",
        FormatNumber(claimed), ", but the plan costs ", FormatNumber(report_.cost));
  }

  const InstanceData& data_;
  const Plan& plan_;
  const NodeIndex nodes_;
  double time_tolerance_ = 0;
  double total_ = 0;
  std::vector<int32_t> visits_;
  std::map<int32_t, int64_t> used_;  // routes that are not empty, by vehicle type
  CheckReport report_;
};

}  // namespace

std::string_view ViolationName(ViolationKind kind) {
  return kViolationNames[static_cast<size_t>(kind)];
}

CheckReport CheckPlan(const Instance& instance, const Plan& plan,
                      std::optional<Cost> claimed_cost) {
  return Judge(instance, plan).Run(claimed_cost);
}

}  // namespace vrp
