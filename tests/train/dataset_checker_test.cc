// Tests the checks of uploaded instances while they arrive.
#include "core/train/data/dataset_checker.h"

#include <string>

#include "core/problem/formats/json/json_writer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/feature_columns.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string LineOf(const Instance& instance) { return WriteJson(instance) + "\n"; }

std::string LabelledLine(const std::string& routes) {
  std::string line = WriteJson(test::AnInstance().WithCustomers(3).Build());
  line.pop_back();
  return line + R"(,"ref_routes":)" + routes + "}\n";
}

// Returns the result of checking a file with the text.
absl::Status CheckText(const std::string& text) {
  DatasetChecker checker("own.jsonl");
  const absl::Status added = checker.Add(text);
  return added.ok() ? checker.Finish() : added;
}

TEST(DatasetCheckerTest, SummarisesTheLines) {
  InstanceData with_cost = test::AnInstance().WithCustomers(5).Build().data();
  with_cost.reference_cost = 7;
  const std::string text =
      LineOf(test::AnInstance().WithCustomers(2).Kind(ProblemKind::kTsp).Build()) + "\n" +
      LabelledLine("[[1,2],[3]]") + LineOf(*Instance::Create(with_cost));
  DatasetChecker checker("own.jsonl");
  for (size_t at = 0; at < text.size(); at += 100) {
    ASSERT_TRUE(checker.Add(text.substr(at, 100)).ok());
  }
  ASSERT_TRUE(checker.Finish().ok());
  const DatasetSummary& summary = checker.summary();
  EXPECT_EQ(summary.instances, 3);
  EXPECT_THAT(summary.kinds, ElementsAre(ProblemKind::kTsp, ProblemKind::kCvrp));
  EXPECT_EQ(summary.min_customers, 3);  // cities
  EXPECT_EQ(summary.max_customers, 5);
  EXPECT_EQ(summary.with_tours, 1);
  EXPECT_EQ(summary.with_reference_cost, 1);
  EXPECT_EQ(summary.pointer_refusal, "");
}

TEST(DatasetCheckerTest, NamesEachInvalidLine) {
  const std::string valid_line = LineOf(test::AnInstance().WithCustomers(2).Build());
  const absl::Status status = CheckText(valid_line + "{}\n" + valid_line +
                                        LabelledLine("[[1,2,2]]") + "no json\n" + valid_line);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  const std::string message(status.message());
  EXPECT_THAT(message, HasSubstr("own.jsonl:2: kind: absent"));
  EXPECT_THAT(message, HasSubstr("own.jsonl:4: the label is not feasible"));
  EXPECT_THAT(message, HasSubstr("own.jsonl:5"));
  EXPECT_THAT(message, Not(HasSubstr("lines have errors")));
}

TEST(DatasetCheckerTest, ShowsTheFirstErrorsAndCountsTheRest) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += "{}\n";
  const std::string message(CheckText(text).message());
  EXPECT_THAT(message, HasSubstr("own.jsonl:20: "));
  EXPECT_THAT(message, Not(HasSubstr("own.jsonl:21: ")));
  EXPECT_THAT(message, HasSubstr("\n50 lines have errors"));
}

TEST(DatasetCheckerTest, AddsNoCountIfAllErrorsAreShown) {
  std::string text;
  for (int64_t i = 0; i < kShownErrors; ++i) text += "{}\n";
  const std::string message(CheckText(text).message());
  EXPECT_THAT(message, HasSubstr("own.jsonl:20: "));
  EXPECT_THAT(message, Not(HasSubstr("lines have errors")));
  EXPECT_THAT(std::string(CheckText(text + "{}\n").message()), HasSubstr("\n21 lines have errors"));
}

TEST(DatasetCheckerTest, LimitsTheErrorTextForManyInvalidLines) {
  DatasetChecker checker("own.jsonl");
  const std::string invalid_line = R"({"kind": ")" + std::string(10'000, 'x') + "\"}\n";
  for (int i = 0; i < 2'000; ++i) ASSERT_TRUE(checker.Add(invalid_line).ok());
  const std::string message(checker.Finish().message());
  EXPECT_THAT(message, HasSubstr("\n2000 lines have errors"));
  EXPECT_LT(message.size(), 100'000u);
}

TEST(DatasetCheckerTest, CountsTheLeadingLinesWithToursAndCosts) {
  InstanceData with_cost = test::AnInstance().WithCustomers(5).Build().data();
  with_cost.reference_cost = 7;
  const std::string cost = LineOf(*Instance::Create(with_cost));
  const std::string tour = LabelledLine("[[1,2],[3]]");
  DatasetChecker tours_first("own.jsonl");
  ASSERT_TRUE(tours_first.Add(tour + tour + cost + tour).ok());
  EXPECT_EQ(tours_first.summary().leading_with_tours, 2);
  EXPECT_EQ(tours_first.summary().leading_with_reference_cost, 0);
  DatasetChecker costs_first("own.jsonl");
  ASSERT_TRUE(costs_first.Add(cost + tour + cost).ok());
  EXPECT_EQ(costs_first.summary().leading_with_tours, 0);
  EXPECT_EQ(costs_first.summary().leading_with_reference_cost, 1);
}

TEST(DatasetCheckerTest, RefusesInstancesThatNoNetworkSupports) {
  InstanceData two_depots = test::AnInstance().WithCustomers(4).Build().data();
  two_depots.num_depots = 2;
  two_depots.demands[1] = 0;
  const absl::Status status = CheckText(LineOf(*Instance::Create(two_depots)));
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("own.jsonl:1: "));
}

TEST(DatasetCheckerTest, RecordsWhyPointerNetworksCannotReadTheSet) {
  InstanceData without_coordinates = test::AnInstance().WithCustomers(3).Build().data();
  without_coordinates.positions.clear();
  without_coordinates.distance_matrix.assign(16, 1.0);
  const std::string valid_line = LineOf(test::AnInstance().WithCustomers(2).Build());
  DatasetChecker checker("own.jsonl");
  ASSERT_TRUE(checker.Add(valid_line + LineOf(*Instance::Create(without_coordinates))).ok());
  ASSERT_TRUE(checker.Finish().ok());
  EXPECT_THAT(checker.summary().pointer_refusal, HasSubstr("own.jsonl:2: distance_matrix"));
}

TEST(DatasetCheckerTest, NamesTheColumnsThatEveryLineHas) {
  const Instance instance = test::AnInstance().WithCustomers(2).Build();
  DatasetChecker checker("own.jsonl");
  ASSERT_TRUE(checker.Add(LineOf(test::WithFeatures(instance, {"early", "wear"}))).ok());
  ASSERT_TRUE(checker.Add(LineOf(test::WithFeatures(instance, {"wear", "late"}))).ok());
  EXPECT_THAT(checker.summary().feature_columns, ElementsAre("wear"));
  ASSERT_TRUE(checker.Add(LineOf(instance)).ok());
  EXPECT_THAT(checker.summary().feature_columns, testing::IsEmpty());
}

TEST(DatasetCheckerTest, RequiresAtLeastOneInstance) {
  EXPECT_THAT(std::string(CheckText("\n \n").message()), HasSubstr("wanted at least one instance"));
}

constexpr char kLogLine[] = R"({"day": "d1", "id": "a", "at": 0, "customer": "c1"})";

TEST(DatasetCheckerTest, CountsTheDaysAndRequestsOfALog) {
  const std::string text = std::string("\n") + kLogLine + "\n" +
                           R"({"day": "d1", "id": "b", "at": 5, "customer": 7, "demand": [1, 2]}
{"day": "d2", "id": "a", "at": 5, "customer": "c1", "window": [6, 9], "service": 3})";
  DatasetChecker checker("log.jsonl");
  for (const char c : text) ASSERT_TRUE(checker.Add(std::string(1, c)).ok());
  ASSERT_TRUE(checker.Finish().ok());
  EXPECT_EQ(checker.summary(),
            (DatasetSummary{.kind = DatasetKind::kRequestLog, .days = 2, .requests = 3}));
}

constexpr char kRouteLine[] =
    R"({"day": "2026-03-02", "driver": "ann", "stops": [{"id": "a"}, {"x": 1, "y": 2}]})";

TEST(DatasetCheckerTest, CountsTheDaysRoutesAndStopsOfAHistory) {
  const std::string text = std::string("\n") + kRouteLine + "\n" + kRouteLine + "\n" +
                           R"({"day": "2026-03-04", "stops": [{"id": "a"}]})";
  DatasetChecker checker("past.jsonl");
  for (const char c : text) ASSERT_TRUE(checker.Add(std::string(1, c)).ok());
  ASSERT_TRUE(checker.Finish().ok());
  EXPECT_EQ(
      checker.summary(),
      (DatasetSummary{.kind = DatasetKind::kRouteHistory, .days = 2, .routes = 3, .stops = 5}));
}

TEST(DatasetCheckerTest, NamesTheLineAndTheFieldOfEachErrorOfAHistory) {
  const absl::Status status = CheckText(std::string(kRouteLine) + "\n" +
                                        R"({"day": "2026-03-01", "stops": [{"id": "a"}]}
{"day": "2026-03-03", "stops": [{"demand": 2}]}
{"day": "2026-03-03", "id": "a", "at": 5, "customer": "c1"}
)");
  EXPECT_EQ(std::string(status.message()),
            "own.jsonl:2: day: got \"2026-03-01\" after \"2026-03-02\", wanted days in increasing "
            "order\n"
            "own.jsonl:3: stops[0].id: absent, and the stop has no position; wanted an id, or x "
            "and y\n"
            "own.jsonl:4: at: unknown key, wanted day, driver, coordinates, depot and stops");
}

TEST(DatasetCheckerTest, NamesTheLineAndTheFieldOfEachErrorOfALog) {
  const std::string text = std::string(kLogLine) + "\n" +
                           R"({"day": "d1", "at": 5, "customer": "c1"}
{"day": "d0", "id": "a", "at": 5, "customer": "c1"}
{"day": "d1", "id": "a", "at": 5, "customer": "c1"}
{"day": "d1", "id": "b", "at": 5, "customer": "c1", "window": [9, 6]}
{"kind": "cvrp"}
{"day": "d1", "id": "b", "at": 5, "customer": "c1"}
)";
  const absl::Status status = CheckText(text);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(status.message()),
            "own.jsonl:2: id: absent\n"
            "own.jsonl:3: day: got \"d0\" after \"d1\", wanted days in increasing order\n"
            "own.jsonl:4: id: got \"a\" again, wanted an id for each request of d1\n"
            "own.jsonl:5: window: got 9 to 6, wanted an opening at or before the close\n"
            "own.jsonl:6: kind: unknown key, wanted day, id, at, customer, demand, window and "
            "service");
}

TEST(DatasetCheckerTest, TellsALogByItsFirstLine) {
  const std::string instance = LineOf(test::AnInstance().WithCustomers(2).Build());
  EXPECT_THAT(std::string(CheckText(instance + kLogLine).message()), HasSubstr("own.jsonl:2: "));
  EXPECT_THAT(std::string(CheckText(R"({"at": 0})").message()), HasSubstr("day: absent"));
  EXPECT_THAT(std::string(CheckText("\n \n").message()), HasSubstr("got no lines"));
}

}  // namespace
}  // namespace vrp
