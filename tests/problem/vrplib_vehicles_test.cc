// Tests the depots and vehicles of VRPLIB files.
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/problem/checker/checker.h"
#include "core/problem/plan/plan_value.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/problem/vrplib_texts.h"

namespace vrp {
namespace {

using test::CvrpText;
using test::DialectError;
using test::kDemandSection;
using test::ReadDialect;
using test::TwoDepotText;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(VrplibVehicles, StartsUnassignedVehiclesAtEveryDepot) {
  for (const char* more : {"", "VEHICLES : 3\n"}) {
    const Instance instance = ReadDialect(TwoDepotText(more));
    ASSERT_EQ(instance.vehicles().size(), 2u);
    for (NodeIndex depot : {0, 1}) {
      EXPECT_EQ(instance.vehicles()[depot].depot, depot);
      EXPECT_EQ(instance.vehicles()[depot].count, 0);
    }
    EXPECT_EQ(PlanCost(instance, {{0, {2}}, {1, {3, 4}}}), 2 + 4);
  }
}

TEST(VrplibVehicles, RefusesFewerUnassignedVehiclesThanCustomers) {
  EXPECT_THAT(
      DialectError(TwoDepotText("VEHICLES : 2\n")),
      HasSubstr(
          "d.vrp:18: DEPOT_SECTION: has 2 depots, but the file does not assign a depot to each of "
          "the 2 vehicles; wanted VEHICLES_DEPOT_SECTION"));
}

TEST(VrplibVehicles, RefusesUnassignedVehiclesWithRowsOfTheirOwn) {
  for (const char* section :
       {"VEHICLES_ALLOWED_CLIENTS_SECTION\n1 3\n", "VEHICLES_RELOAD_DEPOT_SECTION\n1 1\n",
        "VEHICLES_MAX_RELOADS_SECTION\n1 1\n"}) {
    EXPECT_THAT(
        DialectError(Concat("TYPE : MDVRP\nDIMENSION : 3\nCAPACITY : 3\nVEHICLES : 1\n"
                            "EDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 9 0\n3 1 0\n"
                            "DEMAND_SECTION\n1 0\n2 0\n3 1\nDEPOT_SECTION\n1\n2\n-1\n",
                            section, "EOF\n")),
        HasSubstr("DEPOT_SECTION: has 2 depots, but the file does not assign"))
        << section;
  }
}

TEST(VrplibVehicles, ReadsADepotSectionAtTheEndOfTheText) {
  std::string text = TwoDepotText("");
  text.resize(text.find("-1"));
  EXPECT_EQ(ReadDialect(text).num_depots(), 2);
}

TEST(VrplibVehicles, TakesTheFirstNodeAsDepotWithoutADepotSection) {
  std::string text = CvrpText("CVRP", "CAPACITY : 9\n", kDemandSection);
  text.erase(text.find("DEPOT_SECTION"), std::string("DEPOT_SECTION\n1\n-1\n").size());
  EXPECT_EQ(ReadDialect(text).num_depots(), 1);
}

TEST(VrplibVehicles, ReadsPyvrpsVehicles) {
  const Instance instance = ReadDialect(CvrpText(
      "HFVRP", "VEHICLES : 3\nVEHICLES_MAX_RELOADS : 2\nVEHICLES_MAX_DISTANCE : 40\n",
      "DEMAND_SECTION\n1 0 0\n2 1 5\n3 2 5\n4 3 5\nCAPACITY_SECTION\n1 4 10\n2 4 10\n3 6 15\n"
      "VEHICLES_FIXED_COST_SECTION\n1 100\n2 100\n3 150\n"
      "VEHICLES_UNIT_DISTANCE_COST_SECTION\n1 2\n2 2\n3 3\nVEHICLES_RELOAD_DEPOT_SECTION\n1 1\n"
      "2 1\n3\nVEHICLES_ALLOWED_CLIENTS_SECTION\n1 2 3\n2 2 3\n3 2 3 4\n"));
  ASSERT_EQ(instance.vehicles().size(), 2u);
  const VehicleType& small = instance.vehicles()[0];
  const VehicleType& large = instance.vehicles()[1];
  EXPECT_EQ(small.count, 2);
  EXPECT_THAT(small.further_capacities, ElementsAre(10));
  EXPECT_EQ(small.fixed_cost, 100);
  EXPECT_EQ(small.cost_per_distance, 2);
  EXPECT_EQ(small.max_distance, 40);
  EXPECT_EQ(small.max_reloads, 2);
  EXPECT_EQ(large.capacity, 6);
  EXPECT_EQ(large.max_reloads, 0);
  EXPECT_EQ(instance.data().objective, Objective::kCost);
  EXPECT_EQ(instance.metric(), Metric::kExact);
  EXPECT_EQ(instance.demand(3, 1), 5);
  // Only vehicle 3 may serve customer 4.
  EXPECT_TRUE(CheckPlan(instance, {{.customers = {1, 2}}, {1, {3}}}).feasible);
  EXPECT_FALSE(CheckPlan(instance, {{.customers = {3}}, {1, {1, 2}}}).feasible);
}

TEST(VrplibVehicles, RefusesUnknownNodesAndVehiclesInLists) {
  const std::string keywords = "VEHICLES : 2\nCAPACITY : 9\n";
  for (const auto& [lists, error] : std::vector<std::pair<std::string, std::string>>{
           {"VEHICLES_ALLOWED_CLIENTS_SECTION\n1 2 5\n2 3\n", "got node 5, wanted 1 to 4"},
           {"VEHICLES_ALLOWED_CLIENTS_SECTION\n1 2 x\n2 3\n", "got \"x\", wanted an integer"},
           {"VEHICLES_ALLOWED_CLIENTS_SECTION\n1 2\n",
            "wanted an integer: the number of a vehicle"},
           {"VEHICLES_RELOAD_DEPOT_SECTION\n1 1\n1 1\n", "vehicle 1 given twice"},
           {"MUTUALLY_EXCLUSIVE_GROUP_SECTION\n1 2 0\n", "got node 0, wanted 1 to 4"},
           {"MUTUALLY_EXCLUSIVE_GROUP_SECTION\n1 2 2\n", "alternative_groups[0]"}}) {
    EXPECT_THAT(DialectError(CvrpText("CVRP", keywords, kDemandSection + lists)), HasSubstr(error))
        << lists;
  }
}

TEST(VrplibVehicles, ReadsSeveralReloadDepots) {
  const Instance instance = ReadDialect(
      "DIMENSION : 4\nVEHICLES : 2\nCAPACITY : 9\nVEHICLES_MAX_RELOADS : 2\n"
      "EDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 3 0\n3 0 4\n4 -5 0\n"
      "DEMAND_SECTION\n1 0\n2 0\n3 3\n4 4\nDEPOT_SECTION\n1\n2\n-1\n"
      "VEHICLES_RELOAD_DEPOT_SECTION\n1 1 2\n2 2\nEOF\n");
  ASSERT_EQ(instance.vehicles().size(), 2u);
  EXPECT_EQ(instance.vehicles()[0].depot, 0);
  EXPECT_THAT(instance.vehicles()[0].reload_depots, testing::ElementsAre(0, 1));
  EXPECT_EQ(instance.vehicles()[1].depot, 0);
  EXPECT_THAT(instance.vehicles()[1].reload_depots, testing::ElementsAre(1));
  EXPECT_EQ(instance.vehicles()[1].max_reloads, 2);
}

TEST(VrplibVehicles, RefusesReloadsAtCustomers) {
  EXPECT_THAT(
      DialectError(CvrpText("MTVRP", "VEHICLES : 1\nCAPACITY : 9\n",
                            std::string(kDemandSection) + "VEHICLES_RELOAD_DEPOT_SECTION\n1 2\n")),
      HasSubstr(
          "d.vrp:16: VEHICLES_RELOAD_DEPOT_SECTION: got node 2, wanted one of DEPOT_SECTION"));
}

TEST(VrplibVehicles, ReadsReloadsOfEachVehicle) {
  const std::string counts = "VEHICLES_MAX_RELOADS_SECTION\n1 1\n2 3\n";
  const std::string sections =
      std::string(kDemandSection) + counts + "VEHICLES_RELOAD_DEPOT_SECTION\n1 1\n2 1\n";
  const std::string keywords = "VEHICLES : 2\nCAPACITY : 9\n";
  const Instance instance = ReadDialect(CvrpText("MTVRP", keywords, sections));
  ASSERT_EQ(instance.vehicles().size(), 2u);
  EXPECT_EQ(instance.vehicles()[0].max_reloads, 1);
  EXPECT_EQ(instance.vehicles()[1].max_reloads, 3);
  EXPECT_THAT(DialectError(CvrpText("MTVRP", keywords + "VEHICLES_MAX_RELOADS : 2\n", sections)),
              HasSubstr("VEHICLES_MAX_RELOADS_SECTION: given, and VEHICLES_MAX_RELOADS too; "
                        "wanted one of them"));
}

TEST(VrplibVehicles, KeepsShortFilesSmallInMemory) {
  const Instance instance =
      ReadDialect(CvrpText("CVRP", "VEHICLES : 1000000\nCAPACITY : 9\n", kDemandSection));
  ASSERT_EQ(instance.vehicles().size(), 1u);
  EXPECT_EQ(instance.vehicles().front().count, 1'000'000);
  EXPECT_THAT(
      DialectError(CvrpText("CVRP", "VEHICLES : 1\nCAPACITY : 9\nVEHICLES_MAX_RELOADS : 1e300\n",
                            kDemandSection)),
      HasSubstr("d.vrp:5: VEHICLES_MAX_RELOADS: got 1e+300, wanted a whole number from 0 to"));
  std::string sets = "VEHICLES_ALLOWED_CLIENTS_SECTION\n";
  std::string set;
  for (int vehicle = 1; vehicle <= 65; ++vehicle) {
    set += " 2";  // each row has one entry more than the previous row
    sets += Concat(vehicle, set, "\n");
  }
  EXPECT_THAT(
      DialectError(CvrpText("CVRP", "VEHICLES : 65\nCAPACITY : 9\n", kDemandSection + sets)),
      HasSubstr("has 65 different sets, wanted at most 64"));
}

TEST(VrplibVehicles, NamesTheLineOfAVehiclesDepotAndCapacity) {
  EXPECT_THAT(
      DialectError(CvrpText("CVRP", "VEHICLES : 1\nCAPACITY : 9\n",
                            std::string(kDemandSection) + "VEHICLES_DEPOT_SECTION\n1 2\n")),
      HasSubstr("d.vrp:16: VEHICLES_DEPOT_SECTION: got node 2, wanted one of DEPOT_SECTION"));
  const std::string demands = "DEMAND_SECTION\n1 0 0\n2 1 1\n3 1 1\n4 1 1\n";
  EXPECT_THAT(DialectError(CvrpText("CVRP", "CAPACITY : 9\n", demands)),
              HasSubstr("d.vrp:3: CAPACITY: has 1 numbers per vehicle, wanted 2"));
  EXPECT_THAT(
      DialectError(CvrpText("CVRP", "VEHICLES : 1\n", demands + "CAPACITY_SECTION\n1 9 9 9\n")),
      HasSubstr("d.vrp:15: CAPACITY: has 3 numbers per vehicle, wanted 2"));
}

TEST(VrplibVehicles, ReadsOpenRoutes) {
  const Instance instance = ReadDialect(CvrpText("OVRP", "CAPACITY : 9\n", kDemandSection));
  EXPECT_TRUE(instance.vehicles()[0].open_end);
}

TEST(VrplibVehicles, ReadsTheNumberOfVehiclesAfterTheirRows) {
  const Instance instance = ReadDialect(
      "TYPE : CVRP\nDIMENSION : 2\nEDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 9 0\n"
      "DEMAND_SECTION\n1 0\n2 1\nCAPACITY_SECTION\n1 3\n2 4\nVEHICLES : 2\nEOF\n");
  EXPECT_EQ(instance.vehicles().size(), 2u);
}

}  // namespace
}  // namespace vrp
