#include "core/solve/small_optimum.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>
#include <vector>

#include "core/problem/checker/checker.h"
#include "core/problem/instance/instance_data.h"
#include "core/problem/plan/plan_value.h"
#include "core/problem/plan/schedule.h"
#include "core/search/search.h"

namespace vrp {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr int kStepsPerPoll = 64;  // steps between polls of the stop condition

// A set of customers, one bit each; bit 0 is the first customer.
using CustomerSet = uint32_t;

// A solver of plain instances. It finds the shortest route of each set of customers, then the best
// sets.
class PlainOptimum {
 public:
  PlainOptimum(const Instance& instance, const StopCondition& stop)
      : instance_(instance),
        stop_(stop),
        customers_(instance.num_customers()),
        tolerance_(RouteScheduler(instance).tolerance()),
        capacity_(CapacityWithRounding(instance.capacity())),
        distances_(instance.DistanceMatrix()),
        durations_(instance.DurationMatrix()),
        best_(size_t{1} << customers_) {}

  std::optional<Plan> Run() {
    const TimeWindow depot = instance_.window(0);
    Extend({.node = 0, .time = depot.open});
    if (stopped_) return std::nullopt;
    Partition();
    return BuildPlan(BestSet());
  }

 private:
  struct Route {
    double distance = kNever;
    std::vector<NodeIndex> order = {};
  };
  // A partial route.
  struct State {
    NodeIndex node = 0;
    CustomerSet set = 0;
    double time = 0;  // time at which the vehicle leaves `node`
    double load = 0;
    double distance = 0;
  };

  size_t Edge(NodeIndex from, NodeIndex to) const {
    return static_cast<size_t>(from * (customers_ + 1) + to);
  }

  void Extend(const State& at) {
    if (stopped_ || (++steps_ % kStepsPerPoll == 0 && stop_.ShouldStop())) {
      stopped_ = true;
      return;
    }
    if (at.set != 0) RecordRoute(at);
    for (NodeIndex next = 1; next <= customers_; ++next) {
      const CustomerSet bit = CustomerSet{1} << (next - 1);
      if ((at.set & bit) != 0) continue;
      const TimeWindow window = instance_.window(next);
      const double start = std::max(at.time + durations_[Edge(at.node, next)], window.open);
      const double load = at.load + instance_.demand(next);
      if (start > window.close + tolerance_ || load > capacity_) continue;
      order_.push_back(next);
      Extend({.node = next,
              .set = at.set | bit,
              .time = start + instance_.service(next),
              .load = load,
              .distance = at.distance + distances_[Edge(at.node, next)]});
      order_.pop_back();
    }
  }

  // Keeps the route that returns to the depot from `at` if it is the shortest route of its
  // customers.
  void RecordRoute(const State& at) {
    if (at.time + durations_[Edge(at.node, 0)] > instance_.window(0).close + tolerance_) return;
    const double distance = at.distance + distances_[Edge(at.node, 0)];
    Route& best = best_[at.set];
    if (distance < best.distance) best = {.distance = distance, .order = order_};
  }

  size_t MaxRoutes() const {
    if (instance_.vehicles().empty()) return 1;
    const int32_t count = instance_.vehicles().front().count;
    return static_cast<size_t>(count == 0 ? customers_ : std::min(count, customers_));
  }

  // Computes sums_[k][set], the least distance of at most k routes that serve exactly `set`. Also
  // computes last_[k][set], the subset that the last of these routes serves.
  void Partition() {
    const size_t max_routes = MaxRoutes();
    sums_.assign(max_routes + 1, std::vector<double>(best_.size(), kNever));
    last_.assign(max_routes + 1, std::vector<CustomerSet>(best_.size(), 0));
    sums_[0][0] = 0;
    for (size_t k = 1; k <= max_routes; ++k) {
      sums_[k] = sums_[k - 1];
      last_[k] = last_[k - 1];
      for (CustomerSet set = 1; set < best_.size(); ++set) {
        for (CustomerSet part = set; part > 0; part = (part - 1) & set) {
          const double sum = best_[part].distance + sums_[k - 1][set ^ part];
          if (sum >= sums_[k][set]) continue;
          sums_[k][set] = sum;
          last_[k][set] = part;
        }
      }
    }
  }

  // Returns the set with the most customers; among these, the one with the least distance.
  CustomerSet BestSet() const {
    CustomerSet best = 0;
    for (CustomerSet set = 1; set < best_.size(); ++set) {
      if (sums_.back()[set] == kNever) continue;
      const int more = std::popcount(set) - std::popcount(best);
      if (more > 0 || (more == 0 && sums_.back()[set] < sums_.back()[best])) best = set;
    }
    return best;
  }

  Plan BuildPlan(CustomerSet set) const {
    Plan plan;
    for (size_t k = sums_.size() - 1; set != 0;) {
      // Finds the smallest number of routes with this distance.
      while (k > 1 && sums_[k - 1][set] == sums_[k][set]) --k;
      const CustomerSet part = last_[k][set];
      plan.push_back({.vehicle_type = 0, .customers = best_[part].order});
      set ^= part;
      --k;
    }
    return plan;
  }

  const Instance& instance_;
  const StopCondition& stop_;
  const int32_t customers_;
  const double tolerance_;
  const double capacity_;
  const std::vector<double> distances_;
  const std::vector<double> durations_;
  std::vector<Route> best_;  // by set
  std::vector<NodeIndex> order_;
  std::vector<std::vector<double>> sums_;
  std::vector<std::vector<CustomerSet>> last_;
  int64_t steps_ = 0;
  bool stopped_ = false;
};

// A solver of any instance. It generates every plan and has the checker judge each one.
class CheckedOptimum {
 public:
  CheckedOptimum(const Instance& instance, const StopCondition& stop)
      : instance_(instance),
        stop_(stop),
        types_(std::max<int32_t>(1, static_cast<int32_t>(instance.vehicles().size()))) {}

  std::optional<Plan> Run() {
    Place(instance_.num_depots());
    return stopped_ ? std::nullopt : std::move(best_);
  }

 private:
  // Tries to drop `customer`, each position in each route, and a separate route. Generates each
  // plan once.
  void Place(NodeIndex customer) {
    if (stopped_) return;
    if (customer == instance_.num_nodes()) return EvaluatePlan();
    Place(customer + 1);
    for (size_t r = 0; r < plan_.size(); ++r) {
      for (size_t at = 0; at <= plan_[r].customers.size(); ++at) {
        auto& visits = plan_[r].customers;
        visits.insert(visits.begin() + static_cast<std::ptrdiff_t>(at), customer);
        Place(customer + 1);
        plan_[r].customers.erase(plan_[r].customers.begin() + static_cast<std::ptrdiff_t>(at));
      }
    }
    for (int32_t type = 0; type < types_; ++type) {
      plan_.push_back({.vehicle_type = type, .customers = {customer}});
      Place(customer + 1);
      plan_.pop_back();
    }
  }

  void EvaluatePlan() {
    stopped_ = ++judged_ % kStepsPerPoll == 0 && stop_.ShouldStop();
    if (!RoutesAreFeasible(CheckPlan(instance_, plan_))) return;
    const PlanValue value = ValueOf(instance_, plan_);
    if (best_.has_value() && !(value < value_)) return;
    best_ = plan_;
    value_ = value;
  }

  const Instance& instance_;
  const StopCondition& stop_;
  const int32_t types_;
  Plan plan_;
  std::optional<Plan> best_;
  PlanValue value_;
  int64_t judged_ = 0;
  bool stopped_ = false;
};

// Returns the number of plans. Sums over k and r the choices of k customers, times the Lah number
// L(k, r), times the choices of vehicle types for r routes. L(k, r) counts the ways to form r
// ordered routes of k customers. Returns infinity if there are more than kMaxCounted customers.
double CountPlans(const Instance& instance) {
  constexpr int32_t kMaxCounted = 12;  // maximum number of customers
  const int32_t n = instance.num_customers();
  if (n > kMaxCounted) return kNever;
  const double types = std::max<double>(1, static_cast<double>(instance.vehicles().size()));
  double sum = 1;
  double choices = 1;
  for (int32_t k = 1; k <= n; ++k) {
    choices = choices * (n - k + 1) / k;
    double lah = 1;  // L(k, 1) = k!
    for (int32_t i = 2; i <= k; ++i) lah *= i;
    double typed = types;
    for (int32_t r = 1; r <= k; ++r) {
      sum += choices * lah * typed;
      lah = lah * (k - r) / (static_cast<double>(r) * (r + 1));
      typed *= types;
    }
  }
  return sum;
}

bool MayReload(const Instance& instance) {
  return std::any_of(instance.vehicles().begin(), instance.vehicles().end(),
                     [](const VehicleType& type) { return type.max_reloads > 0; });
}

}  // namespace

std::optional<Plan> SmallOptimum(const Instance& instance, const StopCondition& stop) {
  if (stop.ShouldStop() || MayReload(instance)) return std::nullopt;
  if (instance.num_customers() <= kMaxPlainExactCustomers && IsPlain(instance)) {
    return PlainOptimum(instance, stop).Run();
  }
  if (CountPlans(instance) > kMaxExactPlans) return std::nullopt;
  return CheckedOptimum(instance, stop).Run();
}

}  // namespace vrp
