#include "core/search/methods/regions/region_search.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "core/base/run_on_threads.h"
#include "core/base/steady_time.h"
#include "core/search/methods/annealing/annealing.h"
#include "core/search/methods/regions/region_cooling.h"
#include "core/search/model/fast_random.h"
#include "core/search/model/node_selection.h"

namespace vrp {
namespace {

// With fewer customers, or less time, the whole instance is no slower to search.
constexpr int64_t kFrom = 200;
constexpr absl::Duration kLeastTime = absl::Milliseconds(500);
// A region has so many routes, but customers within these bounds, and leaves another one for each
// thread.
constexpr int32_t kRoutes = 20;
constexpr int32_t kFewestCustomers = 150;
constexpr int32_t kMostCustomers = 500;
constexpr int32_t kRegionsPerThread = 2;
constexpr int32_t kFewestBesideOthers = 100;
// The first temperature of a cooling, relative to that of an annealing of the whole instance. It
// grows by 1 with each `time` or `iterations` per customer of the cooling's length, within its
// bounds: the more work a customer gets, the further the search may leave the plan behind.
// (Measured without windows, 500 to 1,000 customers: from 10 s on, 1 to 2 cost 0.1 to 4 % less than
// 0.3.)
struct Heat {
  double min = 1;
  double max = 1;
  absl::Duration time;
  double iterations = 1;

  double Of(const CoolingPoint& point, double customers) const {
    return std::clamp(
        std::min(absl::FDivDuration(point.time, time), point.iterations / iterations) / customers,
        min, max);
  }
};
constexpr Heat kUntimedHeat = {0.3, 2, absl::Milliseconds(5), 1'000};
// (Measured with windows, 500 to 1,000 customers at 30 and 60 s, seven instances: 1 costs 0.2 %
// less than 2, and 2 less than 4.)
constexpr Heat kTimedHeat = {1, 1, absl::Milliseconds(10), 1'000};
// A hot search leaves out what is worth its prize. (Measured with windows, 600 customers, 330
// iterations per customer: 0.5 cost 0.1 to 2 % less than 1.)
constexpr Heat kPrizesHeat = {0.5, 1, absl::Milliseconds(20), 2'000};
// Work on a region before it is returned, in iterations per customer.
constexpr int64_t kPlainSlice = 20;
constexpr int64_t kSlice = 8;
// From this phase of the cooling on the best of a slice is kept, before it what was accepted last.
constexpr double kLastPhase = 0.9;
// How often a region is tried with a route less, the shortest of so many drawn: ruins hardly ever
// empty a long one.
constexpr double kFewerRate = 0.1;
constexpr int kFewerDraws = 3;
constexpr absl::Duration kWaitForRegion = absl::Milliseconds(1);

// The work on one region at a constant temperature.
struct RegionSlice {
  const StopCondition& stop;
  int64_t iterations = 0;  // to do, and afterwards done
  double temperature = 0;
  bool keeps_best = false;  // returns the best plan, not the last accepted one
};

// Returns a plan of `instance`, which may leave customers out.
Plan Anneal(const Instance& instance, const Plan& plan, FastRandom& random, RegionSlice& slice) {
  const Problem problem = Problem::Create(instance, slice.stop);
  RouteStore routes(problem);
  routes.Load(plan);
  const SearchOptions options = {.stop = slice.stop, .max_iterations = slice.iterations};
  Annealing annealing(routes, random, options, slice.stop);
  annealing.KeepTemperature(slice.temperature);
  annealing.Run([](const Plan&, Cost) {});
  slice.iterations = annealing.iterations();
  return slice.keeps_best ? annealing.BestPlan() : routes.ToPlan();
}

// Returns the vehicles that the routes of `plan` use, and `spare` ones.
std::vector<VehicleCount> VehiclesOf(const Plan& plan, std::span<const VehicleCount> spare) {
  std::map<int32_t, int32_t> counts;
  for (const PlannedRoute& route : plan) ++counts[route.vehicle_type];
  for (const auto& [type, count] : spare) counts[type] += count;
  std::vector<VehicleCount> vehicles;
  for (const auto& [type, count] : counts) vehicles.push_back({type, count});
  return vehicles;
}

// Returns whether the deliveries of `plan` fit into its vehicles without that of route `removed`.
bool LoadsFitWithout(const Instance& instance, const Plan& plan, size_t removed) {
  double load = 0;
  double capacity = 0;
  for (size_t r = 0; r < plan.size(); ++r) {
    for (const NodeIndex node : plan[r].customers) load += instance.demand(node);
    const VehicleType& vehicle = VehicleOf(instance, plan[r]);
    if (r != removed) capacity += vehicle.max_reloads > 0 ? kNoLimit : vehicle.capacity;
  }
  return load <= capacity;
}

class Run {
 public:
  Run(const RegionProblem& problem, const Plan& plan, const SearchOptions& options,
      ImprovementFn on_improvement)
      : problem_(problem),
        options_(options),
        on_improvement_(on_improvement),
        customers_(problem.instance.num_customers()),
        is_plain_(IsPlain(problem.instance)),
        cooling_(options, customers_),
        region_customers_(RegionCustomers(customers_, plan, options.threads)),
        routes_(problem.instance, problem.near, plan, problem.epsilon),
        value_(ValueOf(problem.instance, plan)) {
    result_.plan = plan;
    result_.cost = value_.cost;
  }

  SearchResult Go() {
    RunOnThreads(options_.threads, [this](int32_t index) { Work(index); });
    Report();
    result_.iterations = iterations_;
    result_.ended_by = EndOf(options_.stop.Check(), SearchEnd::kIterations);
    return std::move(result_);
  }

 private:
  double TemperatureAt(const CoolingPoint& point) const {
    const bool has_prizes = !problem_.instance.data().prizes.empty();
    const Heat& timed = problem_.instance.has_windows() ? kTimedHeat : kUntimedHeat;
    const Heat& heat = has_prizes ? kPrizesHeat : timed;
    const double first = problem_.temperatures.first * heat.Of(point, customers_);
    return first * std::pow(problem_.temperatures.last / first, point.phase);
  }

  static int32_t RegionCustomers(int32_t customers, const Plan& plan, int32_t threads) {
    const auto routes = static_cast<int32_t>(plan.size());
    const int32_t wanted =
        std::clamp(kRoutes * customers / std::max(1, routes), kFewestCustomers, kMostCustomers);
    return std::min(wanted,
                    std::max(kFewestBesideOthers, customers / (kRegionsPerThread * threads)));
  }

  void Work(int32_t index) {
    FastRandom random(options_.seed + static_cast<uint64_t>(index));
    while (!options_.stop.ShouldStop()) {
      // Claimed before it is done, so that no two threads do the last ones.
      const int64_t slice = (is_plain_ ? kPlainSlice : kSlice) * region_customers_;
      const int64_t done = iterations_.fetch_add(slice);
      if (done >= options_.max_iterations) {
        iterations_ -= slice;
        return;
      }
      const int64_t granted = std::min(slice, options_.max_iterations - done);
      iterations_ -= slice - granted;
      const bool is_alone = working_ == 0;
      const std::optional<Region> region = routes_.Claim(region_customers_, random);
      if (region.has_value()) {
        ++working_;
        Improve(*region, random, granted);
        --working_;
      } else {
        iterations_ -= granted;
        if (is_alone) return;  // no region will become free: all routes are frozen
        absl::SleepFor(kWaitForRegion);
      }
      if (index == 0) Report();
    }
  }

  // Spends `iterations` on a region and returns it to the pool.
  void Improve(const Region& region, FastRandom& random, int64_t iterations) {
    Plan start = region.plan;
    bool fewer =
        problem_.tries_fewer_routes && random.Unit() < kFewerRate && region.plan.size() > 1;
    if (fewer) {
      const size_t removed = DrawShort(region.plan, random);
      fewer = LoadsFitWithout(problem_.instance, region.plan, removed);
      if (fewer) start.erase(start.begin() + static_cast<std::ptrdiff_t>(removed));
    }
    const std::vector<VehicleCount> vehicles =
        fewer ? VehiclesOf(start, {}) : VehiclesOf(region.plan, region.spare);
    const auto selection = NodeSelection::Of(problem_.instance, NodesOf(region), vehicles);
    if (!selection.ok()) return routes_.Return(region, region.plan, {}, {});
    const PlanValue before = ValueOf(selection->instance(), selection->ToSelection(region.plan));
    const CoolingPoint point = cooling_.At(iterations_, SteadyNow());
    RegionSlice slice = {.stop = options_.stop,
                         .iterations = iterations,
                         .temperature = TemperatureAt(point),
                         .keeps_best = fewer || point.phase >= kLastPhase};
    const Plan found = Anneal(selection->instance(), selection->ToSelection(start), random, slice);
    iterations_ -= iterations - slice.iterations;
    const PlanValue after = ValueOf(selection->instance(), found);
    if (after.left_out > before.left_out || (fewer && before < after)) {
      return routes_.Return(region, region.plan, before, before);
    }
    routes_.Return(region, selection->FromSelection(found), before, after);
  }

  // Returns the shortest of some routes drawn.
  static size_t DrawShort(const Plan& plan, FastRandom& random) {
    size_t best = random.Below(static_cast<int32_t>(plan.size()));
    for (int draw = 1; draw < kFewerDraws; ++draw) {
      const size_t other = random.Below(static_cast<int32_t>(plan.size()));
      if (plan[other].customers.size() < plan[best].customers.size()) best = other;
    }
    return best;
  }

  // Returns the depots and the customers of a region in the order of the instance, in which numbers
  // say where customers are.
  std::vector<NodeIndex> NodesOf(const Region& region) const {
    std::vector<NodeIndex> nodes(problem_.instance.num_depots());
    std::iota(nodes.begin(), nodes.end(), 0);
    for (const PlannedRoute& route : region.plan) {
      std::copy_if(route.customers.begin(), route.customers.end(), std::back_inserter(nodes),
                   [&](NodeIndex node) { return !problem_.instance.is_depot(node); });
    }
    nodes.insert(nodes.end(), region.unserved.begin(), region.unserved.end());
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  }

  void Report() {
    std::optional<Plan> better = routes_.BestBelow(value_);
    if (!better.has_value()) return;
    const PlanValue value = ValueOf(problem_.instance, *better);
    if (value_ <= value) return;
    value_ = value;
    result_.plan = *std::move(better);
    result_.cost = value.cost;
    on_improvement_(result_.plan, result_.cost);
  }

  const RegionProblem& problem_;
  const SearchOptions& options_;
  ImprovementFn on_improvement_;
  const int32_t customers_;
  const bool is_plain_;
  const RegionCooling cooling_;
  const int32_t region_customers_;
  RoutePool routes_;
  std::atomic<int64_t> iterations_ = 0;
  std::atomic<int32_t> working_ = 0;  // threads that have a region
  PlanValue value_;                   // of result_
  SearchResult result_;
};

}  // namespace

bool RegionsPay(int64_t customers, const StopCondition& stop) {
  return customers >= kFrom && stop.deadline() - SteadyNow() >= kLeastTime;
}

SearchResult RegionSearch(const RegionProblem& problem, const Plan& plan,
                          const SearchOptions& options, ImprovementFn on_improvement) {
  return Run(problem, plan, options, on_improvement).Go();
}

}  // namespace vrp
