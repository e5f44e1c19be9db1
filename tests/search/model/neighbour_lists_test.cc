#include "core/search/model/neighbour_lists.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/search/model/point_tree.h"
#include "core/search/model/problem.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;

TEST(PointTreeTest, FindsTheSameDistancesAsTryingAllPoints) {
  const Instance instance = AnInstance().WithCustomers(300).Build();
  PointTree tree(instance.data().positions, 1);
  for (const NodeIndex node : {0, 1, 17, 300}) {
    std::vector<double> all;
    for (NodeIndex other = 1; other <= 300; ++other) {
      if (other != node) all.push_back(instance.Distance(node, other));
    }
    std::sort(all.begin(), all.end());
    all.resize(12);
    std::vector<double> found;
    for (const NodeIndex other : tree.Nearest(node, 12))
      found.push_back(instance.Distance(node, other));
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, all) << node;
  }
}

TEST(PointTreeTest, CopesWithAllPointsInOnePlace) {
  const std::vector<Position> positions(1000, Position{5, 5});
  EXPECT_EQ(PointTree(positions, 0).Nearest(3, 10).size(), 10);
  EXPECT_EQ(PointTree(positions, 0).Nearest(3, 5000).size(), 999);
}

TEST(ProblemTest, ListsNeighboursByDistance) {
  const Instance instance = AnInstance().At({{0, 0}, {1, 0}, {5, 0}, {2, 0}}).Build();
  const Problem problem = Problem::Create(instance, {});
  const auto near = problem.Near(1);
  EXPECT_EQ(std::vector<NodeIndex>(near.begin(), near.end()), (std::vector<NodeIndex>{3, 2}));
}

TEST(ProblemTest, ListsFirstWhoFitsInTime) {
  // Customer 2 is nearer to 1 than 3, but its window is long over.
  const Instance instance = AnInstance()
                                .At({{0, 0}, {50, 0}, {51, 0}, {55, 0}})
                                .Windows({{600, 610}, {51, 60}, {610, 650}}, 1000)
                                .Build();
  const Problem problem = Problem::Create(instance, {});
  EXPECT_EQ(problem.Near(1).front(), 2);
  EXPECT_EQ(problem.Related(1).front(), 3);
}

TEST(ProblemTest, ListsFirstWhoCanLeaveTogether) {
  // Customer 2 is nearer to 1 than 3, but a vehicle that waits for its release reaches 1 too late.
  InstanceData data = AnInstance()
                          .At({{0, 0}, {50, 0}, {51, 0}, {55, 0}})
                          .Windows({{0, 100}, {0, 300}, {0, 300}}, 1000)
                          .BuildData();
  data.releases = {0, 0, 200, 10};
  const Instance instance = *Instance::Create(data);
  const Problem problem = Problem::Create(instance, {});
  EXPECT_EQ(problem.Near(1).front(), 3);
  EXPECT_EQ(problem.Related(1).front(), 3);
  EXPECT_EQ(problem.Near(2).front(), 3) << "both may leave at 200";
}

// Every way that lists are built: from given matrices (asymmetric times among them), from a matrix
// of our own, and from positions alone, which a search that is stopped at once has to do with.
TEST(ProblemTest, ListsTheRelatedInTheOrderOfVidalsProximity) {
  const Instance plain = AnInstance().WithCustomers(60).RandomWindows().Build();
  InstanceData data = plain.data();
  data.duration_matrix = plain.DurationMatrix();
  for (size_t k = 0; k < data.duration_matrix.size(); k += 3) data.duration_matrix[k] *= 1.5;
  const absl::StatusOr<Instance> timed = Instance::Create(data);
  data.distance_matrix = plain.DistanceMatrix();
  const absl::StatusOr<Instance> both = Instance::Create(data);
  ASSERT_TRUE(timed.ok() && both.ok()) << timed.status() << both.status();
  for (const Instance& instance : {plain, *timed, *both}) {
    const Problem problem = Problem::Create(instance, {});
    const auto one_way = [&](NodeIndex from, NodeIndex to) {
      const double travel = problem.service(from) + problem.Duration(from, to);
      return problem.Distance(from, to) +
             0.2 * std::max(0.0, problem.open(to) - (problem.close(from) + travel)) +
             std::max(0.0, problem.open(from) + travel - problem.close(to));
    };
    for (const NodeIndex node : {1, 17, 60}) {
      const auto related = problem.Related(node);
      ASSERT_EQ(related.size(), 59);
      double last = 0;
      for (const NodeIndex other : related) {
        const double proximity = std::min(one_way(node, other), one_way(other, node));
        EXPECT_GE(proximity, last * (1 - 1e-6)) << node << " " << other;
        last = proximity;
      }
    }
  }
}

TEST(ProblemTest, ListsNeighboursOfManyNodesWithAGivenDurationMatrix) {
  InstanceData data =
      AnInstance().WithCustomers(Problem::kMatrixNodes + 1).RandomWindows().Build().data();
  const size_t nodes = data.positions.size();
  data.duration_matrix.assign(nodes * nodes, 1.0);
  const absl::StatusOr<Instance> instance = Instance::Create(std::move(data));
  ASSERT_TRUE(instance.ok()) << instance.status();
  const Problem problem = Problem::Create(*instance, {});
  ASSERT_EQ(problem.DistanceRow(0), nullptr);
  EXPECT_EQ(problem.Related(5).size(), Problem::kListedLarge);
  EXPECT_EQ(problem.Near(5).size(), Problem::kListedLarge);
}

// Whatever the machine, some budget is too short for all and long enough for a few.
TEST(ProblemTest, ListsFewNeighboursWhereThereIsNoTimeForAll) {
  const Instance instance = AnInstance().WithCustomers(5'000).RandomWindows().Build();
  const Problem problem = Problem::Create(instance, {absl::InfinitePast(), nullptr});
  bool few = false;
  for (double milliseconds = 1; !few && milliseconds < 5'000; milliseconds *= 1.3) {
    const StopCondition soon(SteadyNow() + absl::Milliseconds(milliseconds), nullptr);
    const NeighbourLists lists = BuildNeighbourLists(problem, Problem::kListedLarge, soon);
    EXPECT_EQ(lists.near.size(), static_cast<size_t>(lists.length) * 5'001);
    few = lists.length == kHastyLength;
  }
  EXPECT_TRUE(few);
}

TEST(ProblemTest, ComputesTheSameDistancesWithAndWithoutAMatrix) {
  const Instance instance = AnInstance().WithCustomers(20).As(Metric::kRounded).Build();
  const Problem with = Problem::Create(instance, {});
  const Problem without = Problem::Create(instance, {absl::InfinitePast(), nullptr});
  ASSERT_NE(with.DistanceRow(0), nullptr);
  ASSERT_EQ(without.DistanceRow(0), nullptr);
  for (NodeIndex i = 0; i <= 20; ++i) {
    for (NodeIndex j = 0; j <= 20; ++j) EXPECT_EQ(with.Distance(i, j), without.Distance(i, j));
  }
}

}  // namespace
}  // namespace vrp
