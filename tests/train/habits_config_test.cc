// Tests the configurations of habit models.
#include <string>
#include <vector>

#include "core/train/config/data_files.h"
#include "core/train/config/log_days.h"
#include "core/train/config/training_config.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/train/config_text.h"

namespace vrp {
namespace {

using test::ExpectReadsBack;
using test::MessageOf;
using test::ReadText;

constexpr char kHabits[] = "name: ours\nmodel: habits\nhabits: {history: datasets/past}\n";

TEST(HabitsConfigTest, HasItsOwnDefaults) {
  const auto config = ParseTrainingConfig(kHabits, "f.yaml");
  ASSERT_TRUE(config.ok()) << config.status();
  ASSERT_TRUE(config->habits.has_value());
  EXPECT_FALSE(config->PlansRoutes());
  EXPECT_EQ(config->ArchitectureName(), "habits");
  EXPECT_EQ(config->habits->history, "datasets/past");
  EXPECT_EQ(config->habits->validation_days, 7);
  EXPECT_EQ(config->epochs, 4);
}

TEST(HabitsConfigTest, IsTheShippedOneBesideNameAndHistory) {
  auto shipped = ParseTrainingConfig(ReadText("configs/habits.yaml"), "habits.yaml");
  ASSERT_TRUE(shipped.ok()) << shipped.status();
  auto config = ParseTrainingConfig(kHabits, "f.yaml");
  config->name = shipped->name;
  config->source = shipped->source;
  config->habits->history = shipped->habits->history;
  EXPECT_EQ(*config, *shipped);
}

TEST(HabitsConfigTest, ResolvesToTheKeysThatItReads) {
  ExpectReadsBack(kHabits, {"habits.half_lives=[3]", "habits.refit=true", "validation.days=2"});
  const auto resolved = ResolveTrainingConfig(kHabits, "f.yaml");
  ASSERT_TRUE(resolved.ok()) << resolved.status();
  std::vector<std::string> keys;
  for (const auto& [key, value] : resolved->settings) keys.push_back(key);
  EXPECT_THAT(
      keys, testing::ElementsAre("habits.half_lives", "habits.history", "habits.learner",
                                 "habits.refit", "habits.zones", "model", "name", "schema_version",
                                 "training.epochs", "training.seed", "validation.days"));
  EXPECT_EQ(resolved->settings.at("validation.days"), "7");
}

TEST(HabitsConfigTest, TheTransformerHasDefaultsOfItsOwn) {
  auto shipped =
      ParseTrainingConfig(ReadText("configs/habits_transformer.yaml"), "habits_transformer.yaml");
  ASSERT_TRUE(shipped.ok()) << shipped.status();
  EXPECT_EQ(shipped->habits->learner, HabitsLearner::kTransformer);
  auto config = ParseTrainingConfig(kHabits, "f.yaml", {"habits.learner=transformer"});
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->batch_size, 16);
  config->name = shipped->name;
  config->source = shipped->source;
  config->habits->history = shipped->habits->history;
  EXPECT_EQ(*config, *shipped);
}

TEST(HabitsConfigTest, RefusesSettingsOfTheOtherLearner) {
  const auto error = [](const char* setting, const char* learner) {
    return MessageOf(ParseTrainingConfig(kHabits, "f.yaml", {learner, setting}));
  };
  EXPECT_EQ(error("habits.layers=3", "habits.learner=counts"),
            "--set: habits.layers: got \"3\", wanted none without habits.learner: transformer");
  EXPECT_EQ(error("habits.refit=true", "habits.learner=transformer"),
            "--set: habits.refit: got \"true\", wanted none without habits.learner: counts");
  EXPECT_EQ(error("training.amp=true", "habits.learner=transformer"),
            "--set: training.amp: got \"true\", wanted none with model: habits, which does not "
            "read it");
  EXPECT_EQ(error("habits.heads=3", "habits.learner=transformer"),
            "--set: habits.heads: got \"3\", wanted a divisor of habits.width, 64");
}

TEST(HabitsConfigTest, NamesItsHistory) {
  const std::vector<NamedData> named = DataReadBy(*ParseTrainingConfig(kHabits, "f.yaml"));
  ASSERT_EQ(named.size(), 1u);
  EXPECT_EQ(named[0].key, "habits.history");
  EXPECT_EQ(named[0].name, "datasets/past");
}

TEST(HabitsConfigTest, RefusesSettingsWithoutEffect) {
  const auto error = [](const char* setting) {
    return MessageOf(ParseTrainingConfig(kHabits, "f.yaml", {setting}));
  };
  const std::string none = ", wanted none with model: habits, which does not read it";
  EXPECT_EQ(error("training.learning_rate=0.1"),
            "--set: training.learning_rate: got \"0.1\"" + none);
  EXPECT_EQ(error("training.amp=true"), "--set: training.amp: got \"true\"" + none);
  EXPECT_EQ(error("problem.customers=7"), "--set: problem.customers: got \"7\"" + none);
  EXPECT_EQ(error("validation.seed=7"), "--set: validation.seed: got \"7\"" + none);
  EXPECT_EQ(error("validation.shifts=[0]"),
            "--set: validation.shifts: got a list, wanted none without model: dispatch");
}

TEST(HabitsConfigTest, NamesTheKeyOfAWrongValue) {
  const auto error = [](const char* setting) {
    return MessageOf(ParseTrainingConfig(kHabits, "f.yaml", {setting}));
  };
  EXPECT_EQ(error("habits.learner=markov"),
            "--set: habits.learner: got \"markov\", wanted \"counts\" or \"transformer\"");
  EXPECT_EQ(error("habits.zones=51"),
            "--set: habits.zones: got \"51\", wanted an integer from 0 to 50");
  EXPECT_EQ(error("habits.half_lives=[30, 7]"),
            "--set: habits.half_lives: got a list, wanted a number from 0 to 36500, or an "
            "ascending list of them");
  EXPECT_EQ(error("validation.days=0"),
            "--set: validation.days: got \"0\", wanted an integer from 1 to 100000");
  EXPECT_THAT(error("habits.history="),
              testing::HasSubstr("habits.history: got nothing, wanted a file or dataset"));
  EXPECT_EQ(MessageOf(ParseTrainingConfig("name: a\nmodel: habits\n", "f.yaml")),
            "f.yaml:1: habits.history: missing");
}

TEST(HabitsConfigTest, IsAForeignSectionOfOtherModels) {
  const auto config = ParseTrainingConfig(kHabits, "f.yaml", {"model=gt"});
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_FALSE(config->habits.has_value());
  EXPECT_TRUE(config->PlansRoutes());
}

TEST(CheckHistoryDaysTest, WantsADayBeforeThoseOfTheValidation) {
  HabitsConfig config;
  config.validation_days = 3;
  EXPECT_TRUE(CheckHistoryDays(config, 4).ok());
  EXPECT_EQ(std::string(CheckHistoryDays(config, 3).message()),
            "has 3 days with routes, wanted at least 4: 3 to validate (validation.days) and one to "
            "learn from; lower it, or give a longer history");
}

}  // namespace
}  // namespace vrp
