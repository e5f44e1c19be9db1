#include "core/search/model/detours.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/steady_time.h"
#include "core/problem/checker/checker.h"
#include "core/problem/checker/freeze.h"
#include "core/search/build/construct.h"
#include "core/search/build/first_routes.h"
#include "core/search/model/problem.h"
#include "core/search/ruin_recreate/detour_insertion.h"
#include "core/search/search.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;
using Reach = Detours::Reach;

// Customer 1 is too long away from home: 11 there and back alone, 8 by way of 2.
InstanceData ByWayOfAnother() {
  InstanceData data =
      AnInstance().At({{0, 0}, {1, 0}, {2, 0}}).Demands({1, 1}).Capacity(5).BuildData();
  data.distance_matrix = {0, 5, 4, 11, 0, 2, 4, 2, 0};
  data.duration_matrix = {0, 5, 4, 6, 0, 2, 1, 2, 0};
  data.vehicles[0].max_duration = 9;
  return data;
}

// Customer 1 is in time only on the route 1, 2, 3. Customer 4 shares no route.
InstanceData ByWayOfTwoOthers() {
  InstanceData data = AnInstance().WithCustomers(4).Demands({1, 1, 1, 1}).Capacity(5).BuildData();
  data.distance_matrix = {0, 3,  3, 4,  4,  11, 0,  2, 20, 20, 6,  20, 0,
                          2, 20, 1, 20, 20, 0,  20, 4, 20, 20, 20, 0};
  data.duration_matrix = data.distance_matrix;
  data.vehicles[0].max_duration = 9;
  return data;
}

Detours DetoursOf(const InstanceData& data) {
  return Problem::Create(*Instance::Create(data), {}).detours();
}

int64_t Served(const InstanceData& data) {
  SearchOptions options;
  options.max_iterations = 500;
  return CountServed(Search(*Instance::Create(data), options)->plan);
}

TEST(DetoursTest, FindTheOthersThatMakeARouteFeasible) {
  const Detours detours = DetoursOf(ByWayOfAnother());
  EXPECT_EQ(detours.reach(0), Reach::kTogether);
  EXPECT_EQ(detours.reach(1), Reach::kAlone);
  ASSERT_FALSE(detours.DetoursOf(0).empty());
  EXPECT_EQ(detours.DetoursOf(0).front(), (Detour{1, 2}));
  EXPECT_EQ(Served(ByWayOfAnother()), 2);
}

// The detour takes customers 2 and 3 out of their routes, of which one stays empty.
TEST(DetoursTest, MayEmptyARouteThatWaitsForItsReinsertion) {
  const Instance instance = *Instance::Create(ByWayOfTwoOthers());
  const Problem problem = Problem::Create(instance, {});
  RouteStore routes(problem);
  routes.Load({{.customers = {4}}, {.customers = {2}}, {.customers = {3}}});
  FastRandom random(1);
  ReinsertRoutes(routes, random, {});
  EXPECT_EQ(routes.missing_weight(), 0);
  EXPECT_TRUE(CheckPlan(instance, routes.ToPlan()).feasible);
}

TEST(DetoursTest, ProveThatNoRouteServesACustomer) {
  InstanceData data = ByWayOfAnother();
  data.vehicles[0].max_duration = 7;
  EXPECT_EQ(DetoursOf(data).reach(0), Reach::kNever);
  EXPECT_EQ(Served(data), 1);
}

// The service of customer 1 ends after its window.
TEST(DetoursTest, CountEachVisitsWayAndServiceOnce) {
  InstanceData data = ByWayOfAnother();
  data.vehicles[0].max_duration = kNoLimit;
  data.vehicles[0].max_distance = 12;
  data.kind = ProblemKind::kVrptw;
  data.windows = {{0, 100}, {0, 5}, {0, 17}};
  data.services = {0, 10, 10};
  EXPECT_EQ(DetoursOf(data).reach(0), Reach::kTogether);
  data.windows[2].close = 16;
  EXPECT_EQ(DetoursOf(data).reach(0), Reach::kNever);
}

// Each of the two is reached in time by way of the other alone.
TEST(DetoursTest, ServeTwoThatNeedEachOther) {
  InstanceData data = ByWayOfAnother();
  data.duration_matrix = {0, 1, 9, 9, 0, 1, 1, 9, 0};
  data.vehicles[0].max_duration = 3;
  EXPECT_EQ(DetoursOf(data).reach(0), Reach::kTogether);
  EXPECT_EQ(DetoursOf(data).reach(1), Reach::kTogether);
  EXPECT_EQ(Served(data), 2);
}

// The vehicle must leave by 5, and customer 2 opens at 60. Service at customer 1 fills the time.
TEST(DetoursTest, ServeWhoIsAwaitedTooLongAlone) {
  InstanceData data = AnInstance()
                          .At({{0, 0}, {1, 0}, {2, 0}})
                          .Windows({{0, 900}, {60, 900}}, 5)
                          .OpenEnd()
                          .BuildData();
  data.services = {0, 50, 0};
  data.vehicles[0].max_waiting = 3;
  EXPECT_EQ(DetoursOf(data).reach(1), Reach::kTogether);
  EXPECT_EQ(Served(data), 2);
  data.vehicles[0].max_waiting = 2.9;
  EXPECT_EQ(DetoursOf(data).reach(1), Reach::kNever);
  EXPECT_EQ(Served(data), 1);
}

// The vehicle must leave by 5, and the goods of customer 2 are there at 20: it serves customer 1
// first and reloads.
TEST(DetoursTest, ServeBehindAReloadWhoseGoodsComeAfterTheLatestStart) {
  InstanceData data =
      AnInstance().At({{0, 0}, {1, 0}, {2, 0}}).Windows({{0, 900}, {0, 900}}, 900).BuildData();
  data.releases = {0, 0, 20};
  data.vehicles[0].count = 1;
  data.vehicles[0].latest_start = 5;
  EXPECT_EQ(DetoursOf(data).reach(1), Reach::kNever);
  data.vehicles[0].max_reloads = 1;
  EXPECT_EQ(DetoursOf(data).reach(1), Reach::kUnknown);
  EXPECT_EQ(Served(data), 3);  // and the depot in between
  data.windows[2].close = 21;
  EXPECT_EQ(DetoursOf(data).reach(1), Reach::kNever);
}

// No route keeps these limits only along with further visits: nobody looks for any.
TEST(DetoursTest, AreNotForLimitsThatFewerVisitsKeep) {
  InstanceData data = AnInstance().WithCustomers(3).BuildData();
  data.load_dimensions = 2;
  data.demands = {0, 0, 1, 1, 1, 0, 1, 1};
  data.vehicles[0].lifo = true;
  data.vehicles[0].compartments = {{.capacity = 5}};
  EXPECT_FALSE(MayDetour(*Instance::Create(data)));
  EXPECT_EQ(DetoursOf(data).reach(0), Reach::kNever);
  EXPECT_EQ(DetoursOf(data).reach(1), Reach::kAlone);
}

// Ways of 0.4 are rounded to 0: the far end of the line is near by way of all the others.
TEST(DetoursTest, ServeTheEndOfALineOfRoundedDistances) {
  std::vector<Position> line;
  for (int i = 0; i <= 9; ++i) line.push_back({0.4 * i, 0});
  InstanceData data =
      AnInstance().At(line).Demands(std::vector<double>(9, 1)).As(Metric::kRounded).BuildData();
  data.vehicles[0].max_distance = 4;
  data.vehicles[0].count = 1;
  EXPECT_EQ(DetoursOf(data).reach(8), Reach::kTogether);
  EXPECT_EQ(Served(data), 9);
}

// With time windows alone the problem is plain, and its search judges customers one by one.
TEST(DetoursTest, ServePlainProblemsInEverySearch) {
  InstanceData data = ByWayOfAnother();
  data.vehicles[0].max_duration = kNoLimit;
  data.kind = ProblemKind::kVrptw;
  data.windows = {{0, 9}, {0, 9}, {0, 9}};
  const Instance instance = *Instance::Create(data);
  ASSERT_TRUE(IsPlain(instance));
  EXPECT_EQ(Served(data), 2);
}

// 600 nodes of which customer 1 is served by way of customer 2 alone.
InstanceData LargeByWayOfAnother() {
  constexpr size_t kNodes = 600;
  InstanceData data =
      AnInstance().At(std::vector<Position>(kNodes, {0, 0})).Capacity(9).BuildData();
  data.distance_matrix.assign(kNodes * kNodes, 4);
  for (size_t node = 0; node < kNodes; ++node) {
    data.distance_matrix[node * kNodes + node] = 0;
    data.distance_matrix[node * kNodes + 1] = data.distance_matrix[kNodes + node] = 9;
  }
  data.distance_matrix[1] = 5;
  data.distance_matrix[kNodes] = 6;
  data.distance_matrix[kNodes + 1] = 0;
  data.distance_matrix[kNodes + 2] = 1;
  data.duration_matrix = data.distance_matrix;
  data.vehicles[0].max_duration = 10;
  return data;
}

TEST(DetoursTest, AreFoundInLargeInstancesToo) {
  const InstanceData data = LargeByWayOfAnother();
  const Detours detours = DetoursOf(data);
  EXPECT_EQ(detours.reach(0), Reach::kTogether);
  EXPECT_EQ(detours.DetoursOf(0).front(), (Detour{1, 2}));
  SearchOptions options;
  options.max_iterations = 20;
  EXPECT_EQ(CountServed(Search(*Instance::Create(data), options)->plan), 599);
}

TEST(DetoursTest, ProveThatNoRouteServesACustomerWithoutASearch) {
  InstanceData data = LargeByWayOfAnother();
  data.vehicles[0].max_duration = 9;
  const Instance instance = *Instance::Create(data);
  const StopCondition over(absl::InfinitePast(), nullptr);
  EXPECT_EQ(Problem::Create(instance, over).detours().reach(0), Reach::kNever);
}

// A break that ends after all windows fits into no route, which the bounds do not know.
InstanceData WithABreakThatNeverFits(int32_t customers) {
  InstanceData data = AnInstance().WithCustomers(customers).Capacity(1000).BuildData();
  data.metric = Metric::kRounded;
  data.vehicles[0].shift = {10, 10'000};
  data.vehicles[0].breaks = {{{5, 5}, 1}};
  return data;
}

TEST(DetoursTest, AreSoughtForAShareOfTheTimeOnly) {
  const Instance instance = *Instance::Create(WithABreakThatNeverFits(300));
  const absl::Time begun = SteadyNow();
  const StopCondition stop(begun + absl::Milliseconds(10), nullptr);
  const Problem problem = Problem::Create(instance, stop);
  EXPECT_LT(SteadyNow() - begun, absl::Milliseconds(100));
  EXPECT_EQ(problem.detours().reach(0), Reach::kUnknown);
}

TEST(DetoursTest, KeepWhatMayBeServedAmongTheServable) {
  const Detours detours = DetoursOf(WithABreakThatNeverFits(300));
  EXPECT_EQ(detours.reach(0), Reach::kUnknown);
  EXPECT_THAT(detours.servable(), testing::Contains(0));
  EXPECT_TRUE(detours.needed());
}

TEST(DetoursTest, EndASearchOfTenMillisecondsInTime) {
  const Instance instance = *Instance::Create(WithABreakThatNeverFits(300));
  SearchOptions options;
  options.stop = StopCondition(SteadyNow() + absl::Milliseconds(10), nullptr);
  ASSERT_TRUE(Search(instance, options).ok());
  EXPECT_LT(SteadyNow(), options.stop.deadline() + absl::Milliseconds(100));
}

// Customer 2 is on board already, or visited: it cannot come along with another.
TEST(DetoursTest, LeadOverNothingThatIsFrozen) {
  const InstanceData data = ByWayOfAnother();
  const absl::StatusOr<Instance> frozen = Freeze(*Instance::Create(data), {{.visits = {2}}});
  ASSERT_TRUE(frozen.ok()) << frozen.status();
  const Problem problem = Problem::Create(*frozen, {});
  EXPECT_TRUE(problem.detours().DetoursOf(problem.UnitOf(1)).empty());
}

// The only route serves both, for a fixed cost of 1,000; each is worth 5.
TEST(DetoursTest, OpenNoVehicleThatIsDearerThanAnOptionalCustomer) {
  InstanceData data = ByWayOfAnother();
  data.objective = Objective::kCost;
  data.vehicles[0].fixed_cost = 1000;
  const auto inserts = [&]() {
    const Instance instance = *Instance::Create(data);
    const Problem problem = Problem::Create(instance, {});
    RouteStore routes(problem);
    FastRandom random(1);
    return DetourInsertion(routes, random).Insert(0, 50);
  };
  EXPECT_TRUE(inserts()) << "it is required";
  data.prizes = {kNoLimit, 5, 5};
  EXPECT_FALSE(inserts());
}

TEST(DetoursTest, StayInAPlanToStartFromAndBehindWhatIsFrozen) {
  const Instance instance = *Instance::Create(ByWayOfAnother());
  SearchOptions options;
  options.max_iterations = 200;
  options.initial = {{{0, {1, 2}}}};
  EXPECT_EQ(CountServed(Search(instance, options)->plan), 2);
  const absl::StatusOr<Instance> frozen = Freeze(instance, {{.visits = {1, 2}}});
  ASSERT_TRUE(frozen.ok()) << frozen.status();
  const Plan kept = Search(*frozen, options)->plan;
  EXPECT_EQ(CountServed(kept), 2);
  EXPECT_TRUE(CheckPlan(*frozen, kept).feasible);
}

}  // namespace
}  // namespace vrp
