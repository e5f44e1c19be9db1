#include "core/search/methods/tour/tour.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/problem/checker/checker.h"
#include "core/search/methods/tour/tour_improver.h"
#include "core/search/model/fast_random.h"
#include "core/search/model/problem.h"
#include "core/search/search.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;

std::vector<NodeIndex> Numbers(int32_t count) {
  std::vector<NodeIndex> order(count);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

double Length(const Problem& problem, const Tour& tour) {
  return problem.SequenceDistance(tour.order()) +
         problem.Distance(tour.order().back(), tour.order().front());
}

void ExpectPermutation(const Tour& tour) {
  std::vector<NodeIndex> sorted = tour.order();
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, Numbers(tour.size()));
  for (int32_t i = 0; i < tour.size(); ++i) EXPECT_EQ(tour.PositionOf(tour.At(i)), i);
}

// The neighbours of each node in the tour that Exchange should give: its edges, one by one.
std::vector<std::vector<NodeIndex>> Exchanged(const Tour& tour,
                                              std::span<const RemovedEdge> edges) {
  std::vector<std::vector<NodeIndex>> joined(tour.size());
  const auto join = [&](NodeIndex a, NodeIndex b) {
    joined[a].push_back(b);
    joined[b].push_back(a);
  };
  std::vector<NodeIndex> begins;
  std::vector<NodeIndex> ends;
  for (const RemovedEdge& edge : edges) {
    const NodeIndex here = tour.At(edge.position);
    const NodeIndex next = tour.At(tour.After(edge.position));
    begins.push_back(edge.forward ? here : next);
    ends.push_back(edge.forward ? next : here);
  }
  for (size_t i = 0; i < edges.size(); ++i) join(ends[i], begins[(i + 1) % edges.size()]);
  for (int32_t p = 0; p < tour.size(); ++p) {
    const bool removed = std::any_of(edges.begin(), edges.end(),
                                     [&](const RemovedEdge& edge) { return edge.position == p; });
    if (!removed) join(tour.At(p), tour.At(tour.After(p)));
  }
  return joined;
}

int32_t CycleLength(const std::vector<std::vector<NodeIndex>>& joined) {
  NodeIndex before = 0;
  NodeIndex node = joined[0][0];
  int32_t length = 1;
  for (; node != 0; ++length) {
    const NodeIndex next = joined[node][0] == before ? joined[node][1] : joined[node][0];
    before = std::exchange(node, next);
  }
  return length;
}

std::vector<RemovedEdge> RandomEdges(FastRandom& random, int32_t size) {
  std::vector<RemovedEdge> edges;
  while (std::ssize(edges) < 3) {
    const RemovedEdge edge = {random.Below(size), random.Below(2) == 0};
    const auto same = [&](const RemovedEdge& other) { return other.position == edge.position; };
    if (std::none_of(edges.begin(), edges.end(), same)) edges.push_back(edge);
  }
  edges.resize(random.Between(2, 3));
  return edges;
}

TEST(TourTest, TurnsAPathByAnExchangeOfTwoEdges) {
  Tour tour(Numbers(8));
  EXPECT_TRUE(tour.Exchange(std::vector<RemovedEdge>{{1, true}, {4, false}}));
  EXPECT_EQ(tour.order(), (std::vector<NodeIndex>{0, 1, 4, 3, 2, 5, 6, 7}));
  ExpectPermutation(tour);
}

TEST(TourTest, RefusesAnExchangeThatGivesTwoCycles) {
  Tour tour(Numbers(8));
  EXPECT_FALSE(tour.Exchange(std::vector<RemovedEdge>{{1, true}, {4, true}}));
  EXPECT_EQ(tour.order(), Numbers(8));
}

TEST(TourTest, ExchangesExactlyTheEdgesAskedFor) {
  FastRandom random(5);
  int32_t made = 0;
  for (int round = 0; round < 20'000; ++round) {
    const int32_t size = random.Between(8, 14);
    Tour tour(Numbers(size));
    for (int i = 0; i < 3; ++i) {
      const std::vector<RemovedEdge> edges = RandomEdges(random, size);
      const auto expected = Exchanged(tour, edges);
      // A node joined to one of its neighbours twice is a cycle of its own.
      const bool doubled = std::any_of(expected.begin(), expected.end(),
                                       [](const auto& both) { return both[0] == both[1]; });
      const bool one_tour = !doubled && CycleLength(expected) == size;
      ASSERT_EQ(tour.Exchange(edges), one_tour);
      if (!one_tour) continue;
      ++made;
      for (int32_t p = 0; p < size; ++p) {
        const auto& both = expected[tour.At(p)];
        ASSERT_NE(std::find(both.begin(), both.end(), tour.At(tour.After(p))), both.end());
      }
      ExpectPermutation(tour);
    }
  }
  EXPECT_GT(made, 10'000);
}

TEST(TourTest, UndoesAllChangesSinceTheLastForget) {
  FastRandom random(2);
  Tour tour(Numbers(31));
  tour.Overwrite(29, std::vector<NodeIndex>{1, 0, 30, 29});  // past the end of the array
  ExpectPermutation(tour);
  tour.ForgetChanges();
  const std::vector<NodeIndex> before = tour.order();
  for (int i = 0; i < 50; ++i) {
    tour.Exchange(RandomEdges(random, 31));
    const int32_t at = random.Below(31);
    tour.Overwrite(at, std::vector<NodeIndex>{tour.At(tour.After(at)), tour.At(at)});
  }
  EXPECT_NE(tour.order(), before);
  tour.UndoChanges();
  EXPECT_EQ(tour.order(), before);
  ExpectPermutation(tour);
}

TEST(TourImproverTest, ReportsTheChangeOfLengthExactly) {
  for (const int32_t customers : {3, 4, 5, 6, 7, 9, 20, 120}) {
    const Instance instance =
        AnInstance().Kind(ProblemKind::kTsp).WithCustomers(customers).Seed(customers).Build();
    const Problem problem = Problem::Create(instance, {});
    Tour tour(Numbers(problem.size()));
    TourImprover improver(problem, tour);
    const double before = Length(problem, tour);
    for (NodeIndex node = 0; node < problem.size(); ++node) improver.Push(node);
    const double change = improver.Run(kNoLimit, {});
    EXPECT_LE(change, 0);
    EXPECT_NEAR(Length(problem, tour), before + change, 1e-6) << customers;
    ExpectPermutation(tour);
  }
}

TEST(TourImproverTest, LeavesNoExchangeOfTwoEdgesThatPays) {
  const Instance instance = AnInstance().Kind(ProblemKind::kTsp).WithCustomers(9).Build();
  const Problem problem = Problem::Create(instance, {});
  Tour tour(Numbers(10));
  TourImprover improver(problem, tour);
  for (NodeIndex node = 0; node < 10; ++node) improver.Push(node);
  improver.Run(kNoLimit, {});
  for (int32_t i = 0; i < 10; ++i) {
    for (int32_t j = 0; j < i; ++j) {
      Tour turned = tour;
      turned.Exchange(std::vector<RemovedEdge>{{j, true}, {i, false}});
      EXPECT_GE(Length(problem, turned), Length(problem, tour) - 1e-9);
    }
  }
}

TEST(TourSearchTest, AnswersDoNotDependOnTheUnitOfLength) {
  InstanceData data = AnInstance().Kind(ProblemKind::kTsp).WithCustomers(300).BuildData();
  SearchOptions options;
  options.max_iterations = 3000;
  const SearchResult found = *Search(*Instance::Create(data), options);
  for (const int exponent : {-10, -3, 1, 10}) {
    InstanceData scaled = data;
    for (Position& position : scaled.positions) {
      position = {std::ldexp(position.x, exponent), std::ldexp(position.y, exponent)};
    }
    const Instance instance = *Instance::Create(scaled);
    const SearchResult again = *Search(instance, options);
    EXPECT_EQ(again.plan, found.plan) << exponent;
    EXPECT_EQ(again.cost, std::ldexp(found.cost, exponent)) << exponent;
    EXPECT_TRUE(CheckPlan(instance, again.plan, again.cost).feasible);
  }
}

}  // namespace
}  // namespace vrp
