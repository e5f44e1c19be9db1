#include "core/search/methods/penalised/penalised_search.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "core/base/steady_time.h"
#include "core/search/methods/annealing/cooling.h"
#include "core/search/methods/penalised/penalised_annealing.h"
#include "core/search/methods/penalised/penalised_course.h"
#include "core/search/model/vehicle_labels.h"
#include "core/search/moves/penalised_local_search.h"
#include "core/search/route/penalised_routes.h"
#include "core/search/route/penalty_control.h"
#include "core/search/ruin_recreate/penalised_recreate.h"
#include "core/search/ruin_recreate/string_removal.h"

namespace vrp {
namespace {

// Plans are reported at most this often.
constexpr absl::Duration kReportEvery = absl::Milliseconds(5);
// How often a ruin begins in a route that breaks limits.
constexpr double kBesideBrokenRate = 0.5;
// How often a ruined route changes vehicles with another.
constexpr double kRetypeRate = 0.1;

// Penalties are adapted after so many plans.
constexpr int32_t kPenaltyWindow = 100;

bool BreaksLimits(const PenalisedRoutes::Route& route) {
  return route.excess.load > 0 || route.excess.time > 0 || route.excess.distance > 0;
}

class PenalisedSearch {
 public:
  PenalisedSearch(const RouteStore& partial, const PenalisedCourse& course,
                  const SearchOptions& options, FastRandom& random)
      : problem_(partial.problem()),
        course_(course),
        options_(options),
        random_(random),
        cooling_(options, problem_.size()),
        mean_edge_(MeanEdgeOf(partial)),
        routes_(problem_),
        control_(FirstPenalties(mean_edge_, routes_.load_unit()),
                 {.window = kPenaltyWindow, .tolerance = 0}),
        recreate_(routes_, random),
        local_search_(routes_, random) {
    routes_.SetPenalties(control_.penalties());
    Load(partial);
  }

  Plan Run(int64_t& iterations, absl::FunctionRef<void(const Plan&)> on_improvement) {
    int64_t done = 0;
    KeepIfBest();
    unreported_ = false;
    for (; done < options_.max_iterations; ++done) {
      if ((course_.ends_when_feasible && !best_.empty()) || options_.stop.ShouldStop()) break;
      const absl::Time now = SteadyNow();
      temperature_ = mean_edge_.cost * course_.TemperatureAt(cooling_.Phase(done, now));
      Step();
      KeepIfBest();
      if (control_.Record(routes_.Excess())) routes_.SetPenalties(control_.penalties());
      if (unreported_ && now - reported_at_ >= kReportEvery) {
        unreported_ = false;
        reported_at_ = now;
        on_improvement(best_);
      }
    }
    iterations += done;
    return std::move(best_);
  }

 private:
  void Load(const RouteStore& partial) {
    std::vector<int32_t> loaded(problem_.vehicles().size(), 0);
    std::vector<NodeIndex> customers;
    for (int32_t slot = 0; slot < partial.slots(); ++slot) {
      const SearchRoute& route = partial.route(slot);
      if (route.empty()) continue;
      customers.assign(route.nodes.begin() + 1, route.nodes.end() - 1);
      std::erase_if(customers, [&](NodeIndex customer) {
        return !problem_.unit(problem_.UnitOf(customer)).required();
      });
      routes_.SetCustomers(routes_.FirstOf(route.type) + loaded[route.type]++, customers);
    }
    for (const int32_t u : partial.servable()) {
      if (!problem_.unit(u).required()) continue;
      const NodeIndex customer = problem_.NodesOf(problem_.unit(u)).front();
      served_.push_back(customer);
      if (routes_.RouteOf(customer) < 0) removed_.push_back(customer);
    }
    recreate_.Insert(removed_);
  }

  void KeepIfBest() {
    if (routes_.PenalisedCost() >= best_cost_ - problem_.epsilon() || !routes_.Feasible()) return;
    best_cost_ = routes_.PenalisedCost();
    best_ = PlanOf(problem_, routes_.routes());
    unreported_ = true;
  }

  void Step() {
    routes_.Begin();
    const int64_t change = routes_.changes();
    const double before = routes_.PenalisedCost();
    Ruin();
    if (problem_.vehicles().size() > 1 && random_.Unit() < kRetypeRate) Retype();
    recreate_.Insert(removed_);
    local_search_.DescendFrom(change);
    const double threshold = before - temperature_ * std::log(1 - random_.Unit());
    if (routes_.PenalisedCost() >= threshold) routes_.Rollback();
  }

  void Ruin() {
    removed_.clear();
    const NodeIndex seed = DrawSeed();
    const StringSizes sizes =
        DrawStringSizes(random_, static_cast<double>(served_.size()), routes_.used());
    RemoveStrings(routes_, random_, seed, sizes, ruined_,
                  [&](int32_t slot, const RemovedString& string) { TakeOut(slot, string); });
  }

  NodeIndex DrawSeed() {
    if (random_.Unit() < kBesideBrokenRate) {
      broken_.clear();
      for (int32_t slot = 0; slot < routes_.slots(); ++slot) {
        if (BreaksLimits(routes_.route(slot))) broken_.push_back(slot);
      }
      if (!broken_.empty()) {
        const int32_t slot = broken_[random_.Below(static_cast<int32_t>(broken_.size()))];
        return routes_.CustomersOf(slot)[random_.Below(routes_.route(slot).stops())];
      }
    }
    return served_[random_.Below(static_cast<int32_t>(served_.size()))];
  }

  void TakeOut(int32_t slot, const RemovedString& string) {
    const PenalisedRoutes::Route& route = routes_.route(slot);
    const auto [begin, first, kept, rest] = string;
    left_.clear();
    for (int32_t i = 1; i <= route.stops(); ++i) {
      const bool in_string = i >= begin && i < begin + first + kept + rest;
      const bool stays = i >= begin + first && i < begin + first + kept;
      (in_string && !stays ? removed_ : left_).push_back(route.nodes[i]);
    }
    routes_.SetCustomers(slot, left_);
  }

  void Retype() {
    const int32_t a = ruined_[random_.Below(static_cast<int32_t>(ruined_.size()))];
    const int32_t b = random_.Below(routes_.slots());
    const bool alike = routes_.route(a).type == routes_.route(b).type;
    if (alike || !routes_.Allowed(a, routes_.CustomersOf(b)) ||
        !routes_.Allowed(b, routes_.CustomersOf(a))) {
      return;
    }
    const auto copied = [&](int32_t slot) {
      const auto customers = routes_.CustomersOf(slot);
      return std::vector<NodeIndex>(customers.begin(), customers.end());
    };
    const std::vector<NodeIndex> from_a = copied(a);
    const std::vector<NodeIndex> from_b = copied(b);
    routes_.SetCustomers(a, {});
    routes_.SetCustomers(b, from_a);
    routes_.SetCustomers(a, from_b);
  }

  const Problem& problem_;
  const PenalisedCourse course_;
  const SearchOptions& options_;
  FastRandom& random_;
  const Cooling cooling_;
  const MeanEdge mean_edge_;
  PenalisedRoutes routes_;
  PenaltyControl control_;
  PenalisedRecreate recreate_;
  PenalisedLocalSearch local_search_;
  double temperature_ = 0;
  Plan best_;  // of those that break no limit; empty: none so far
  double best_cost_ = Problem::kNever;
  bool unreported_ = false;
  absl::Time reported_at_ = absl::InfinitePast();
  std::vector<NodeIndex> served_;  // all that are required and can be
  std::vector<NodeIndex> removed_, left_;
  std::vector<int32_t> ruined_, broken_;
};

}  // namespace

bool PenalisedSearchKnows(const Problem& problem) {
  return CanPenalise(problem) || (!problem.plain() && problem.size() <= kMaxPenalisedNodes);
}

Plan FindCompletePlan(const RouteStore& partial, const SearchOptions& options, FastRandom& random,
                      int64_t& iterations) {
  if (!CanPenalise(partial.problem())) {
    return AnnealPenalised(partial, kSeekingCourse, options, random, iterations,
                           [](const Plan&) {});
  }
  return PenalisedSearch(partial, kSeekingCourse, options, random).Run(iterations, [](const Plan&) {
  });
}

Plan ImprovePenalised(const RouteStore& complete, const SearchOptions& options, FastRandom& random,
                      int64_t& iterations, absl::FunctionRef<void(const Plan&)> on_improvement) {
  if (!CanPenalise(complete.problem())) {
    return AnnealPenalised(complete, kImprovingCourse, options, random, iterations, on_improvement);
  }
  return PenalisedSearch(complete, kImprovingCourse, options, random)
      .Run(iterations, on_improvement);
}

}  // namespace vrp
