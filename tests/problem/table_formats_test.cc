// Tests the table formats of Li and Lim and of Cordeau.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/problem/checker/checker.h"
#include "core/problem/formats/formats.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kTasks =
    "2\t50\t1\n"
    "0\t0\t0\t0\t0\t100\t0\t0\t0\n"
    "1\t3\t4\t10\t0\t90\t5\t0\t3\n"
    "2\t6\t8\t-7\t0\t90\t5\t4\t0\n"
    "3\t0\t5\t-10\t0\t90\t5\t1\t0\n"
    "4\t5\t0\t7\t20\t90\t5\t0\t2\n";

constexpr std::string_view kRowsOfDepots =
    "2 3 2 2\n"
    "30 80\n"
    "0 60\n"
    "1 0 3 2.5 7 1 2 1 2\n"
    "2 4 0 0 9 1 2 1 2\n"
    "3 0 0 0 0 0 0\n"
    "4 4 3 0 0 0 0\n";

constexpr std::string_view kRowsWithWindows =
    "4 3 2 1\n"
    "0 80\n"
    "0 0 0 0 0 0 0 0 100\n"
    "1 0 3 2 7 1 1 1 10 20\n"
    "2 4 0 1 9 1 0 0 30\n";

Instance ParseTables(std::string_view text) {
  absl::StatusOr<Instance> instance = ParseInstance(text, "tables.txt");
  EXPECT_TRUE(instance.ok()) << instance.status();
  return *std::move(instance);
}

std::string TableError(std::string_view text) {
  return std::string(ParseInstance(text, "tables.txt").status().message());
}

std::string ReplaceIn(std::string_view text, std::string_view from, std::string_view to) {
  std::string changed(text);
  const size_t at = changed.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return changed.replace(at, from.size(), to);
}

TEST(LiLimTest, ReadsPairsInAnyOrder) {
  const Instance instance = ParseTables(kTasks);
  EXPECT_EQ(instance.kind(), ProblemKind::kVrptw);
  EXPECT_EQ(instance.data().objective, Objective::kVehiclesThenDistance);
  EXPECT_EQ(instance.data().vehicles.front().count, 2);
  EXPECT_EQ(instance.data().vehicles.front().capacity, 50);
  EXPECT_THAT(instance.data().shipments,
              ElementsAre(Shipment{.pickup = 1, .delivery = 3, .amounts = {10}},
                          Shipment{.pickup = 4, .delivery = 2, .amounts = {7}}));
  EXPECT_THAT(instance.data().services, ElementsAre(0, 5, 5, 5, 5));
  EXPECT_EQ(instance.Distance(0, 1), 5);
  EXPECT_TRUE(CheckPlan(instance, {{.vehicle_type = 0, .customers = {1, 3}},
                                   {.vehicle_type = 0, .customers = {4, 2}}})
                  .feasible);
  EXPECT_FALSE(CheckPlan(instance, {{.vehicle_type = 0, .customers = {3, 1}},
                                    {.vehicle_type = 0, .customers = {4, 2}}})
                   .feasible);
}

TEST(LiLimTest, NamesTheTaskWhosePairIsWrong) {
  EXPECT_THAT(TableError(ReplaceIn(kTasks, "5\t0\t3\n", "5\t0\t2\n")),
              HasSubstr("task 1: its pair is task 2, whose pair is 4"));
  EXPECT_THAT(TableError(ReplaceIn(kTasks, "5\t0\t3\n", "5\t0\t9\n")),
              HasSubstr("task 1: its pair is task 9, wanted 1 to 4"));
  EXPECT_THAT(TableError(ReplaceIn(kTasks, "5\t0\t3\n", "5\t2\t3\n")),
              HasSubstr("task 1: got pickup 2 and delivery 3, wanted exactly one of them to be 0"));
  EXPECT_THAT(TableError(ReplaceIn(kTasks, "-10", "-9")),
              HasSubstr("task 1: picks up 10, but task 3 has demand -9, wanted -10"));
  EXPECT_THAT(TableError(ReplaceIn(kTasks, "2\t6\t8", "3\t6\t8")),
              HasSubstr("tables.txt:4: task 2: got number 3, wanted 2"));
  EXPECT_THAT(TableError(ReplaceIn(kTasks, "\t4\t0\n3", "\t4\n3")),
              HasSubstr("has 8 columns, wanted 9"));
  EXPECT_THAT(TableError(ReplaceIn(kTasks, "2\t50\t1", "0\t50\t1")), HasSubstr("got 0 vehicles"));
}

TEST(CordeauTest, MovesDepotsToTheFront) {
  const Instance instance = ParseTables(kRowsOfDepots);
  const InstanceData& data = instance.data();
  EXPECT_EQ(data.kind, ProblemKind::kCvrp);
  EXPECT_EQ(data.num_depots, 2);
  EXPECT_THAT(data.ids, ElementsAre("3", "4", "1", "2"));
  EXPECT_THAT(data.demands, ElementsAre(0, 0, 7, 9));
  EXPECT_THAT(data.services, ElementsAre(0, 0, 2.5, 0));
  ASSERT_EQ(data.vehicles.size(), 2u);
  EXPECT_EQ(data.vehicles[0].count, 3);
  EXPECT_EQ(data.vehicles[0].max_duration, 30);
  EXPECT_EQ(data.vehicles[1].depot, 1);
  EXPECT_EQ(data.vehicles[1].max_duration, kNoLimit);
  EXPECT_EQ(data.vehicles[1].capacity, 60);
  EXPECT_EQ(instance.Distance(1, 2), 4);
}

TEST(CordeauTest, ReadsWindowsAfterTheCombinations) {
  const Instance instance = ParseTables(kRowsWithWindows);
  EXPECT_EQ(instance.kind(), ProblemKind::kVrptw);
  EXPECT_THAT(instance.data().windows,
              ElementsAre(TimeWindow{0, 100}, TimeWindow{10, 20}, TimeWindow{0, 30}));
  EXPECT_THAT(TableError(ReplaceIn(kRowsWithWindows, " 10 20", " 10")),
              HasSubstr("customer in row 1: has 9 columns, wanted 10"));
}

TEST(CordeauTest, RefusesPeriodicAndSiteDependentProblemsAndNamesTheType) {
  for (const auto& [type, name] :
       std::vector<std::pair<int, std::string>>{{1, "PVRP (periodic)"},
                                                {3, "SDVRP (site dependent)"},
                                                {5, "PVRPTW (periodic)"},
                                                {7, "SDVRPTW (site dependent)"}}) {
    const absl::Status status =
        ParseInstance(ReplaceIn(kRowsOfDepots, "2 3 2 2", Concat(type, " 3 2 2")), "tables.txt")
            .status();
    EXPECT_TRUE(absl::IsUnimplemented(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(name));
  }
  EXPECT_THAT(TableError(ReplaceIn(kRowsOfDepots, "2.5 7 1", "2.5 7 2")),
              HasSubstr("customer in row 0: got 2 visits, wanted 1"));
}

TEST(CordeauTest, RefusesWrongNumbersAndMissingRows) {
  EXPECT_THAT(TableError(ReplaceIn(kRowsOfDepots, "2 3 2 2", "8 3 2 2")),
              HasSubstr("got type 8, wanted 0 to 7"));
  EXPECT_THAT(TableError(ReplaceIn(kRowsOfDepots, "2 3 2 2", "0 3 2 2")),
              HasSubstr("got 2 depots, wanted 1"));
  EXPECT_THAT(TableError(ReplaceIn(kRowsOfDepots, "2 3 2 2", "2 3 2 99999999")),
              HasSubstr("99999999 depots"));
  EXPECT_THAT(TableError(ReplaceIn(kRowsOfDepots, "1 2 1 2", "1 7 1 2")),
              HasSubstr("got 7 combinations"));
  EXPECT_THAT(TableError(ReplaceIn(kRowsOfDepots, "4 4 3 0 0 0 0\n", "")),
              HasSubstr("absent, wanted a row of numbers, but the text ends here"));
  EXPECT_THAT(TableError(Concat(kRowsOfDepots, "5 1 1\n")),
              HasSubstr("wanted the end of the text"));
}

}  // namespace
}  // namespace vrp
