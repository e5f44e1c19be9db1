// The nodes at which a route visits its units are the best for its order.
#include "core/search/moves/alternatives.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/search/ruin_recreate/recreate.h"
#include "tests/testing/feature_instances.h"

namespace vrp {
namespace {

// Tries every choice of nodes for the units of one route.
class EveryChoice {
 public:
  EveryChoice(RouteStore& routes, int32_t slot)
      : routes_(routes), problem_(routes.problem()), nodes_(routes.route(slot).nodes) {
    Try(1, problem_.vehicle(routes.route(slot).type));
  }

  double least = Problem::kNever;
  bool all_feasible = true;
  int32_t tried = 0;

 private:
  void Try(size_t at, const Vehicle& vehicle) {
    if (at + 1 == nodes_.size()) {
      const RouteValue value = routes_.evaluator().Evaluate(vehicle, nodes_);
      all_feasible = all_feasible && value.feasible;
      if (value.feasible) least = std::min(least, value.cost);
      ++tried;
      return;
    }
    const NodeIndex own = nodes_[at];
    for (const NodeIndex node : problem_.NodesOf(problem_.unit(problem_.UnitOf(own)))) {
      nodes_[at] = node;
      Try(at + 1, vehicle);
    }
    nodes_[at] = own;
  }

  RouteStore& routes_;
  const Problem& problem_;
  std::vector<NodeIndex> nodes_;
};

// A plan that visits units anywhere: by lot, where that is feasible.
void ChooseByLot(RouteStore& routes, FastRandom& random) {
  const Problem& problem = routes.problem();
  for (int32_t slot = 0; slot < routes.slots(); ++slot) {
    const SearchRoute& route = routes.route(slot);
    std::vector<NodeIndex> nodes = route.nodes;
    for (size_t i = 1; i + 1 < nodes.size(); ++i) {
      const Unit& unit = problem.unit(problem.UnitOf(nodes[i]));
      nodes[i] = problem.NodesOf(unit)[random.Below(unit.count)];
    }
    const int32_t type = route.type;
    if (!routes.evaluator().Evaluate(problem.vehicle(type), nodes).feasible) continue;
    routes.SetRoute(slot, type, nodes);
  }
}

// A complete plan with visits anywhere.
struct PlanByLot {
  PlanByLot(const Instance& instance, uint64_t seed)
      : problem(Problem::Create(instance, {})), random(seed) {
    const StopCondition never;
    Recreate(routes, random, never).InsertAbsent(1);
    ChooseByLot(routes, random);
  }

  const Problem problem;
  FastRandom random;
  RouteStore routes{problem};
};

struct Improvement {
  int32_t cheaper = 0;  // routes
  int32_t cheapest = 0;
};

// Improves the routes of a random plan. Each must be as cheap as any feasible choice makes it.
Improvement Improve(const Instance& instance, uint64_t seed) {
  PlanByLot plan(instance, seed);
  const Problem& problem = plan.problem;
  RouteStore& routes = plan.routes;
  Alternatives alternatives(routes);
  EXPECT_TRUE(alternatives.has_any());
  Improvement improvement;
  for (int32_t slot = 0; slot < routes.slots(); ++slot) {
    const EveryChoice choice(routes, slot);
    const double before = routes.route(slot).cost;
    alternatives.Improve({&slot, 1});
    const SearchRoute& route = routes.route(slot);
    EXPECT_LE(route.cost, before);
    EXPECT_TRUE(routes.evaluator().Evaluate(problem.vehicle(route.type), route.nodes).feasible);
    improvement.cheaper += route.cost < before - 1e-6;
    if (!choice.all_feasible) continue;
    EXPECT_NEAR(route.cost, choice.least, 1e-6) << "seed " << seed << ", slot " << slot;
    improvement.cheapest += choice.tried > 1;
  }
  EXPECT_EQ(routes.missing_weight(), 0);
  return improvement;
}

TEST(AlternativesTest, AreTheCheapestOfAllChoicesForTheOrder) {
  Improvement all;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Improvement one =
        Improve(test::MakeFeatureInstance(
                    {.customers = 40, .seed = seed, .features = {Feature::kAlternatives}}),
                seed);
    all.cheaper += one.cheaper;
    all.cheapest += one.cheapest;
  }
  EXPECT_GE(all.cheaper, 20);
  EXPECT_GE(all.cheapest, 20);
}

TEST(AlternativesTest, KeepWithinWindowsSkillsAndOtherRules) {
  int32_t cheaper = 0;
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    std::vector<Feature> features = test::DrawFeatures(seed);
    std::erase(features, Feature::kShipments);
    std::erase(features, Feature::kReloads);
    std::erase(features, Feature::kReloadDepots);
    std::erase(features, Feature::kLifo);
    features.push_back(Feature::kAlternatives);
    features.push_back(Feature::kSkills);
    features.push_back(Feature::kSeveralWindows);
    const Instance instance =
        test::MakeFeatureInstance({.customers = 30, .seed = seed, .features = features});
    PlanByLot plan(instance, seed);
    const Problem& problem = plan.problem;
    RouteStore& routes = plan.routes;
    std::vector<int32_t> slots(routes.slots());
    std::iota(slots.begin(), slots.end(), 0);
    const double before = routes.cost();
    Alternatives(routes).Improve(slots);
    EXPECT_LE(routes.cost(), before) << instance.name();
    cheaper += routes.cost() < before - 1e-6;
    for (const int32_t slot : slots) {
      const SearchRoute& route = routes.route(slot);
      EXPECT_TRUE(route.empty() ||
                  routes.evaluator().Evaluate(problem.vehicle(route.type), route.nodes).feasible)
          << instance.name();
    }
  }
  EXPECT_GE(cheaper, 5);
}

}  // namespace
}  // namespace vrp
