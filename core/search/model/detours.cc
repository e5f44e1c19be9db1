#include "core/search/model/detours.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/time/time.h"
#include "core/base/steady_time.h"
#include "core/search/model/detour_search.h"
#include "core/search/model/shortest_paths.h"

namespace vrp {
namespace {

using Reach = Detours::Reach;

// Some tenths of a second, and some milliseconds once the budget is spent: work alone bounds that,
// so that the same instance always gets the same answer.
constexpr int64_t kMostWork = 200'000'000;
constexpr int64_t kLateWork = 5'000'000;

DetourBudget BudgetUntil(const StopCondition& stop) {
  if (stop.ShouldStop()) return {.work = kLateWork, .stop = {}};
  const absl::Time now = SteadyNow();
  const absl::Duration share = Detours::kShareOfTime * (stop.deadline() - now);
  return {.work = kMostWork, .stop = stop.Sooner(now + share)};
}

// Whether the time or the length of a route may make it infeasible.
bool LimitsTravel(const VehicleType& vehicle) {
  return vehicle.max_distance < kNoLimit || vehicle.max_duration < kNoLimit ||
         vehicle.shift != TimeWindow{} || !vehicle.breaks.empty();
}

// Whether vehicles of the type have setup times of their own.
bool HasSetups(const VehicleType& vehicle) {
  return std::ranges::any_of(vehicle.customer_times, [](const CustomerTimes& times) {
    return times.setup != kNoLimit && times.setup > 0;
  });
}

// Finds out how each unit can be served.
class ReachFinder {
 public:
  ReachFinder(const Problem& problem, DetourBudget budget)
      : problem_(problem),
        evaluator_(problem),
        may_detour_(MayDetour(problem.instance())),
        budget_(std::move(budget)),
        bounds_(problem.vehicles().size()) {}

  // Adds to `found` if the unit is kTogether.
  Reach Find(const Unit& unit, std::vector<Detour>& found) {
    if (unit.slot >= 0) return Reach::kAlone;
    if (problem_.plain() && problem_.RouteFeasible(problem_.NodesOf(unit))) return Reach::kAlone;
    const Ways ways = problem_.WaysToServe(unit);
    if (IsServedAlone(ways)) return Reach::kAlone;
    Reach reach = MayBeServedBehindReload(ways) ? Reach::kUnknown : Reach::kNever;
    if (!may_detour_) return reach;
    for (size_t type = 0; type < bounds_.size() && found.empty(); ++type) {
      for (const std::span<const NodeIndex> visits : ways) {
        if (!LooksAtAll(type, visits, found)) reach = Reach::kUnknown;
      }
    }
    return found.empty() ? reach : Reach::kTogether;
  }

 private:
  using Ways = std::vector<std::span<const NodeIndex>>;

  struct Bounds {
    ShortestPaths from_start, to_end;
  };

  bool IsServedAlone(const Ways& ways) {
    for (const Vehicle& given : problem_.vehicles()) {
      // Behind a reload, a unit has the space of the initial load too.
      std::optional<Vehicle> unloaded;
      if (given.max_reloads > 0 && !given.initial_load.empty()) {
        unloaded = given;
        unloaded->initial_load.clear();
      }
      const Vehicle& vehicle = unloaded.has_value() ? *unloaded : given;
      for (const std::span<const NodeIndex> visits : ways) {
        if (evaluator_.Evaluate(vehicle, WithEnds(vehicle, visits)).feasible) return true;
        if (visits.size() > 1 && IsServedWithReload(vehicle, visits)) return true;
      }
    }
    return false;
  }

  // Whether the vehicle serves both ends of a shipment with a reload between them.
  bool IsServedWithReload(const Vehicle& vehicle, std::span<const NodeIndex> ends) {
    return vehicle.max_reloads > 0 &&
           std::ranges::any_of(vehicle.reload_depots, [&](NodeIndex depot) {
             const NodeIndex visits[] = {ends[0], depot, ends[1]};
             return evaluator_.Evaluate(vehicle, WithEnds(vehicle, visits)).feasible;
           });
  }

  // Whether a vehicle may serve the unit on a later trip only, as it must leave its start or take
  // its breaks before the goods are released or loaded. Ignores how it spends the time before.
  bool MayBeServedBehindReload(const Ways& ways) {
    for (const Vehicle& given : problem_.vehicles()) {
      if (given.max_reloads == 0) continue;
      Vehicle later = given;
      later.initial_load.clear();
      later.breaks.clear();
      later.leaves_by = kNoLimit;
      for (const NodeIndex depot : given.reload_depots) {
        later.start = depot;
        later.leaves_from = std::max(problem_.open(depot), given.original->shift.open);
        for (const std::span<const NodeIndex> visits : ways) {
          if (evaluator_.Evaluate(later, WithEnds(later, visits)).feasible) return true;
        }
      }
    }
    return false;
  }

  // Adds routes of the type over `visits` to `found`. Returns false if the budget ended first.
  bool LooksAtAll(size_t type, std::span<const NodeIndex> visits, std::vector<Detour>& found) {
    const Vehicle& vehicle = problem_.vehicles()[type];
    if (!evaluator_.LoadsAndOrderFit(vehicle, WithEnds(vehicle, visits))) return true;
    const Bounds* const bounds = BoundsOf(type);
    if (bounds == nullptr) return false;
    const auto breaks_limits = [&](NodeIndex node) { return BreaksLimits(vehicle, *bounds, node); };
    if (std::ranges::any_of(visits, breaks_limits)) return true;
    if (budget_.is_spent()) return false;
    return DetourSearch(problem_, evaluator_, vehicle, bounds->to_end).Run(visits, budget_, found);
  }

  // Null if the budget does not suffice.
  const Bounds* BoundsOf(size_t type) {
    std::optional<Bounds>& bounds = bounds_[type];
    if (bounds.has_value()) return &*bounds;
    const int64_t work = 2 * ShortestPaths::Work(problem_);
    if (budget_.work < work || budget_.is_spent()) return nullptr;
    budget_.work -= work;
    const Vehicle& vehicle = problem_.vehicles()[type];
    const double latest = vehicle.end == problem_.nowhere()
                              ? vehicle.shift_close
                              : problem_.Latest(vehicle.end, vehicle.shift_close);
    bounds.emplace(
        Bounds{.from_start = ShortestPaths::FromStart(problem_, vehicle, budget_.stop),
               .to_end = ShortestPaths::To(problem_, vehicle, vehicle.end, latest, budget_.stop)});
    if (!bounds->from_start.complete() || !bounds->to_end.complete()) bounds.reset();
    return bounds.has_value() ? &*bounds : nullptr;
  }

  // Whether every route over `node` is too late or too long.
  bool BreaksLimits(const Vehicle& vehicle, const Bounds& bounds, NodeIndex node) const {
    const ShortestPaths::Bound& before = bounds.from_start.Of(node);
    const ShortestPaths::Bound& rest = bounds.to_end.Of(node);
    return before.time > rest.time + problem_.time_slack() ||
           before.distance + rest.distance > vehicle.distance_limit ||
           !problem_.InTime(before.duration + rest.duration, vehicle.duration_limit);
  }

  const Problem& problem_;
  RouteEvaluator evaluator_;
  const bool may_detour_;
  DetourBudget budget_;
  std::vector<std::optional<Bounds>> bounds_;  // [types], made when first needed
};

}  // namespace

Detours Detours::Create(const Problem& problem, const StopCondition& stop) {
  Detours detours;
  detours.reach_.reserve(problem.units());
  detours.detours_.resize(problem.units());
  ReachFinder finder(problem, BudgetUntil(stop));
  for (int32_t u = 0; u < problem.units(); ++u) {
    const Reach reach = finder.Find(problem.unit(u), detours.detours_[u]);
    detours.reach_.push_back(reach);
    detours.needed_ = detours.needed_ || reach == Reach::kTogether || reach == Reach::kUnknown;
    if (reach != Reach::kNever) detours.servable_.push_back(u);
  }
  return detours;
}

bool MayDetour(const Instance& instance) {
  const InstanceData& data = instance.data();
  if (std::ranges::any_of(data.vehicles, [&](const VehicleType& vehicle) {
        return HasFurtherLimits(data, vehicle);
      })) {
    return true;
  }
  if (data.windows.empty() && std::ranges::none_of(data.vehicles, LimitsTravel)) return false;
  return data.metric != Metric::kExact || !data.distance_matrix.empty() ||
         !data.duration_matrix.empty() || !data.duration_matrices.empty() || !data.setups.empty() ||
         std::ranges::any_of(data.vehicles, [](const VehicleType& vehicle) {
           return !vehicle.distance_matrix.empty() || !vehicle.duration_matrix.empty() ||
                  !vehicle.duration_matrices.empty() || HasSetups(vehicle);
         });
}

}  // namespace vrp
