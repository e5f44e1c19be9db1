#include "core/train/labels.h"

#include "core/model/routing_state.h"
#include "core/problem/formats.h"
#include "gtest/gtest.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

TrainingConfig Config(ProblemKind kind) {
  TrainingConfig config;
  config.problem = {.kind = kind, .customers = 8};
  config.supervised.samples = 12;
  config.supervised.heuristic_iterations = 2;
  return config;
}

class HeuristicLabelsTest : public testing::TestWithParam<ProblemKind> {};

TEST_P(HeuristicLabelsTest, AreCompletePlansAndTheSameOnAnyNumberOfThreads) {
  const auto one = HeuristicLabels(Config(GetParam()), 1, {});
  const auto two = HeuristicLabels(Config(GetParam()), 2, {});
  ASSERT_TRUE(one.ok()) << one.status();
  ASSERT_EQ(one->size(), 12u);
  for (size_t i = 0; i < one->size(); ++i) {
    EXPECT_EQ((*one)[i].choices, (*two)[i].choices);
    RoutingState state(&(*one)[i].input);
    for (const int32_t node : (*one)[i].choices) state.Take(node);
    EXPECT_TRUE(state.done());
    EXPECT_NEAR(state.distance(), (*one)[i].cost, 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, HeuristicLabelsTest,
                         testing::Values(ProblemKind::kCvrp, ProblemKind::kVrptw,
                                         ProblemKind::kTsp));

TEST(HeuristicLabelsTest, EndWhenCancelled) {
  auto cancel = std::make_shared<CancelFlag>();
  cancel->Cancel();
  EXPECT_EQ(HeuristicLabels(Config(ProblemKind::kCvrp), 1, {absl::InfiniteFuture(), cancel})
                .status()
                .code(),
            absl::StatusCode::kCancelled);
}

std::string Line(const std::string& routes) {
  std::string line = WriteJson(test::AnInstance().WithCustomers(3).Build());
  line.pop_back();
  return line + R"(,"ref_routes":)" + routes + "}\n";
}

TEST(FileLabelsTest, AreReadUpToTheLimit) {
  const std::string text = Line("[[1,2],[3]]") + "\n" + Line("[[3,2,1]]") + Line("[[1],[2],[3]]");
  EXPECT_EQ(ParseLabels(text, "l.jsonl", 2)->size(), 2u);
  EXPECT_EQ(ParseLabels(text, "l.jsonl", 9)->size(), 3u);
}

class BadLabelTest : public testing::TestWithParam<const char*> {};

TEST_P(BadLabelTest, IsRefusedWithItsLine) {
  const auto labels = ParseLabels(Line("[[1,2,3]]") + Line(GetParam()), "l.jsonl", 9);
  EXPECT_EQ(labels.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(labels.status().message()).rfind("l.jsonl:2", 0), 0u) << labels.status();
}

INSTANTIATE_TEST_SUITE_P(Routes, BadLabelTest,
                         testing::Values("[]", "[[1,2]]", "[[1,2,3,3]]", "[[1,2,4]]", "[[0,1,2,3]]",
                                         "[[1,2,-3]]", "[[1,2,99999999999]]", "[1,2,3]", "5",
                                         "null", "[[\"1\",2,3]]", "[[1.5,2,3]]", "[[1,2,3]"));

TEST(FileLabelsTest, NeedRoutesAndAtLeastOneLine) {
  const std::string without = WriteJson(test::AnInstance().WithCustomers(3).Build());
  EXPECT_NE(std::string(ParseLabels(without, "l", 9).status().message()).find("ref_routes"),
            std::string::npos);
  EXPECT_FALSE(ParseLabels("", "l", 9).ok());
  EXPECT_FALSE(ParseLabels("\n \n", "l", 9).ok());
}

}  // namespace
}  // namespace vrp
