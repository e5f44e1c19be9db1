#include "core/problem/instance/fields.h"

#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

template <typename Object>
std::vector<std::string> Names() {
  std::vector<std::string> names;
  ForEachField<Object>([&](auto field) { names.emplace_back(field.name); });
  return names;
}

TEST(FieldsTest, CountsTheMembersOfAnAggregate) {
  struct Three {
    int a;
    std::string b;
    std::vector<TimeWindow> c;
  };
  EXPECT_EQ(MemberCount<Three>(), 3u);
  EXPECT_EQ(MemberCount<TimeWindow>(), 3u);
}

TEST(FieldsTest, ListsTheFieldsOfSmallStructsInOrder) {
  EXPECT_THAT(Names<TimeWindow>(), ElementsAre("open", "close", "late_cost"));
  EXPECT_THAT(Names<Break>(), ElementsAre("window", "duration", "further_windows", "max_load"));
  EXPECT_THAT(Names<CustomerTimes>(), ElementsAre("customer", "service", "setup"));
  EXPECT_THAT(Names<Shipment>(), ElementsAre("id", "pickup", "delivery", "amount"));
  EXPECT_THAT(Names<Position>(), ElementsAre("x", "y"));
  EXPECT_THAT(Names<FeatureColumn>(), ElementsAre("name", "values"));
}

TEST(FieldsTest, PassesMembersByReference) {
  VehicleType vehicle;
  ForEachField(vehicle, [](auto field, auto& value) {
    if constexpr (field.kKind == FieldKind::kLimit) value = field.is_distance ? 5 : 7;
  });
  EXPECT_EQ(vehicle, (VehicleType{.max_duration = 7, .max_distance = 5}));
}

TEST(FieldsTest, GivesTheDefaultOfEachField) {
  const VehicleType vehicle;
  ForEachField(vehicle, [](auto field, const auto& value) {
    EXPECT_EQ(field.Default(), value) << field.name;
  });
  ForEachNodeField([](auto field) {
    if constexpr (field.kKind == FieldKind::kPrize) {
      EXPECT_EQ(field.Default(), kNoLimit);
    }
    if constexpr (field.kKind == FieldKind::kLoad) {
      EXPECT_EQ(field.Default(), 0);
    }
  });
}

TEST(FieldsTest, NamesEachVectorOfNodesOnce) {
  std::set<std::string_view> lists;
  const InstanceData data;
  ForEachNodeField(data, [&](auto field, const auto& values) {
    EXPECT_TRUE(values.empty());
    EXPECT_TRUE(lists.insert(field.list).second) << field.list;
  });
  EXPECT_THAT(lists, Contains("services"));
  EXPECT_THAT(lists, Not(Contains("vehicles")));
}

// Sample records hold these values consecutively, without names.
TEST(FieldsTest, KeepsTheOrderOfSampleRecords) {
  std::vector<std::string_view> recorded;
  ForEachField<InstanceData>([&](auto field) {
    if (field.sampled) recorded.push_back(field.list);
  });
  EXPECT_THAT(recorded, ElementsAre("kind", "metric", "num_depots", "speed", "positions", "demands",
                                    "backhauls", "windows", "services", "distance_matrix",
                                    "duration_matrix"));
  recorded.clear();
  ForEachField<VehicleType>([&](auto field) {
    if (field.sampled) recorded.push_back(field.name);
  });
  EXPECT_THAT(recorded, ElementsAre("count", "depot", "capacity", "max_duration", "max_distance",
                                    "open_end"));
}

TEST(FieldsTest, StopsAtTheFirstFieldThatIsNotAccepted) {
  int visited = 0;
  EXPECT_FALSE(AllFields<VehicleType>([&](auto field) {
    ++visited;
    return field.name != "depot";
  }));
  EXPECT_EQ(visited, 3);
  EXPECT_TRUE(AllFields<VehicleType>([](auto field) { return !field.name.empty(); }));
}

}  // namespace
}  // namespace vrp
