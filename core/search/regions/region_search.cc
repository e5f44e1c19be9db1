#include "core/search/regions/region_search.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/run_on_threads.h"
#include "core/base/steady_time.h"
#include "core/search/annealing.h"
#include "core/search/fast_random.h"
#include "core/search/node_selection.h"
#include "core/search/regions/lent_routes.h"
#include "core/search/regions/region_cooling.h"
#include "core/search/route_set.h"

namespace vrp {
namespace {

// Fewer customers, or less time, and the whole is no slower to search.
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
constexpr Heat kTimedHeat = {1, 4, absl::Milliseconds(10), 1'000};
// Work on a region before it is given back, in iterations a customer.
constexpr int64_t kSlice = 20;
// From this phase of the cooling on the best of a slice is kept, before it what was accepted last.
constexpr double kLastPhase = 0.9;
// How often a region is tried with a route less: ruins hardly ever empty a long one.
constexpr double kFewerRate = 0.1;
constexpr absl::Duration kWaitForRegion = absl::Milliseconds(1);

class Run {
 public:
  Run(const SearchProblem& problem, const Plan& plan, const SearchOptions& options,
      ImprovementFn on_improvement)
      : problem_(problem),
        options_(options),
        on_improvement_(on_improvement),
        temperatures_(TemperaturesOf(problem, plan)),
        cooling_(options, problem.num_servable()),
        region_customers_(RegionCustomers(problem, plan, options.threads)),
        routes_(problem, plan) {
    result_.plan = plan;
    result_.cost = PlanCost(problem.instance(), plan);
    distance_ = routes_.BestBelow(kNoLimit)->distance;
  }

  SearchResult Go() {
    RunOnThreads(options_.threads, [this](int32_t index) { Work(index); });
    Report();
    result_.iterations = iterations_;
    const StopReason reason = options_.stop.Check();
    result_.ended_by = reason == StopReason::kCancelled  ? SearchEnd::kCancelled
                       : reason == StopReason::kDeadline ? SearchEnd::kDeadline
                                                         : SearchEnd::kIterations;
    return std::move(result_);
  }

 private:
  static Temperatures TemperaturesOf(const SearchProblem& problem, const Plan& plan) {
    RouteSet routes(problem);
    routes.Load(plan);
    return UsualTemperatures(routes);
  }

  double TemperatureAt(const CoolingPoint& point) const {
    const Heat& heat = problem_.timed() ? kTimedHeat : kUntimedHeat;
    const double first = temperatures_.first * heat.Of(point, problem_.num_servable());
    return first * std::pow(temperatures_.last / first, point.phase);
  }

  static int32_t RegionCustomers(const SearchProblem& problem, const Plan& plan, int32_t threads) {
    const int32_t customers = problem.num_servable();
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
      const int64_t slice = kSlice * region_customers_;
      const int64_t done = iterations_.fetch_add(slice);
      if (done >= options_.max_iterations) {
        iterations_ -= slice;
        return;
      }
      const int64_t granted = std::min(slice, options_.max_iterations - done);
      iterations_ -= slice - granted;
      const std::optional<Region> region = routes_.Lend(region_customers_, random);
      if (region.has_value()) {
        routes_.TakeBack(*region, Improved(*region, random, granted));
      } else {
        iterations_ -= granted;
        absl::SleepFor(kWaitForRegion);
      }
      if (index == 0) Report();
    }
  }

  Plan Improved(const Region& region, FastRandom& random, int64_t iterations) {
    std::vector<NodeIndex> nodes = {0};
    for (const PlannedRoute& route : region.plan) {
      nodes.insert(nodes.end(), route.customers.begin(), route.customers.end());
    }
    // In the order of the whole: a customer's number says where it is.
    std::sort(nodes.begin(), nodes.end());
    const bool fewer = random.Unit() < kFewerRate && FewerMayDo(region);
    const auto vehicles =
        static_cast<int32_t>(region.plan.size()) + (fewer ? -1 : region.spare_vehicles);
    const auto selection = NodeSelection::Of(problem_.instance(), std::move(nodes), vehicles);
    if (!selection.ok()) return region.plan;
    const SearchProblem part = SearchProblem::Create(selection->instance(), options_.stop);
    RouteSet routes(part);
    routes.Load(selection->ToSelection(region.plan));
    if (!fewer && !routes.absent().empty()) return region.plan;  // by rounding
    SearchOptions slice;
    slice.stop = options_.stop;
    slice.max_iterations = iterations;
    const CoolingPoint point = cooling_.At(iterations_, SteadyNow());
    const double temperature = TemperatureAt(point);
    Annealing annealing(routes, random, slice, {temperature, temperature});
    annealing.Run(options_.stop, [](const Plan&, Cost) {});
    iterations_ -= iterations - annealing.iterations();
    if (fewer) {
      const Plan found = selection->FromSelection(annealing.BestPlan());
      return IsNotLonger(found, region) ? found : region.plan;
    }
    return selection->FromSelection(point.phase < kLastPhase ? routes.ToPlan()
                                                             : annealing.BestPlan());
  }

  // Whether the loads leave room for a route less; its customers are absent at first.
  bool FewerMayDo(const Region& region) const {
    double load = 0;
    for (const PlannedRoute& route : region.plan) {
      for (const NodeIndex customer : route.customers) load += problem_.demand(customer);
    }
    const auto routes = static_cast<double>(region.plan.size()) - 1;
    return routes > 0 && load <= routes * problem_.capacity();
  }

  // Whether it serves all of the region's customers and is not longer than its plan.
  bool IsNotLonger(const Plan& plan, const Region& region) const {
    const auto served = [](const Plan& of) {
      size_t sum = 0;
      for (const PlannedRoute& route : of) sum += route.customers.size();
      return sum;
    };
    return served(plan) == served(region.plan) && DistanceOf(plan) <= DistanceOf(region.plan);
  }

  double DistanceOf(const Plan& plan) const {
    double sum = 0;
    std::vector<NodeIndex> visits;
    for (const PlannedRoute& route : plan) {
      visits.assign(1, 0);
      visits.insert(visits.end(), route.customers.begin(), route.customers.end());
      visits.push_back(0);
      sum += problem_.SequenceDistance(visits);
    }
    return sum;
  }

  void Report() {
    std::optional<LentRoutes::Standing> better = routes_.BestBelow(distance_);
    if (!better.has_value()) return;
    distance_ = better->distance;
    const Cost cost = PlanCost(problem_.instance(), better->plan);
    if (cost >= result_.cost) return;
    result_.plan = std::move(better->plan);
    result_.cost = cost;
    on_improvement_(result_.plan, cost);
  }

  const SearchProblem& problem_;
  const SearchOptions& options_;
  ImprovementFn on_improvement_;
  const Temperatures temperatures_;
  const RegionCooling cooling_;
  const int32_t region_customers_;
  LentRoutes routes_;
  std::atomic<int64_t> iterations_ = 0;
  SearchResult result_;
  double distance_ = 0;  // of what was reported last
};

}  // namespace

bool RegionsPay(int64_t customers, const StopCondition& stop) {
  return customers >= kFrom && stop.deadline() - SteadyNow() >= kLeastTime;
}

SearchResult RegionSearch(const SearchProblem& problem, const Plan& plan,
                          const SearchOptions& options, ImprovementFn on_improvement) {
  return Run(problem, plan, options, on_improvement).Go();
}

}  // namespace vrp
