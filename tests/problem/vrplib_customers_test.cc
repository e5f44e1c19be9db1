// Tests the reader of customers in VRPLIB files.
#include <string>

#include "core/base/text.h"
#include "core/problem/formats/instance_writer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/problem/vrplib_texts.h"

namespace vrp {
namespace {

using test::CvrpText;
using test::DialectError;
using test::kDemandSection;
using test::kWindowSection;
using test::ReadDialect;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(VrplibCustomers, ReadsPyvrpsCustomers) {
  const Instance instance =
      ReadDialect(CvrpText("PCVRPTW", "CAPACITY : 9\n",
                           std::string(kDemandSection) + kWindowSection +
                               "RELEASE_TIME_SECTION\n1 0\n2 7\n3 0\n4 0\n"
                               "PRIZE_SECTION\n1 0\n2 0\n3 6\n4 9\n"
                               "MUTUALLY_EXCLUSIVE_GROUP_SECTION\n1 2\n2 3 4\n"));
  EXPECT_EQ(instance.metric(), Metric::kDimacs);
  EXPECT_THAT(instance.data().releases, ElementsAre(0, 7, 0, 0));
  // A prize of 0 is none. One of the group must be served: only the difference of prizes matters.
  EXPECT_THAT(instance.data().prizes, ElementsAre(kNoLimit, kNoLimit, kNoLimit, 3));
  EXPECT_THAT(instance.data().alternative_groups, ElementsAre(ElementsAre(2, 3)));
}

TEST(VrplibCustomers, DistinguishesPickupsFromBackhaulsByType) {
  const std::string sections =
      std::string(kDemandSection) + "BACKHAUL_SECTION\n1 0\n2 0\n3 0\n4 1\n";
  const Instance both = ReadDialect(CvrpText("VRPSPD", "CAPACITY : 9\n", sections));
  EXPECT_THAT(both.data().pickups, ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(both.data().backhauls, IsEmpty());
  const Instance last = ReadDialect(CvrpText("VRPB", "CAPACITY : 9\n", sections));
  EXPECT_THAT(last.data().pickups, IsEmpty());
  EXPECT_THAT(last.data().backhauls, ElementsAre(0, 0, 0, 1));
}

TEST(VrplibCustomers, ReadsBackPickupsAndBackhauls) {
  const std::string sections =
      std::string(kDemandSection) + "BACKHAUL_SECTION\n1 0\n2 0\n3 0\n4 1\n";
  for (const std::string type : {"VRPSPD", "VRPB", "VRPSPDTW", "VRPBTW"}) {
    const Instance instance =
        ReadDialect(CvrpText(type, "CAPACITY : 9\n",
                             sections + (type.ends_with("TW") ? std::string(kWindowSection) : "")));
    const absl::StatusOr<std::string> written =
        WriteInstance(instance, {.format = WrittenFormat::kVrplib});
    ASSERT_TRUE(written.ok()) << written.status();
    EXPECT_THAT(*written, HasSubstr("TYPE : " + type + "\n"));
    EXPECT_EQ(ReadDialect(*written).data().pickups, instance.data().pickups);
  }
}

TEST(VrplibCustomers, ReadsLkhsListOfBackhauls) {
  const Instance instance = ReadDialect(
      CvrpText("VRPBTW", "CAPACITY : 9\n",
               std::string(kDemandSection) + kWindowSection + "BACKHAUL_SECTION\n3 4 -1\n"));
  EXPECT_THAT(instance.data().demands, ElementsAre(0, 1, 0, 0));
  EXPECT_THAT(instance.data().backhauls, ElementsAre(0, 0, 2, 3));
}

TEST(VrplibCustomers, ReadsLkhsPairs) {
  const Instance instance = ReadDialect(
      CvrpText("PDPTW", "CAPACITY : 9\n",
               "PICKUP_AND_DELIVERY_SECTION\n1 0 0 99 0 0 0\n2 -5 0 90 1 4 0\n3 0 2 80 0 0 0\n"
               "4 5 0 70 3 0 2\n"));
  EXPECT_EQ(instance.metric(), Metric::kExact);
  ASSERT_EQ(instance.data().shipments.size(), 1u);
  EXPECT_EQ(instance.data().shipments[0].pickup, 3);
  EXPECT_EQ(instance.data().shipments[0].delivery, 1);
  EXPECT_THAT(instance.data().shipments[0].amounts, ElementsAre(5));
  EXPECT_EQ(instance.window(2), (TimeWindow{2, 80}));
  EXPECT_EQ(instance.service(3), 3);
  EXPECT_THAT(
      DialectError(CvrpText("PDPTW", "CAPACITY : 9\n",
                            "PICKUP_AND_DELIVERY_SECTION\n1 0 0 99 0 0 0\n2 -5 0 90 1 3 0\n"
                            "3 0 2 80 0 0 0\n4 5 0 70 3 0 2\n")),
      HasSubstr(
          "PICKUP_AND_DELIVERY_SECTION: node 2: names node 3, wanted that node to name this one"));
}

TEST(VrplibCustomers, ReadsWindowsThatPairsRepeat) {
  const std::string pairs =
      "PICKUP_AND_DELIVERY_SECTION\n1 0 0 99 0 0 0\n2 -5 0 90 1 4 0\n3 0 2 80 0 0 0\n"
      "4 5 0 70 3 0 2\n";
  const std::string windows = "TIME_WINDOW_SECTION\n1 0 99\n2 0 90\n3 2 80\n4 0 70\n";
  const Instance once = ReadDialect(CvrpText("PDPTW", "CAPACITY : 9\n", pairs));
  const Instance twice = ReadDialect(CvrpText("PDPTW", "CAPACITY : 9\n", windows + pairs));
  EXPECT_EQ(twice.data(), once.data());
  std::string other = windows;
  other.replace(other.find("2 80"), 4, "2 81");
  EXPECT_THAT(DialectError(CvrpText("PDPTW", "CAPACITY : 9\n", other + pairs)),
              HasSubstr("TIME_WINDOW_SECTION: node 3: got [2, 81], but "
                        "PICKUP_AND_DELIVERY_SECTION has [2, 80]; wanted the same"));
}

TEST(VrplibCustomers, ReadsLkhsDeliveriesWithPickups) {
  const Instance instance = ReadDialect(
      CvrpText("VRPSPDTW", "CAPACITY : 9\n",
               "PICKUP_AND_DELIVERY_SECTION\n1 0 0 99 0 0 0\n2 0 0 90 1 4 2\n3 0 2 80 0 0 1\n"
               "4 0 0 70 3 5 0\n"));
  EXPECT_THAT(instance.data().pickups, ElementsAre(0, 4, 0, 5));
  EXPECT_THAT(instance.data().demands, ElementsAre(0, 2, 1, 0));
}

TEST(VrplibCustomers, RefusesPickupsInTwoSections) {
  EXPECT_THAT(DialectError("TYPE : VRPSPD\nDIMENSION : 2\nCAPACITY : 3\nEDGE_WEIGHT_TYPE : EUC_2D\n"
                           "NODE_COORD_SECTION\n1 0 0\n2 9 0\nBACKHAUL_SECTION\n1 0\n2 2\n"
                           "PICKUP_AND_DELIVERY_SECTION\n1 0 0 0 0 0 0\n2 0 0 0 0 0 1\nEOF\n"),
              HasSubstr("d.vrp:8: BACKHAUL_SECTION: given, and PICKUP_AND_DELIVERY_SECTION too"));
}

TEST(VrplibCustomers, NamesTheLineOfASectionThatDoesNotFit) {
  EXPECT_THAT(
      DialectError(CvrpText("CVRP", "CAPACITY : 9\n", Concat(kDemandSection, kWindowSection))),
      HasSubstr("d.vrp:15: TIME_WINDOW_SECTION: given, wanted none for TYPE CVRP"));
  EXPECT_THAT(DialectError(CvrpText("VRPSPDTW", "CAPACITY : 9\n",
                                    "DEMAND_SECTION\n1 0 0\n2 1 1\n3 1 1\n4 1 1\n"
                                    "PICKUP_AND_DELIVERY_SECTION\n1 0 0 99 0 0 0\n"
                                    "2 0 0 90 1 4 2\n3 0 2 80 0 0 1\n4 0 0 70 3 5 0\n")),
              HasSubstr("d.vrp:10: DEMAND_SECTION: has 2 numbers per node, wanted 1 with"));
}

}  // namespace
}  // namespace vrp
