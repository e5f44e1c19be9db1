// Tests feature columns: JSON, rules, and formats that cannot express columns.
#include "core/problem/instance/feature_columns.h"

#include <limits>
#include <string>

#include "core/problem/formats/formats.h"
#include "core/problem/formats/instance_writer.h"
#include "core/problem/formats/json/json_writer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/feature_columns.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;
using testing::HasSubstr;

constexpr char kLine[] =
    R"({"kind": "cvrp", "coords": [[0, 0], [1, 0]], "demands": [0, 1], "capacity": 2, "features": )";

std::string FeatureRefusal(const std::string& features) {
  return std::string(ParseJson(kLine + features + "}", "own.jsonl:3").status().message());
}

TEST(FeatureColumnsTest, AreReadAndWrittenByName) {
  const auto instance =
      ParseJson(std::string(kLine) + R"({"wear": [0, 1], "early": [-1, 0.5]}})", "x");
  ASSERT_TRUE(instance.ok()) << instance.status();
  const std::vector<FeatureColumn>& features = instance->data().features;
  ASSERT_EQ(features.size(), 2u);
  EXPECT_EQ(features[0], (FeatureColumn{"early", {-1, 0.5}}));
  EXPECT_EQ(features[1], (FeatureColumn{"wear", {0, 1}}));
  EXPECT_EQ(ParseJson(WriteJson(*instance), "x")->data(), instance->data());
}

TEST(FeatureColumnsTest, AreSortedByName) {
  InstanceData data = AnInstance().WithCustomers(1).BuildData();
  data.features = {{"b", {1, 2}}, {"a", {3, 4}}};
  EXPECT_EQ(Instance::Create(data)->data().features.front().name, "a");
}

TEST(FeatureColumnsTest, ErrorsNameColumnAndNode) {
  EXPECT_THAT(FeatureRefusal("7"), HasSubstr("own.jsonl:3: features: got 7, wanted an object"));
  EXPECT_THAT(FeatureRefusal(R"({"early": [1, "x"]})"), HasSubstr("features.early"));
  EXPECT_THAT(FeatureRefusal(R"({"early": [1]})"),
              HasSubstr("features.early: has 1 entries, wanted one for each of 2 nodes"));
  EXPECT_THAT(FeatureRefusal(R"({"early": [1, -1001]})"),
              HasSubstr("features.early[1]: got -1001, wanted -1000 to 1000"));
  EXPECT_THAT(FeatureRefusal(R"({"demand": [0, 1]})"), HasSubstr("built-in input of this name"));
  EXPECT_THAT(FeatureRefusal(R"({"is_visited": [0, 1]})"),
              HasSubstr("built-in input of this name"));
  EXPECT_THAT(FeatureRefusal(R"({"two words": [0, 1]})"),
              HasSubstr("letters, digits and underscores"));
}

TEST(FeatureColumnsTest, AreLimitedInNumberAndUnique) {
  InstanceData data = AnInstance().WithCustomers(1).BuildData();
  data.features = {{"a", {1, 2}}, {"a", {3, 4}}};
  EXPECT_THAT(Instance::Validate(data).at(0), HasSubstr("\"a\" twice"));
  data.features.assign(kMaxFeatureColumns + 1, {"a", {1, 2}});
  EXPECT_THAT(Instance::Validate(data).at(0), HasSubstr("has 33 columns"));
  data.features = {{"a", {1, std::numeric_limits<double>::quiet_NaN()}}};
  EXPECT_THAT(Instance::Validate(data).at(0), HasSubstr("features.a[1]: got"));
}

TEST(FeatureColumnsTest, AreRefusedByFormatsThatCannotExpressThem) {
  const Instance instance =
      test::WithFeatures(AnInstance().WithCustomers(2).As(Metric::kRounded).Build(), {"early"});
  for (const WrittenFormat format : {WrittenFormat::kVrplib, WrittenFormat::kVroom}) {
    const absl::Status status = WriteInstance(instance, {.format = format}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
    EXPECT_THAT(std::string(status.message()), HasSubstr("features.early"));
  }
  EXPECT_TRUE(WriteInstance(instance, {.format = WrittenFormat::kJson}).ok());
}

}  // namespace
}  // namespace vrp
