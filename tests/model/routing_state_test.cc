#include "core/model/routing_state.h"

#include <utility>

#include "core/base/random.h"
#include "core/problem/checker.h"
#include "gtest/gtest.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;

// A state with room for what it shows.
class Watched {
 public:
  explicit Watched(const Instance& instance)
      : input(MakeNetworkInput(instance)),
        state(&input),
        forbidden(input.order.size()),
        dynamic(input.order.size() * kDynamicFeatures),
        context(kContextFeatures) {}

  bool Look() { return state.Observe({forbidden, dynamic, context}); }
  bool Allowed(int32_t node) {
    Look();
    return forbidden[static_cast<size_t>(node)] == 0;
  }
  std::vector<int32_t> AllowedNodes() {
    std::vector<int32_t> nodes;
    Look();
    for (size_t k = 0; k < forbidden.size(); ++k) {
      if (forbidden[k] == 0) nodes.push_back(static_cast<int32_t>(k));
    }
    return nodes;
  }

  NetworkInput input;
  RoutingState state;
  std::vector<uint8_t> forbidden;
  std::vector<float> dynamic;
  std::vector<float> context;
};

TEST(RoutingStateTest, ForbidsTheDepotTwiceInARow) {
  Watched watched(AnInstance().WithCustomers(3).Build());
  EXPECT_FALSE(watched.Allowed(0));
  watched.state.Take(1);
  EXPECT_TRUE(watched.Allowed(0));
}

TEST(RoutingStateTest, ForbidsWhatWasVisitedAndWhatDoesNotFit) {
  Watched watched(AnInstance().WithCustomers(3).Demands({6, 6, 4}).Capacity(10).Build());
  const auto place = [&](NodeIndex customer) {
    return static_cast<int32_t>(
        std::find(watched.input.order.begin(), watched.input.order.end(), customer) -
        watched.input.order.begin());
  };
  watched.state.Take(place(1));
  EXPECT_FALSE(watched.Allowed(place(1)));
  EXPECT_FALSE(watched.Allowed(place(2)));
  EXPECT_TRUE(watched.Allowed(place(3)));
  watched.state.Take(0);
  EXPECT_TRUE(watched.Allowed(place(2)));
}

TEST(RoutingStateTest, ForbidsACustomerThatWouldBeServedTooLate) {
  Watched watched(
      AnInstance().At({{0, 0}, {10, 0}, {-10, 0}}).Windows({{0, 90}, {0, 12}}, 100).Build());
  watched.state.Take(watched.input.order[1] == 1 ? 1 : 2);
  EXPECT_EQ(watched.AllowedNodes(), (std::vector<int32_t>{0}));
}

TEST(RoutingStateTest, ForbidsACustomerFromWhichTheDepotIsReachedTooLate) {
  Watched watched(AnInstance().At({{0, 0}, {10, 0}}).Windows({{85, 100}}, 100).Service(10).Build());
  EXPECT_FALSE(watched.Look());
  EXPECT_EQ(watched.state.FirstUnvisited(), 1);
}

TEST(RoutingStateTest, KeepsWithinTheLongestDuration) {
  Watched watched(AnInstance().At({{0, 0}, {10, 0}, {0, 10}}).MaxDuration(25).Build());
  watched.state.Take(1);
  EXPECT_EQ(watched.AllowedNodes(), (std::vector<int32_t>{0}));
}

TEST(RoutingStateTest, AllowsOnlyTheDepotInTheEnd) {
  Watched watched(AnInstance().WithCustomers(1).Build());
  watched.state.Take(1);
  EXPECT_TRUE(watched.state.done());
  EXPECT_EQ(watched.AllowedNodes(), (std::vector<int32_t>{0}));
}

TEST(RoutingStateTest, DoesNotComeBackBetweenTheCitiesOfATsp) {
  Watched watched(AnInstance().Kind(ProblemKind::kTsp).WithCustomers(3).Build());
  watched.state.Take(1);
  EXPECT_FALSE(watched.Allowed(0));
}

TEST(RoutingStateTest, ShowsWhichNodesWereVisited) {
  Watched watched(AnInstance().WithCustomers(3).Build());
  watched.state.Take(2);
  watched.Look();
  EXPECT_EQ(watched.dynamic[2 * kDynamicFeatures + kVisitedFeature], 1);
  EXPECT_EQ(watched.dynamic[1 * kDynamicFeatures + kVisitedFeature], 0);
  EXPECT_LT(watched.context[0], 1);
}

struct Case {
  const char* name;
  test::InstanceBuilder builder;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class RandomWalkTest : public testing::TestWithParam<Case> {};

// Whatever is allowed may be taken: every walk ends in a plan that the independent checker accepts.
TEST_P(RandomWalkTest, EndsInAFeasiblePlanOfTheDistanceThatWasCounted) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    test::InstanceBuilder builder = GetParam().builder;
    const Instance instance = builder.Seed(seed).Build();
    Watched watched(instance);
    CounterRandom random(seed);
    int32_t steps = 0;
    while (!watched.state.done()) {
      const std::vector<int32_t> nodes = watched.AllowedNodes();
      ASSERT_FALSE(nodes.empty());
      watched.state.Take(nodes[static_cast<size_t>(random.UniformInt(0, std::ssize(nodes) - 1))]);
      ASSERT_LE(++steps, MaxSteps(watched.input.size()));
    }
    const Plan plan = watched.state.MakePlan();
    const CheckReport report = CheckPlan(instance, plan);
    ASSERT_TRUE(report.feasible) << report.violations.front().message;
    EXPECT_NEAR(report.cost, watched.state.distance(), 1e-6);
  }
}

// The canonical choices of a plan lead back to it.
TEST_P(RandomWalkTest, IsRepeatedByThePlansChoices) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    test::InstanceBuilder builder = GetParam().builder;
    const Instance instance = builder.Seed(seed).Build();
    Watched walk(instance);
    while (!walk.state.done()) walk.state.Take(walk.AllowedNodes().back());
    const std::vector<int32_t> choices = PlanToChoices(walk.input, walk.state.MakePlan());
    Watched again(instance);
    for (const int32_t node : choices) {
      ASSERT_TRUE(again.Allowed(node));
      again.state.Take(node);
    }
    EXPECT_TRUE(again.state.done());
    EXPECT_NEAR(again.state.distance(), walk.state.distance(), 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, RandomWalkTest,
    testing::Values(
        Case{"cvrp", AnInstance().WithCustomers(12).RandomDemands().Capacity(15)},
        Case{"vrptw", AnInstance().WithCustomers(12).RandomDemands().Capacity(15).RandomWindows()},
        Case{"tsp", AnInstance().Kind(ProblemKind::kTsp).WithCustomers(12)},
        Case{"duration", AnInstance().WithCustomers(12).Capacity(15).MaxDuration(300)},
        Case{"one customer", AnInstance().WithCustomers(1)},
        Case{"rounded", AnInstance().WithCustomers(9).As(Metric::kRounded)}),
    [](const auto& param_info) {
      std::string name = param_info.param.name;
      std::replace(name.begin(), name.end(), ' ', '_');
      return name;
    });

}  // namespace
}  // namespace vrp
