// Tests the configurations of estimate models.
#include <string>
#include <vector>

#include "core/train/config/training_config.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/train/config_text.h"

namespace vrp {
namespace {

using test::ExpectReadsBack;
using test::MessageOf;
using test::ReadText;
using testing::HasSubstr;

constexpr char kEstimate[] = "name: ours\nmodel: estimate\n";

std::string ErrorWith(const std::string& override_text) {
  return MessageOf(ParseTrainingConfig(kEstimate, "f.yaml", {override_text}));
}

TEST(EstimateConfigTest, IsTheShippedOneBesideTheName) {
  auto shipped = ParseTrainingConfig(ReadText("configs/estimate.yaml"), "estimate.yaml");
  ASSERT_TRUE(shipped.ok()) << shipped.status();
  auto config = ParseTrainingConfig(kEstimate, "f.yaml");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_FALSE(config->PlansRoutes());
  EXPECT_EQ(config->ArchitectureName(), "estimate");
  config->name = shipped->name;
  config->source = shipped->source;
  EXPECT_EQ(*config, *shipped);
}

TEST(EstimateConfigTest, ResolvesToTheKeysThatItReads) {
  ExpectReadsBack(kEstimate, {"estimate.windows=0.25", "validation.instances=30"});
  const auto resolved = ResolveTrainingConfig(kEstimate, "f.yaml");
  ASSERT_TRUE(resolved.ok()) << resolved.status();
  const auto& settings = resolved->settings;
  EXPECT_EQ(settings.at("validation.instances"), "200");
  EXPECT_EQ(settings.at("estimate.width"), "32");
  for (const auto& [key, value] : settings) {
    EXPECT_FALSE(key.starts_with("problem.") || key.starts_with("dispatch.") ||
                 key.starts_with("habits."))
        << key;
  }
  EXPECT_FALSE(settings.contains("validation.days"));
  EXPECT_FALSE(settings.contains("validation.reference"));
}

TEST(EstimateConfigTest, RefusesWhatCannotBeTrained) {
  EXPECT_THAT(ErrorWith("estimate.max_customers=5"),
              HasSubstr("at least estimate.min_customers, 10"));
  EXPECT_THAT(ErrorWith("estimate.width=40"), HasSubstr("estimate.width"));
  EXPECT_THAT(ErrorWith("estimate.heads=5"), HasSubstr("a divisor of estimate.width, 32"));
  EXPECT_THAT(ErrorWith("estimate.validation_iterations=0"),
              HasSubstr("because estimate.validation_seconds is 0"));
  EXPECT_THAT(ErrorWith("validation.seed=1"), HasSubstr("another seed than estimate.first_seed"));
  EXPECT_THAT(ErrorWith("validation.seed=2"),
              HasSubstr("another seed than estimate.first_seed + 1"));
  EXPECT_EQ(MessageOf(ParseTrainingConfig(kEstimate, "f.yaml",
                                          {"validation.seed=2", "estimate.coarse_instances=0"})),
            "");
  EXPECT_THAT(ErrorWith("estimate.long_routes=1.5"), HasSubstr("estimate.long_routes"));
  EXPECT_THAT(ErrorWith("estimate.instances=0"), HasSubstr("estimate.instances"));
}

TEST(EstimateConfigTest, RefusesSettingsOfOtherModels) {
  EXPECT_THAT(ErrorWith("problem.customers=30"), HasSubstr("none with model: estimate"));
  EXPECT_THAT(ErrorWith("validation.days=3"), HasSubstr("none with model: estimate"));
  EXPECT_THAT(ErrorWith("validation.shifts=[1]"), HasSubstr("none without model: dispatch"));
  EXPECT_THAT(ErrorWith("training.amp=true"), HasSubstr("none with model: estimate"));
}

}  // namespace
}  // namespace vrp
