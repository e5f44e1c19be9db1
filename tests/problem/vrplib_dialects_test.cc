// Tests keywords, types and line endings of CVRPLIB, TSPLIB, LKH, PyVRP and Solomon files.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/problem/vrplib_texts.h"

namespace vrp {
namespace {

using test::CvrpText;
using test::DialectError;
using test::kDemandSection;
using test::kTriangle;
using test::kWindowSection;
using test::ReadDialect;
using test::TspText;
using test::TwoDepotText;
using testing::HasSubstr;

TEST(VrplibDialects, SkipsCommentsAndAcceptsKeysWithoutAColon) {
  const Instance instance = ReadDialect(
      "NAME\tc\nTYPE CVRP\nDIMENSION\t2\nCAPACITY 7\n# no more\nEDGE_WEIGHT_TYPE  EUC_2D\n"
      "NODE_COORD_SECTION :\n1 0 0 # here\n# there\n2 3 4\nDEMAND_SECTION\n# none\n1 0\n2 5\n"
      "DEPOT_SECTION\n1 # first\n-1\n");
  EXPECT_EQ(instance.name(), "c");
  EXPECT_EQ(instance.Distance(0, 1), 5);
  EXPECT_EQ(instance.demand(1), 5);
}

TEST(VrplibDialects, AcceptsAByteOrderMarkAndRefusesAnEmptyFile) {
  EXPECT_EQ(ReadDialect("\xEF\xBB\xBF" + TspText("EUC_2D", kTriangle)).num_nodes(), 3);
  EXPECT_THAT(DialectError(" \n"), HasSubstr("d.vrp: no known format (it is empty)"));
}

TEST(VrplibDialects, NamesTheSectionThatATypeRequires) {
  constexpr char kPairs[] =
      "PICKUP_AND_DELIVERY_SECTION\n1 0 0 0 0 0 0\n2 0 0 0 0 0 0\n3 0 0 0 0 0 1\n4 0 0 0 0 0 1\n"
      "5 0 0 0 0 0 1\nDEPOT_SECTION";
  for (const auto& [type, section] : {std::pair{"PCVRP", "PRIZE_SECTION"},
                                      {"GVRP", "MUTUALLY_EXCLUSIVE_GROUP_SECTION"},
                                      {"VRPSPD", "BACKHAUL_SECTION"}}) {
    std::string text = TwoDepotText("");
    text.replace(text.find("MDVRP"), 5, type);
    const std::string absent = Concat(section, ": absent, wanted for TYPE ", type);
    EXPECT_THAT(DialectError(text), HasSubstr(absent));
    const size_t demands = text.find("DEMAND_SECTION");
    text.replace(demands, text.find("DEPOT_SECTION") + 13 - demands, kPairs);
    if (std::string_view(type) == "VRPSPD") {
      EXPECT_EQ(ReadDialect(text).demand(4), 1)
          << "PICKUP_AND_DELIVERY_SECTION of LKH must be accepted too";
    } else {
      EXPECT_THAT(DialectError(text), HasSubstr(absent));
    }
  }
}

TEST(VrplibDialects, ReadsKeywordsAfterTheSectionThatNeedsThem) {
  const Instance instance = ReadDialect(
      "TYPE : ATSP\nEDGE_WEIGHT_SECTION\n0 1 2\n3 0 4\n5 6 0\n"
      "EDGE_WEIGHT_FORMAT : FULL_MATRIX\nEDGE_WEIGHT_TYPE : EXPLICIT\nDIMENSION : 3\nEOF\n");
  EXPECT_EQ(instance.Distance(2, 1), 6);
}

TEST(VrplibDialects, IgnoresKeywordsAfterTheEnd) {
  EXPECT_THAT(DialectError("TYPE : TSP\nNODE_COORD_SECTION\n1 0 0\n2 9 0\nEOF\nDIMENSION : 2\n"),
              HasSubstr("NODE_COORD_SECTION: DIMENSION is not given"));
}

TEST(VrplibDialects, ReadsCarriageReturnsAsLineBreaks) {
  std::string text = TwoDepotText("");
  std::replace(text.begin(), text.end(), '\n', '\r');
  EXPECT_EQ(ReadDialect(text).num_depots(), 2);
  text.replace(text.find("CAPACITY"), 8, "NONSENSE");
  EXPECT_THAT(DialectError(text), HasSubstr("d.vrp:3: got \"NONSENSE\""));
}

TEST(VrplibDialects, RefusesUtf16AndNamesTheEncoding) {
  for (const bool marked : {true, false}) {
    std::string wide = marked ? "\xFF\xFE" : "";
    for (const char c : TwoDepotText("")) wide += {c, '\0'};
    EXPECT_THAT(DialectError(wide), HasSubstr("d.vrp: is UTF-16 text, wanted UTF-8"));
  }
}

TEST(VrplibDialects, ReadsANameWithoutAKeyword) {
  EXPECT_EQ(ReadDialect("Leuven1\t\n" + TspText("EUC_2D", kTriangle)).name(), "Leuven1");
  EXPECT_THAT(DialectError("Leuven1 2 3\n" + TspText("EUC_2D", kTriangle)),
              HasSubstr("d.vrp:1: got \"Leuven1\", which is not a known keyword"));
}

TEST(SolomonDialects, ReadsTablesInAnyCaseAndWithoutAName) {
  const std::string tables =
      "Vehicle\r\nNumber\tCapacity\r\n25\t200\r\nCustomer\r\nCust No. X Y Demand Ready Due "
      "Service\r\n"
      "0 40 50 0 0 1236 0\r\n1 45.5 68 10.0 912 967 90\r\n";
  EXPECT_EQ(ReadDialect("C101\r\n\r\n" + tables).name(), "C101");
  EXPECT_EQ(ReadDialect(tables).name(), "d");
  EXPECT_EQ(ReadDialect(tables).position(1).x, 45.5);
}

TEST(VrplibDialects, InfersPlainTypesOnly) {
  const std::string capacity = "CAPACITY : 9\n";
  EXPECT_EQ(ReadDialect(CvrpText("", capacity, kDemandSection)).kind(), ProblemKind::kCvrp);
  EXPECT_EQ(
      ReadDialect(CvrpText("", capacity, std::string(kDemandSection) + kWindowSection)).kind(),
      ProblemKind::kVrptw);
  EXPECT_THAT(DialectError(CvrpText("", capacity, "")), HasSubstr("TYPE: absent"));
  EXPECT_THAT(
      DialectError(CvrpText(
          "", capacity, std::string(kDemandSection) + "BACKHAUL_SECTION\n1 0\n2 0\n3 0\n4 1\n")),
      HasSubstr("TYPE: absent"));
}

TEST(VrplibDialects, ReadsNoDemandsWithoutTypeButWithAFleet) {
  const Instance instance = ReadDialect(CvrpText("", "CAPACITY : 9\nVEHICLES : 2\n", ""));
  EXPECT_EQ(instance.kind(), ProblemKind::kCvrp);
  EXPECT_EQ(instance.demand(1), 0);
  EXPECT_EQ(instance.vehicles()[0].count, 2);
}

TEST(VrplibDialects, ReadsNodesNumberedFrom0And2) {
  const std::string text = CvrpText("CVRP", "CAPACITY : 9\n", kDemandSection);
  std::string other = text;
  const size_t row = other.find("SECTION\n1 ") + 8;
  other[row] = '0';
  EXPECT_EQ(ReadDialect(other).data(), ReadDialect(text).data());
  EXPECT_THAT(DialectError(CvrpText("CVRP", "CAPACITY : 9\n", "DEMAND_SECTION\n0 0\n1 1\n")),
              HasSubstr("got node 0, wanted 1 to 4"));
}

TEST(VrplibDialects, ReportsAnUnknownTypeBeforeErrorsOfItsSections) {
  EXPECT_THAT(DialectError("NAME: e\nTYPE: SOP\nDIMENSION: 2\nEDGE_WEIGHT_SECTION\n2\n0 1\n-1 0\n"),
              HasSubstr("d.vrp:2: TYPE: got \"SOP\", which is not supported; wanted one of TSP"));
  EXPECT_THAT(DialectError("TYPE: TOUR\nDIMENSION: 2\nTOUR_SECTION\n1\n2\n-1\n"),
              HasSubstr("TYPE: got TOUR, which is a plan, not an instance"));
}

}  // namespace
}  // namespace vrp
