// What circulates as CVRPLIB, TSPLIB, LKH and PyVRP files is read as its authors mean it.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/problem/checker/checker.h"
#include "core/problem/formats/formats.h"
#include "core/problem/formats/instance_writer.h"
#include "core/problem/formats/vrplib/vrplib_solution.h"
#include "core/problem/plan/plan_value.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Instance ReadDialect(const std::string& text) {
  absl::StatusOr<Instance> instance = ParseInstance(text, "d.vrp");
  EXPECT_TRUE(instance.ok()) << instance.status() << "\n" << text;
  return *std::move(instance);
}

std::string DialectError(const std::string& text) {
  const absl::StatusOr<Instance> instance = ParseInstance(text, "d.vrp");
  EXPECT_EQ(instance.status().code(), absl::StatusCode::kInvalidArgument) << text;
  return std::string(instance.status().message());
}

std::string ATour(const std::string& weights, const std::string& coords,
                  const std::string& more = "") {
  return "TYPE : TSP\nDIMENSION : 3\n" + more + "EDGE_WEIGHT_TYPE : " + weights +
         "\nNODE_COORD_SECTION\n" + coords + "EOF\n";
}

constexpr char kOnTheWay[] = "1 0 0\n2 1.5 2\n3 6 8.5\n";

TEST(VrplibDialects, ComputesEveryDistanceOfTsplib) {
  const auto distances = [](const std::string& weights, const std::string& coords) {
    const Instance instance = ReadDialect(ATour(weights, coords));
    return std::vector<double>{instance.Distance(0, 1), instance.Distance(0, 2),
                               instance.Distance(2, 1)};
  };
  EXPECT_THAT(distances("EUC_2D", kOnTheWay), ElementsAre(3, 10, 8));
  EXPECT_THAT(distances("CEIL_2D", kOnTheWay), ElementsAre(3, 11, 8));
  EXPECT_THAT(distances("FLOOR_2D", kOnTheWay), ElementsAre(2, 10, 7));
  EXPECT_THAT(distances("EXACT_2D", kOnTheWay),
              ElementsAre(2.5, std::sqrt(108.25), std::sqrt(62.5)));
  EXPECT_THAT(distances("MAN_2D", kOnTheWay), ElementsAre(4, 15, 11));
  EXPECT_THAT(distances("MAX_2D", kOnTheWay), ElementsAre(2, 9, 7));
  EXPECT_THAT(distances("EUC_3D", "1 0 0 0\n2 2 3 6\n3 0 0 9\n"), ElementsAre(7, 9, 5));
  EXPECT_THAT(distances("MAN_3D", "1 0 0 0\n2 2 3 6\n3 0 0 9\n"), ElementsAre(11, 9, 8));
  EXPECT_THAT(distances("MAX_3D", "1 0 0 0\n2 2 3 6\n3 0 0 9\n"), ElementsAre(6, 9, 3));
  // The first places of att48 and ulysses16, whose optima are 10628 and 6859.
  EXPECT_THAT(distances("ATT", "1 6734 1453\n2 2233 10\n3 5530 1424\n"),
              ElementsAre(1495, 381, 1135));
  EXPECT_THAT(distances("GEO", "1 38.24 20.42\n2 39.57 26.15\n3 40.56 25.32\n"),
              ElementsAre(509, 501, 126));
}

TEST(VrplibDialects, SaysHowManyCoordinatesADistanceTakes) {
  EXPECT_THAT(DialectError(ATour("EUC_2D", "1 -1 0 0\n2 0 3 6\n3 1 0 9\n")),
              HasSubstr("NODE_COORD_SECTION: has 3 numbers a node, wanted 2 for EUC_2D"));
  EXPECT_THAT(DialectError(ATour("XRAY1", kOnTheWay)),
              HasSubstr("EDGE_WEIGHT_TYPE: got \"XRAY1\", wanted one of EXPLICIT, EUC_2D"));
}

TEST(VrplibDialects, TakesLkhsScaleForWhatItIs) {
  EXPECT_EQ(ReadDialect(ATour("FLOOR_2D", kOnTheWay, "SCALE : 10\n")).metric(), Metric::kDimacs);
  EXPECT_EQ(ReadDialect(ATour("EXACT_2D", kOnTheWay, "SCALE : 1000\n")).metric(), Metric::kExact);
  const Instance hundredths = ReadDialect(ATour("EUC_2D", kOnTheWay, "SCALE : 100\n"));
  EXPECT_EQ(hundredths.Distance(0, 2), 10.4);  // of 10.4043
  EXPECT_THAT(DialectError(ATour("EUC_2D", kOnTheWay, "SCALE : 0\n")), HasSubstr("SCALE: got 0"));
}

// A CVRP of three customers 3, 4 and 5 away from the depot, at right angles.
std::string AFile(const std::string& type, const std::string& keywords,
                  const std::string& sections) {
  return (type.empty() ? "" : "TYPE : " + type + "\n") + "DIMENSION : 4\n" + keywords +
         "EDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 3 0\n3 0 4\n4 -5 0\n" + sections +
         "DEPOT_SECTION\n1\n-1\nEOF\n";
}

constexpr char kDemands[] = "DEMAND_SECTION\n1 0\n2 1\n3 2\n4 3\n";
constexpr char kWindows[] = "TIME_WINDOW_SECTION\n1 0 99\n2 0 90\n3 10 90\n4 0 90\n";

TEST(VrplibDialects, DoesNotRoundWhereTheStatedBestIsNotRounded) {
  const auto metric = [](const std::string& comment) {
    return ReadDialect(AFile("CVRP", "CAPACITY : 9\nCOMMENT : " + comment + "\n", kDemands))
        .metric();
  };
  EXPECT_EQ(metric("524.61"), Metric::kExact);
  EXPECT_EQ(metric("(Christofides, Best value: 555.43)"), Metric::kExact);
  EXPECT_EQ(metric("(Augerat et al, Optimal value: 784)"), Metric::kRounded);
  EXPECT_EQ(metric("(Optimal value: 784.00)"), Metric::kRounded);
  EXPECT_EQ(metric("1995"), Metric::kRounded);
  EXPECT_FALSE(ReadDialect(AFile("CVRP", "CAPACITY : 9\nCOMMENT : 1995\n", kDemands))
                   .reference_cost()
                   .has_value());
}

TEST(VrplibDialects, AClaimedCostHoldsToItsLastDecimal) {
  const Instance instance = ReadDialect(AFile("CVRP", "CAPACITY : 9\nCOMMENT : 19.4\n", kDemands));
  const Plan plan = {{.customers = {1, 2, 3}}};  // 3 + 5 + sqrt(41) + 5 = 19.403
  EXPECT_TRUE(CheckPlan(instance, plan, 19.4).feasible);
  EXPECT_TRUE(CheckPlan(instance, plan, 19.403).feasible);
  EXPECT_FALSE(CheckPlan(instance, plan, 19.404).feasible);
  EXPECT_FALSE(CheckPlan(instance, plan, 19.5).feasible);
  EXPECT_FALSE(CheckPlan(instance, plan, 19.0).feasible);
}

TEST(VrplibDialects, SkipsCommentsAndMissesNoColon) {
  const Instance instance = ReadDialect(
      "NAME\tc\nTYPE CVRP\nDIMENSION\t2\nCAPACITY 7\n# no more\nEDGE_WEIGHT_TYPE  EUC_2D\n"
      "NODE_COORD_SECTION :\n1 0 0 # here\n# there\n2 3 4\nDEMAND_SECTION\n# none\n1 0\n2 5\n"
      "DEPOT_SECTION\n1 # first\n-1\n");
  EXPECT_EQ(instance.name(), "c");
  EXPECT_EQ(instance.Distance(0, 1), 5);
  EXPECT_EQ(instance.demand(1), 5);
}

TEST(VrplibDialects, ReadsAFileThatBeginsWithAByteOrderMark) {
  EXPECT_EQ(ReadDialect("\xEF\xBB\xBF" + ATour("EUC_2D", kOnTheWay)).num_nodes(), 3);
  EXPECT_THAT(DialectError(" \n"), HasSubstr("d.vrp: no known format (it is empty)"));
}

constexpr char kTwoDepots[] = R"(TYPE : MDVRP
DIMENSION : 5
CAPACITY : 3
%EDGE_WEIGHT_TYPE : EUC_2D
NODE_COORD_SECTION
1 0 0
2 90 0
3 1 0
4 89 0
5 91 0
DEMAND_SECTION
1 0
2 0
3 1
4 1
5 1
DEPOT_SECTION
1
2
-1
)";

std::string WithTwoDepots(const std::string& more) {
  std::string text = kTwoDepots;
  return text.replace(text.find('%'), 1, more);
}

TEST(VrplibDialects, VehiclesStandAtEachDepotWhereNothingSaysAtWhich) {
  for (const char* more : {"", "VEHICLES : 3\n"}) {
    const Instance instance = ReadDialect(WithTwoDepots(more));
    ASSERT_EQ(instance.vehicles().size(), 2u);
    for (NodeIndex depot : {0, 1}) {
      EXPECT_EQ(instance.vehicles()[depot].depot, depot);
      EXPECT_EQ(instance.vehicles()[depot].count, 0);
    }
    EXPECT_EQ(PlanCost(instance, {{0, {2}}, {1, {3, 4}}}), 2 + 4);
  }
}

TEST(VrplibDialects, AsksWhereVehiclesStandThatAreTooFewForEachDepot) {
  EXPECT_THAT(
      DialectError(WithTwoDepots("VEHICLES : 2\n")),
      HasSubstr("DEPOT_SECTION: has 2 depots, and nothing says at which of them each of the "
                "2 vehicles stands; wanted VEHICLES_DEPOT_SECTION"));
}

TEST(VrplibDialects, AsksWhereVehiclesStandThatHaveRowsOfTheirOwn) {
  for (const char* section :
       {"VEHICLES_ALLOWED_CLIENTS_SECTION\n1 3\n", "VEHICLES_RELOAD_DEPOT_SECTION\n1 1\n",
        "VEHICLES_MAX_RELOADS_SECTION\n1 1\n"}) {
    EXPECT_THAT(
        DialectError(Concat("TYPE : MDVRP\nDIMENSION : 3\nCAPACITY : 3\nVEHICLES : 1\n"
                            "EDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 9 0\n3 1 0\n"
                            "DEMAND_SECTION\n1 0\n2 0\n3 1\nDEPOT_SECTION\n1\n2\n-1\n",
                            section, "EOF\n")),
        HasSubstr("DEPOT_SECTION: has 2 depots, and nothing says at which"))
        << section;
  }
}

TEST(VrplibDialects, NamesTheSectionThatMakesATypeWhatItIs) {
  constexpr char kPairs[] =
      "PICKUP_AND_DELIVERY_SECTION\n1 0 0 0 0 0 0\n2 0 0 0 0 0 0\n3 0 0 0 0 0 1\n4 0 0 0 0 0 1\n"
      "5 0 0 0 0 0 1\nDEPOT_SECTION";
  for (const auto& [type, section] : {std::pair{"PCVRP", "PRIZE_SECTION"},
                                      {"GVRP", "MUTUALLY_EXCLUSIVE_GROUP_SECTION"},
                                      {"VRPSPD", "BACKHAUL_SECTION"}}) {
    std::string text = WithTwoDepots("");
    text.replace(text.find("MDVRP"), 5, type);
    const std::string absent = Concat(section, ": absent, wanted for TYPE ", type);
    EXPECT_THAT(DialectError(text), HasSubstr(absent));
    const size_t demands = text.find("DEMAND_SECTION");
    text.replace(demands, text.find("DEPOT_SECTION") + 13 - demands, kPairs);
    if (std::string_view(type) == "VRPSPD") {
      EXPECT_EQ(ReadDialect(text).demand(4), 1) << "LKH's form of it";
    } else {
      EXPECT_THAT(DialectError(text), HasSubstr(absent));
    }
  }
}

TEST(VrplibDialects, RefusesPickupsThatTwoSectionsState) {
  EXPECT_THAT(DialectError("TYPE : VRPSPD\nDIMENSION : 2\nCAPACITY : 3\nEDGE_WEIGHT_TYPE : EUC_2D\n"
                           "NODE_COORD_SECTION\n1 0 0\n2 9 0\nBACKHAUL_SECTION\n1 0\n2 2\n"
                           "PICKUP_AND_DELIVERY_SECTION\n1 0 0 0 0 0 0\n2 0 0 0 0 0 1\nEOF\n"),
              HasSubstr("BACKHAUL_SECTION: given, and PICKUP_AND_DELIVERY_SECTION too"));
}

TEST(VrplibDialects, ReadsKeywordsBehindTheSectionThatTheyAreAbout) {
  const Instance instance = ReadDialect(
      "TYPE : ATSP\nEDGE_WEIGHT_SECTION\n0 1 2\n3 0 4\n5 6 0\n"
      "EDGE_WEIGHT_FORMAT : FULL_MATRIX\nEDGE_WEIGHT_TYPE : EXPLICIT\nDIMENSION : 3\nEOF\n");
  EXPECT_EQ(instance.Distance(2, 1), 6);
}

TEST(VrplibDialects, ReadsTheNumberOfVehiclesBehindTheirRows) {
  const Instance instance = ReadDialect(
      "TYPE : CVRP\nDIMENSION : 2\nEDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 9 0\n"
      "DEMAND_SECTION\n1 0\n2 1\nCAPACITY_SECTION\n1 3\n2 4\nVEHICLES : 2\nEOF\n");
  EXPECT_EQ(instance.vehicles().size(), 2u);
}

TEST(VrplibDialects, ReadsNoKeywordsBehindTheEnd) {
  EXPECT_THAT(DialectError("TYPE : TSP\nNODE_COORD_SECTION\n1 0 0\n2 9 0\nEOF\nDIMENSION : 2\n"),
              HasSubstr("NODE_COORD_SECTION: DIMENSION is not given"));
}

TEST(VrplibDialects, ReadsADepotSectionThatTheTextEndsWith) {
  std::string text = WithTwoDepots("");
  text.resize(text.find("-1"));
  EXPECT_EQ(ReadDialect(text).num_depots(), 2);
}

TEST(VrplibDialects, ReadsLinesThatACarriageReturnEnds) {
  std::string text = WithTwoDepots("");
  std::replace(text.begin(), text.end(), '\n', '\r');
  EXPECT_EQ(ReadDialect(text).num_depots(), 2);
  text.replace(text.find("CAPACITY"), 8, "NONSENSE");
  EXPECT_THAT(DialectError(text), HasSubstr("d.vrp:3: got \"NONSENSE\""));
}

TEST(VrplibDialects, NamesUtf16) {
  for (const bool marked : {true, false}) {
    std::string wide = marked ? "\xFF\xFE" : "";
    for (const char c : WithTwoDepots("")) wide += {c, '\0'};
    EXPECT_THAT(DialectError(wide), HasSubstr("d.vrp: is UTF-16 text, wanted UTF-8"));
  }
}

TEST(VrplibDialects, ReadsAFileThatBeginsWithItsNameAlone) {
  EXPECT_EQ(ReadDialect("Leuven1\t\n" + ATour("EUC_2D", kOnTheWay)).name(), "Leuven1");
  EXPECT_THAT(DialectError("Leuven1 2 3\n" + ATour("EUC_2D", kOnTheWay)),
              HasSubstr("d.vrp:1: got \"Leuven1\", which is no keyword known here"));
}

TEST(SolomonDialects, ReadsTablesInWhateverCaseAndWithoutAName) {
  const std::string tables =
      "Vehicle\r\nNumber\tCapacity\r\n25\t200\r\nCustomer\r\nCust No. X Y Demand Ready Due "
      "Service\r\n"
      "0 40 50 0 0 1236 0\r\n1 45.5 68 10.0 912 967 90\r\n";
  EXPECT_EQ(ReadDialect("C101\r\n\r\n" + tables).name(), "C101");
  EXPECT_EQ(ReadDialect(tables).name(), "d");
  EXPECT_EQ(ReadDialect(tables).position(1).x, 45.5);
}

TEST(VrplibDialects, GuessesThePlainTypesAlone) {
  const std::string capacity = "CAPACITY : 9\n";
  EXPECT_EQ(ReadDialect(AFile("", capacity, kDemands)).kind(), ProblemKind::kCvrp);
  EXPECT_EQ(ReadDialect(AFile("", capacity, std::string(kDemands) + kWindows)).kind(),
            ProblemKind::kVrptw);
  EXPECT_THAT(DialectError(AFile("", capacity, "")), HasSubstr("TYPE: absent"));
  EXPECT_THAT(DialectError(AFile("", capacity,
                                 std::string(kDemands) + "BACKHAUL_SECTION\n1 0\n2 0\n3 0\n4 1\n")),
              HasSubstr("TYPE: absent"));
}

TEST(VrplibDialects, NamesTheTypeBeforeTheSectionsOfProblemsThatAreNotKnown) {
  EXPECT_THAT(DialectError("NAME: e\nTYPE: SOP\nDIMENSION: 2\nEDGE_WEIGHT_SECTION\n2\n0 1\n-1 0\n"),
              HasSubstr("d.vrp:2: TYPE: got \"SOP\", which is not supported; wanted one of TSP"));
  EXPECT_THAT(DialectError("TYPE: TOUR\nDIMENSION: 2\nTOUR_SECTION\n1\n2\n-1\n"),
              HasSubstr("TYPE: got TOUR, which is a plan and no instance"));
}

TEST(VrplibDialects, ReadsPyvrpsVehicles) {
  const Instance instance = ReadDialect(AFile(
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
  // Customer 4 is for vehicle 3 alone.
  EXPECT_TRUE(CheckPlan(instance, {{.customers = {1, 2}}, {1, {3}}}).feasible);
  EXPECT_FALSE(CheckPlan(instance, {{.customers = {3}}, {1, {1, 2}}}).feasible);
}

TEST(VrplibDialects, RefusesListsOfWhatIsNotThere) {
  const std::string keywords = "VEHICLES : 2\nCAPACITY : 9\n";
  for (const auto& [lists, error] : std::vector<std::pair<std::string, std::string>>{
           {"VEHICLES_ALLOWED_CLIENTS_SECTION\n1 2 5\n2 3\n", "got node 5, wanted 1 to 4"},
           {"VEHICLES_ALLOWED_CLIENTS_SECTION\n1 2 x\n2 3\n", "got \"x\", wanted an integer"},
           {"VEHICLES_ALLOWED_CLIENTS_SECTION\n1 2\n",
            "wanted an integer: the number of a vehicle"},
           {"VEHICLES_RELOAD_DEPOT_SECTION\n1 1\n1 1\n", "vehicle 1 given twice"},
           {"MUTUALLY_EXCLUSIVE_GROUP_SECTION\n1 2 0\n", "got node 0, wanted 1 to 4"},
           {"MUTUALLY_EXCLUSIVE_GROUP_SECTION\n1 2 2\n", "alternative_groups[0]"}}) {
    EXPECT_THAT(DialectError(AFile("CVRP", keywords, kDemands + lists)), HasSubstr(error)) << lists;
  }
}

TEST(VrplibDialects, RefusesReloadsElsewhere) {
  EXPECT_THAT(DialectError(AFile("MTVRP", "VEHICLES : 1\nCAPACITY : 9\n",
                                 std::string(kDemands) + "VEHICLES_RELOAD_DEPOT_SECTION\n1 2\n")),
              HasSubstr("wanted one of DEPOT_SECTION"));
}

TEST(VrplibDialects, ReadsHowOftenEachVehicleReloads) {
  const std::string counts = "VEHICLES_MAX_RELOADS_SECTION\n1 1\n2 3\n";
  const std::string sections =
      std::string(kDemands) + counts + "VEHICLES_RELOAD_DEPOT_SECTION\n1 1\n2 1\n";
  const std::string keywords = "VEHICLES : 2\nCAPACITY : 9\n";
  const Instance instance = ReadDialect(AFile("MTVRP", keywords, sections));
  ASSERT_EQ(instance.vehicles().size(), 2u);
  EXPECT_EQ(instance.vehicles()[0].max_reloads, 1);
  EXPECT_EQ(instance.vehicles()[1].max_reloads, 3);
  EXPECT_THAT(DialectError(AFile("MTVRP", keywords + "VEHICLES_MAX_RELOADS : 2\n", sections)),
              HasSubstr("VEHICLES_MAX_RELOADS_SECTION: given, and VEHICLES_MAX_RELOADS too"));
}

TEST(VrplibDialects, AShortFileTakesLittleWhateverItsNumbers) {
  const Instance instance =
      ReadDialect(AFile("CVRP", "VEHICLES : 1000000\nCAPACITY : 9\n", kDemands));
  ASSERT_EQ(instance.vehicles().size(), 1u);
  EXPECT_EQ(instance.vehicles().front().count, 1'000'000);
  EXPECT_THAT(DialectError(AFile(
                  "CVRP", "VEHICLES : 1\nCAPACITY : 9\nVEHICLES_MAX_RELOADS : 1e300\n", kDemands)),
              HasSubstr("VEHICLES_MAX_RELOADS: got 1e+300, wanted a whole number from 0 to"));
  std::string sets = "VEHICLES_ALLOWED_CLIENTS_SECTION\n";
  std::string set;
  for (int vehicle = 1; vehicle <= 65; ++vehicle) {
    set += " 2";  // as often as nobody else has it
    sets += Concat(vehicle, set, "\n");
  }
  EXPECT_THAT(DialectError(AFile("CVRP", "VEHICLES : 65\nCAPACITY : 9\n", kDemands + sets)),
              HasSubstr("has 65 different sets, supported are 64"));
}

TEST(VrplibDialects, ReadsPyvrpsCustomers) {
  const Instance instance =
      ReadDialect(AFile("PCVRPTW", "CAPACITY : 9\n",
                        std::string(kDemands) + kWindows +
                            "RELEASE_TIME_SECTION\n1 0\n2 7\n3 0\n4 0\n"
                            "PRIZE_SECTION\n1 0\n2 0\n3 6\n4 6\n"
                            "MUTUALLY_EXCLUSIVE_GROUP_SECTION\n1 2\n2 3 4\n"));
  EXPECT_EQ(instance.metric(), Metric::kDimacs);
  EXPECT_THAT(instance.data().releases, ElementsAre(0, 7, 0, 0));
  EXPECT_THAT(instance.data().prizes, ElementsAre(kNoLimit, kNoLimit, 6, 6));  // 0 is none
  EXPECT_THAT(instance.data().alternative_groups, ElementsAre(ElementsAre(2, 3)));
}

TEST(VrplibDialects, TellsPickupsFromBackhaulsByTheType) {
  const std::string sections = std::string(kDemands) + "BACKHAUL_SECTION\n1 0\n2 0\n3 0\n4 1\n";
  const Instance both = ReadDialect(AFile("VRPSPD", "CAPACITY : 9\n", sections));
  EXPECT_THAT(both.data().pickups, ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(both.data().backhauls, IsEmpty());
  const Instance last = ReadDialect(AFile("VRPB", "CAPACITY : 9\n", sections));
  EXPECT_THAT(last.data().pickups, IsEmpty());
  EXPECT_THAT(last.data().backhauls, ElementsAre(0, 0, 0, 1));
}

TEST(VrplibDialects, WritesPickupsAndBackhaulsAsItReadsThem) {
  const std::string sections = std::string(kDemands) + "BACKHAUL_SECTION\n1 0\n2 0\n3 0\n4 1\n";
  for (const std::string type : {"VRPSPD", "VRPB", "VRPSPDTW", "VRPBTW"}) {
    const Instance instance = ReadDialect(AFile(
        type, "CAPACITY : 9\n", sections + (type.ends_with("TW") ? std::string(kWindows) : "")));
    const absl::StatusOr<std::string> written =
        WriteInstance(instance, {.format = WrittenFormat::kVrplib});
    ASSERT_TRUE(written.ok()) << written.status();
    EXPECT_THAT(*written, HasSubstr("TYPE : " + type + "\n"));
    EXPECT_EQ(ReadDialect(*written).data().pickups, instance.data().pickups);
  }
}

TEST(VrplibDialects, ReadsLkhsListOfBackhauls) {
  const Instance instance = ReadDialect(AFile(
      "VRPBTW", "CAPACITY : 9\n", std::string(kDemands) + kWindows + "BACKHAUL_SECTION\n3 4 -1\n"));
  EXPECT_THAT(instance.data().demands, ElementsAre(0, 1, 0, 0));
  EXPECT_THAT(instance.data().backhauls, ElementsAre(0, 0, 2, 3));
}

TEST(VrplibDialects, ReadsLkhsPairs) {
  const Instance instance = ReadDialect(
      AFile("PDPTW", "CAPACITY : 9\n",
            "PICKUP_AND_DELIVERY_SECTION\n1 0 0 99 0 0 0\n2 -5 0 90 1 4 0\n3 0 2 80 0 0 0\n"
            "4 5 0 70 3 0 2\n"));
  EXPECT_EQ(instance.metric(), Metric::kExact);
  ASSERT_EQ(instance.data().shipments.size(), 1u);
  EXPECT_EQ(instance.data().shipments[0].pickup, 3);
  EXPECT_EQ(instance.data().shipments[0].delivery, 1);
  EXPECT_THAT(instance.data().shipments[0].amounts, ElementsAre(5));
  EXPECT_EQ(instance.window(2), (TimeWindow{2, 80}));
  EXPECT_EQ(instance.service(3), 3);
  EXPECT_THAT(DialectError(AFile("PDPTW", "CAPACITY : 9\n",
                                 "PICKUP_AND_DELIVERY_SECTION\n1 0 0 99 0 0 0\n2 -5 0 90 1 3 0\n"
                                 "3 0 2 80 0 0 0\n4 5 0 70 3 0 2\n")),
              HasSubstr("PICKUP_AND_DELIVERY_SECTION: node 2: wanted node 3 to name it"));
}

TEST(VrplibDialects, ReadsLkhsDeliveriesWithPickups) {
  const Instance instance = ReadDialect(
      AFile("VRPSPDTW", "CAPACITY : 9\n",
            "PICKUP_AND_DELIVERY_SECTION\n1 0 0 99 0 0 0\n2 0 0 90 1 4 2\n3 0 2 80 0 0 1\n"
            "4 0 0 70 3 5 0\n"));
  EXPECT_THAT(instance.data().pickups, ElementsAre(0, 4, 0, 5));
  EXPECT_THAT(instance.data().demands, ElementsAre(0, 2, 1, 0));
}

TEST(VrplibDialects, OpenRoutesDoNotComeBack) {
  const Instance instance = ReadDialect(AFile("OVRP", "CAPACITY : 9\n", kDemands));
  EXPECT_TRUE(instance.vehicles()[0].open_end);
}

TEST(VrplibDialects, WithoutADepotSectionTheFirstNodeIsTheDepot) {
  std::string text = AFile("CVRP", "CAPACITY : 9\n", kDemands);
  text.erase(text.find("DEPOT_SECTION"), std::string("DEPOT_SECTION\n1\n-1\n").size());
  EXPECT_EQ(ReadDialect(text).num_depots(), 1);
}

TEST(VrplibDialects, ReadsToursFromTheFirstNodeOn) {
  const Instance tsp = ReadDialect(ATour("EUC_2D", kOnTheWay));
  const auto file =
      ParseVrplibSolution("TYPE : TOUR\nDIMENSION : 3\nTOUR_SECTION\n3\n1\n2\n-1\nEOF\n", "t", tsp);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_THAT(file->plan[0].customers, ElementsAre(1, 2));
  EXPECT_FALSE(ParseVrplibSolution("TOUR_SECTION\n1\n2\n4\n-1\n", "t", tsp).ok());
  EXPECT_FALSE(ParseVrplibSolution("TOUR_SECTION\n3\n2\n-1\n", "t", tsp).ok());
  // LKH writes one more depot for each further vehicle.
  const Instance cvrp = ReadDialect(AFile("CVRP", "CAPACITY : 9\n", kDemands));
  const auto routes = ParseVrplibSolution("TOUR_SECTION\n1\n2\n5\n3\n4\n-1\n", "t", cvrp);
  ASSERT_TRUE(routes.ok()) << routes.status();
  ASSERT_EQ(routes->plan.size(), 2u);
  EXPECT_THAT(routes->plan[1].customers, ElementsAre(2, 3));
}

TEST(VrplibDialects, SkipsTheHeadingsOfPublishedSolutions) {
  const Instance cvrp = ReadDialect(AFile("CVRP", "CAPACITY : 9\n", kDemands));
  const auto file = ParseVrplibSolution(
      "Instance name :\tc101\nAuthors :\tA. and B.\nDate :\t1996\nReference :\tpage 4\nSolution\n"
      "Route 1 : 1 3\nRoute 2 : 2\nCost: 24\nOptimal: True\n",
      "s", cvrp);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->plan.size(), 2u);
  EXPECT_EQ(file->cost, 24);
  EXPECT_FALSE(ParseVrplibSolution("Ruote 1 : 1 3\nRoute 1 : 2\n", "s", cvrp).ok());
}

}  // namespace
}  // namespace vrp
