// Tests the distances and metrics of VRPLIB and TSPLIB files.
#include <cmath>
#include <string>
#include <vector>

#include "core/problem/checker/checker.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/problem/vrplib_texts.h"

namespace vrp {
namespace {

using test::CvrpText;
using test::DialectError;
using test::kDemandSection;
using test::kTriangle;
using test::ReadDialect;
using test::TspText;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(VrplibDistances, ComputesDistancesOfTsplibAndLkh) {
  const auto distances = [](const std::string& weights, const std::string& coords) {
    const Instance instance = ReadDialect(TspText(weights, coords));
    return std::vector<double>{instance.Distance(0, 1), instance.Distance(0, 2),
                               instance.Distance(2, 1)};
  };
  EXPECT_THAT(distances("EUC_2D", kTriangle), ElementsAre(3, 10, 8));
  EXPECT_THAT(distances("CEIL_2D", kTriangle), ElementsAre(3, 11, 8));
  EXPECT_THAT(distances("FLOOR_2D", kTriangle), ElementsAre(2, 10, 7));
  EXPECT_THAT(distances("EXACT_2D", kTriangle),
              ElementsAre(2.5, std::sqrt(108.25), std::sqrt(62.5)));
  EXPECT_THAT(distances("MAN_2D", kTriangle), ElementsAre(4, 15, 11));
  EXPECT_THAT(distances("MAX_2D", kTriangle), ElementsAre(2, 9, 7));
  EXPECT_THAT(distances("EUC_3D", "1 0 0 0\n2 2 3 6\n3 0 0 9\n"), ElementsAre(7, 9, 5));
  EXPECT_THAT(distances("MAN_3D", "1 0 0 0\n2 2 3 6\n3 0 0 9\n"), ElementsAre(11, 9, 8));
  EXPECT_THAT(distances("MAX_3D", "1 0 0 0\n2 2 3 6\n3 0 0 9\n"), ElementsAre(6, 9, 3));
  // These are the first nodes of att48 and ulysses16.
  EXPECT_THAT(distances("ATT", "1 6734 1453\n2 2233 10\n3 5530 1424\n"),
              ElementsAre(1495, 381, 1135));
  EXPECT_THAT(distances("GEO", "1 38.24 20.42\n2 39.57 26.15\n3 40.56 25.32\n"),
              ElementsAre(509, 501, 126));
}

TEST(VrplibDistances, RefusesWrongCoordinateCountsAndUnknownTypes) {
  EXPECT_THAT(DialectError(TspText("EUC_2D", "1 -1 0 0\n2 0 3 6\n3 1 0 9\n")),
              HasSubstr("NODE_COORD_SECTION: has 3 numbers per node, wanted 2 for EUC_2D"));
  EXPECT_THAT(DialectError(TspText("XRAY1", kTriangle)),
              HasSubstr("EDGE_WEIGHT_TYPE: got \"XRAY1\", wanted one of EXPLICIT, EUC_2D"));
}

TEST(VrplibDistances, AppliesTheScaleOfLkh) {
  EXPECT_EQ(ReadDialect(TspText("FLOOR_2D", kTriangle, "SCALE : 10\n")).metric(), Metric::kDimacs);
  EXPECT_EQ(ReadDialect(TspText("EXACT_2D", kTriangle, "SCALE : 1000\n")).metric(), Metric::kExact);
  const Instance hundredths = ReadDialect(TspText("EUC_2D", kTriangle, "SCALE : 100\n"));
  EXPECT_EQ(hundredths.Distance(0, 2), 10.4);  // 10.4043 rounded to hundredths
  EXPECT_THAT(DialectError(TspText("EUC_2D", kTriangle, "SCALE : 0\n")), HasSubstr("SCALE: got 0"));
}

TEST(VrplibDistances, DoesNotRoundIfTheStatedBestCostIsAFraction) {
  const auto metric = [](const std::string& comment) {
    return ReadDialect(
               CvrpText("CVRP", "CAPACITY : 9\nCOMMENT : " + comment + "\n", kDemandSection))
        .metric();
  };
  EXPECT_EQ(metric("524.61"), Metric::kExact);
  EXPECT_EQ(metric("(Christofides, Best value: 555.43)"), Metric::kExact);
  EXPECT_EQ(metric("(Augerat et al, Optimal value: 784)"), Metric::kRounded);
  EXPECT_EQ(metric("(Optimal value: 784.00)"), Metric::kRounded);
  EXPECT_EQ(metric("1995"), Metric::kRounded);
  EXPECT_FALSE(ReadDialect(CvrpText("CVRP", "CAPACITY : 9\nCOMMENT : 1995\n", kDemandSection))
                   .reference_cost()
                   .has_value());
}

TEST(VrplibDistances, ComparesAClaimedCostToItsLastDecimal) {
  const Instance instance =
      ReadDialect(CvrpText("CVRP", "CAPACITY : 9\nCOMMENT : 19.4\n", kDemandSection));
  const Plan plan = {{.customers = {1, 2, 3}}};  // 3 + 5 + sqrt(41) + 5 = 19.403
  EXPECT_TRUE(CheckPlan(instance, plan, 19.4).feasible);
  EXPECT_TRUE(CheckPlan(instance, plan, 19.403).feasible);
  EXPECT_FALSE(CheckPlan(instance, plan, 19.404).feasible);
  EXPECT_FALSE(CheckPlan(instance, plan, 19.5).feasible);
  EXPECT_FALSE(CheckPlan(instance, plan, 19.0).feasible);
}

}  // namespace
}  // namespace vrp
