// Tests that habit models are named like others and never used to plan routes alone.
#include <string>

#include "core/habits/counts/count_legs.h"
#include "core/model/habits/habit_model_files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/habits/habits_testing.h"
#include "tests/registry/registry_fixture.h"

namespace vrp {
namespace {

using testing::HasSubstr;

class HabitModelsTest : public test::RegistryTest {
 protected:
  // Returns a staging folder with a habit model.
  std::string Stage() {
    const std::string staging = *registry_->StagingDirectory();
    const RouteHistory history =
        test::HistoryOf({{.day = 1, .driver = "ann", .stops = {"a1", "b1"}}});
    ModelCard card;
    card.created = absl::Now();
    EXPECT_TRUE(WriteCountModel(staging, LegCounter(history, 1, 2, 1).Count({}), {},
                                {.history = "datasets/past", .routes = 1}, card)
                    .ok());
    return staging;
  }

  const std::unique_ptr<Registry> registry_ = Open();
};

TEST_F(HabitModelsTest, LoadsOneByVersionAndByAlias) {
  ASSERT_TRUE(registry_->Publish("drivers", Stage()).ok());
  ASSERT_TRUE(registry_->SetAlias("drivers", "production", 1).ok());
  for (const ModelReference& reference :
       {ModelReference{"drivers"}, ModelReference{"drivers", 0, "production"}}) {
    const auto loaded = registry_->LoadHabits(reference);
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    EXPECT_TRUE(loaded->model->KnowsDriver("ann"));
  }
}

TEST_F(HabitModelsTest, RefusesToPlanRoutesWithOne) {
  ASSERT_TRUE(registry_->Publish("drivers", Stage()).ok());
  const auto used = registry_->Use({"drivers"});
  EXPECT_EQ(used.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(used.status().message()),
              HasSubstr("models/drivers/versions/1: is a habit model"));
  EXPECT_THAT(std::string(registry_->LoadDispatch({"drivers"}).status().message()),
              HasSubstr("models/drivers/versions/1: is a model of the architecture habits"));
}

TEST_F(HabitModelsTest, RefusesAModelThatPlansRoutesAsHabits) {
  ASSERT_TRUE(Publish(*registry_, "alpha").ok());
  const auto loaded = registry_->LoadHabits({"alpha"});
  EXPECT_EQ(loaded.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(loaded.status().message()),
              HasSubstr("models/alpha/versions/1: is a model of the architecture ptrnet"));
}

TEST_F(HabitModelsTest, ImportsOneWithAMatchingCard) {
  const auto imported = registry_->Import("drivers", Stage());
  ASSERT_TRUE(imported.ok()) << imported.status();
  EXPECT_TRUE(registry_->LoadHabits({"drivers", 1}).ok());
  const std::string staging = Stage();
  auto card = ParseModelCard(*ReadFile(Concat(staging, "/", kCardFile)), "card");
  card->parameters = 7;
  ASSERT_TRUE(AtomicWriteFile(Concat(staging, "/", kCardFile), WriteModelCard(*card)).ok());
  const auto refused = registry_->Import("drivers", staging);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("parameters: got 7"));
}

}  // namespace
}  // namespace vrp
