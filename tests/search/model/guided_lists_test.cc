#include <gtest/gtest.h>

#include "core/problem/checker/checker.h"
#include "core/search/model/neighbour_lists.h"
#include "core/search/model/problem.h"
#include "core/search/search.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;

Plan One(std::vector<NodeIndex> customers) { return {{0, std::move(customers)}}; }

std::vector<NodeIndex> RelatedTo(const Problem& problem, NodeIndex customer) {
  const auto related = problem.Related(customer);
  return {related.begin(), related.end()};
}

// Lists of two among nodes 0 .. 4: of each node its two lowest-numbered other customers.
const std::vector<NodeIndex>& TwoLowest() {
  static const auto* const lists = new std::vector<NodeIndex>{1, 2, 2, 3, 1, 3, 1, 2, 1, 2};
  return *lists;
}

std::vector<NodeIndex> Guided(const std::vector<Plan>& samples) {
  NeighbourLists lists = {.length = 2, .near = TwoLowest(), .related = {}};
  GuideLists(samples, 1, lists);
  return lists.related;
}

TEST(GuidedListsTest, PutTheLikeliestFirstAndKeepTheirLength) {
  const std::vector<Plan> samples = {One({3, 4}), One({4, 3}), One({2, 4, 3})};
  EXPECT_EQ(Guided(samples), (std::vector<NodeIndex>{1, 2, 2, 3, 4, 1, 4, 1, 3, 2}));
}

TEST(GuidedListsTest, LeaveWhatFewSamplesHaveWhereTheDistancePutIt) {
  std::vector<Plan> samples(11, One({1}));
  samples.push_back(One({1, 4}));
  EXPECT_EQ(Guided(samples), TwoLowest());
}

TEST(GuidedListsTest, LeaveOutWhatIsNoCustomer) {
  const std::vector<Plan> samples = {One({1, 9}), One({-1, 1}), One({1, 1}), One({0, 1})};
  EXPECT_EQ(Guided(samples), TwoLowest());
}

TEST(ProblemTest, ListsFirstWhomTheSamplesPutBesideACustomer) {
  const Instance instance = AnInstance().At({{0, 0}, {1, 0}, {5, 0}, {2, 0}}).Build();
  const std::vector<Plan> samples = {One({1, 2})};
  const Problem guided = Problem::Create(instance, {}, samples);
  EXPECT_EQ(RelatedTo(guided, 1), (std::vector<NodeIndex>{2, 3}));
  EXPECT_EQ(guided.Near(1).front(), 3);
  const Problem plain = Problem::Create(instance, {});
  EXPECT_EQ(RelatedTo(plain, 1), (std::vector<NodeIndex>{3, 2}));
}

TEST(GuidedSearchTest, FindsFeasiblePlansWhateverTheSamplesSay) {
  for (const bool windows : {false, true}) {
    auto builder = AnInstance().WithCustomers(40).RandomDemands().Capacity(30);
    const Instance instance = windows ? builder.RandomWindows().Build() : builder.Build();
    SearchOptions options;
    options.max_iterations = 3000;
    // Far ones beside each other, and numbers that are none.
    options.samples = {One({1, 20, 2, 21, 3, 22, 4, 23}), One({77, -3, 5})};
    const auto found = Search(instance, options);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_TRUE(CheckPlan(instance, found->plan, found->cost).feasible);
    EXPECT_EQ(Search(instance, options)->plan, found->plan);
  }
}

}  // namespace
}  // namespace vrp
