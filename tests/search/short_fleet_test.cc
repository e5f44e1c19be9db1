// Tests searches whose vehicles barely suffice, or do not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "core/problem/checker/checker.h"
#include "core/search/search.h"
#include "tests/search/search_expectations.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::ExpectOptimal;
using test::ExpectSound;
using test::SearchFor;

// Two hundred customers, every other a backhaul, whose loads all but fill four long routes.
Instance FourFullRoutes(uint64_t seed) {
  const InstanceData drawn =
      test::AnInstance().WithCustomers(200).Seed(seed).RandomDemands().BuildData();
  std::vector<double> demands(drawn.demands.begin() + 1, drawn.demands.end());
  std::vector<double> backhauls(demands.size(), 0);
  for (size_t i = 1; i < demands.size(); i += 2) std::swap(demands[i], backhauls[i]);
  const double load = std::max(std::accumulate(demands.begin(), demands.end(), 0.0),
                               std::accumulate(backhauls.begin(), backhauls.end(), 0.0));
  return test::AnInstance()
      .WithCustomers(200)
      .Seed(seed)
      .Demands(demands)
      .Backhauls(backhauls)
      .Capacity(std::ceil(load / 4 * 1.02))
      .Build();
}

TEST(SmallerFleetTest, IsFoundWhereRuinsEmptyNoRoute) {
  size_t routes = 0;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const Instance instance = FourFullRoutes(seed);
    const SearchResult found = SearchFor(instance, 20'000, seed);
    ExpectSound(instance, found);
    routes += found.plan.size();
  }
  EXPECT_LE(routes, 5 * 4 + 4u);  // 25 when none is tried
}

// Four vehicles of 40 for eighty customers: which to leave out is the question.
Instance TooFewVehicles(uint64_t seed, bool priorities) {
  InstanceData data =
      test::AnInstance().WithCustomers(80).Seed(seed).RandomDemands().Capacity(40).Build().data();
  data.vehicles.front().count = 4;
  if (priorities) {
    data.priorities.assign(data.demands.size(), 0);
    for (size_t node = 1; node < data.demands.size(); ++node) {
      data.priorities[node] = static_cast<int32_t>((node * 7 + seed) % 6);
    }
  }
  return *Instance::Create(std::move(data));
}

// No plan serves more weight: the best customers for their load, the last of them in part
// (Dantzig 1957).
double MostWeight(const Instance& instance) {
  std::vector<std::pair<double, double>> items;  // weight for the load, load
  for (NodeIndex node = 1; node < instance.num_nodes(); ++node) {
    const auto& priorities = instance.data().priorities;
    const double weight = 1 + (priorities.empty() ? 0 : priorities[node]);
    items.emplace_back(weight / instance.demand(node), instance.demand(node));
  }
  std::sort(items.rbegin(), items.rend());
  double room = instance.capacity() * instance.vehicles().front().count;
  double weight = 0;
  for (const auto& [density, load] : items) {
    weight += density * std::min(load, room);
    room -= std::min(load, room);
  }
  return weight;
}

class ShortFleetLoadTest : public testing::TestWithParam<bool> {};

TEST_P(ShortFleetLoadTest, ServesNearlyAsMuchWeightAsTheLoadsAllow) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const Instance instance = TooFewVehicles(seed, GetParam());
    const SearchResult found = SearchFor(instance, 20'000);
    ExpectSound(instance, found);
    const double served = ValueOf(instance, {}).left_out - ValueOf(instance, found.plan).left_out;
    EXPECT_GE(served, 0.96 * MostWeight(instance)) << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(EqualsAndPriorities, ShortFleetLoadTest, testing::Bool());

TEST(ShortFleetTest, FindsTheOptimumWhereWindowsLeaveNoTimeForAll) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    ExpectOptimal(test::AnInstance()
                      .WithCustomers(6)
                      .Seed(seed)
                      .RandomWindows()
                      .Capacity(1000)
                      .Vehicles(1)
                      .Build());
  }
}

// Vehicles of three sizes, whose capacities are cut into the customers' demands: none has room to
// spare where all are served.
Instance FleetFullToTheLast(uint64_t seed) {
  std::mt19937 draws(seed);
  const auto below = [&](uint32_t limit) { return static_cast<int32_t>(draws() % limit); };
  std::vector<VehicleType> vehicles;
  std::vector<double> demands;
  for (const auto& [count, capacity] : {std::pair{6, 50}, {5, 130}, {2, 320}}) {
    vehicles.push_back({.count = count, .capacity = 1.0 * capacity, .fixed_cost = 1.0 * capacity});
    for (int32_t i = 0; i < count; ++i) {
      std::set<int32_t> cuts = {0, capacity};
      while (cuts.size() < 6) cuts.insert(below(capacity));
      for (auto cut = std::next(cuts.begin()); cut != cuts.end(); ++cut) {
        demands.push_back(*cut - *std::prev(cut));
      }
    }
  }
  for (size_t i = demands.size(); i > 1; --i) std::swap(demands[i - 1], demands[below(i)]);
  InstanceData data = test::AnInstance()
                          .WithCustomers(static_cast<int32_t>(demands.size()))
                          .Seed(seed)
                          .Demands(demands)
                          .BuildData();
  data.vehicles = vehicles;
  data.objective = Objective::kCost;
  return *Instance::Create(std::move(data));
}

TEST(FullFleetTest, ServesEveryoneWhereNoVehicleHasRoomToSpare) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const Instance instance = FleetFullToTheLast(seed);
    const SearchResult found = SearchFor(instance, 30'000);
    EXPECT_TRUE(CheckPlan(instance, found.plan, found.cost).feasible) << seed;
  }
}

}  // namespace
}  // namespace vrp
