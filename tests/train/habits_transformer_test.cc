// Tests that sequence transformers learn habits, and resume.
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/cpu_pool.h"
#include "core/base/random.h"
#include "core/base/text.h"
#include "core/habits/evaluation.h"
#include "core/habits/history.h"
#include "core/model/habits/habit_model_files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/train/habits_fixture.h"

namespace vrp {
namespace {

using test::Recorder;
using testing::HasSubstr;

// Returns routes of 40 days: ann visits the streets a, c, b, and bob b, c, a, although b is between
// a and c. Each stop has a place of its own and an id that no other day has.
std::string RoutesOfNewStops() {
  std::string text;
  CounterRandom random(5);
  for (int day = 1; day <= 40; ++day) {
    for (const std::string_view driver : {"ann", "bob"}) {
      const std::string_view streets = driver == "ann" ? "acb" : "bca";
      std::string stops;
      for (const char street : streets) {
        for (int house = 1; house <= 3; ++house) {
          const double x = house + random.UniformDouble();
          const double y = 6 * (street - 'a') + random.UniformDouble();
          stops += Concat(stops.empty() ? "" : ", ", R"({"id": ")", driver, day,
                          std::string(1, street), house, R"(", "x": )", x, R"(, "y": )", y, "}");
        }
      }
      const int month = day <= 20 ? 3 : 4;
      const int date = day <= 20 ? day : day - 20;
      text +=
          Concat(R"({"day": "2026-0)", month, "-", date < 10 ? "0" : "", date, R"(", "driver": ")",
                 driver, R"(", "depot": {"x": 0, "y": -9}, "stops": [)", stops, "]}\n");
    }
  }
  return text;
}

class HabitsTransformerTest : public test::HabitsFixture {
 protected:
  HabitsTransformerTest()
      : HabitsFixture(RoutesOfNewStops(),
                      "learner: transformer, zones: 6, layers: 1, width: 32, feed_forward: 32",
                      "training: {epochs: 12, batch_size: 8, learning_rate: 0.01, warmup_steps: 0, "
                      "checkpoint_every_steps: 7}\nvalidation: {days: 8}\n") {}
};

TEST_F(HabitsTransformerTest, LearnsTheOrderOfStopsThatItHasNeverSeen) {
  Recorder recorder;
  const auto result = Train("a", recorder);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_LT(result->validation_cost, 0.7 * result->validation_reference) << recorder.log;
  EXPECT_EQ(result->reference, "distance alone");
  const auto loaded = LoadHabits(ModelOf("a"), "a");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->settings.learner, "transformer");
  EXPECT_EQ(loaded->settings.routes, 64);
  EXPECT_GT(loaded->settings.next_stop_accuracy, 0.6);
  EXPECT_EQ(loaded->card.validation_cost, result->validation_cost);
  EXPECT_TRUE(loaded->model->KnowsDriver("bob"));
  EXPECT_TRUE(loaded->model->KnowsStop("ann1a1"));
  EXPECT_FALSE(loaded->model->KnowsStop("ann40a1")) << "of the validation";
}

TEST_F(HabitsTransformerTest, PublishesWhatItValidated) {
  Recorder recorder;
  ASSERT_TRUE(Train("a", recorder, {"training.epochs=2"}).ok());
  ASSERT_EQ(recorder.epochs.size(), 2u);
  EXPECT_LT(recorder.epochs[1].validation_cost, recorder.epochs[0].validation_cost);
  const auto loaded = LoadHabits(ModelOf("a"), "a");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const auto history = ParseRouteHistory(RoutesOfNewStops(), "past");
  ASSERT_TRUE(history.ok()) << history.status();
  CpuPool pool(2);
  const HabitScore score =
      EvaluateHabits(*loaded->model, CasesOf(*history, 64), CoordinateSystem::kPlanar, pool);
  EXPECT_NEAR(-score.mean_log_probability, loaded->card.validation_cost, 0.02);
  EXPECT_EQ(score.new_choices, score.choices);
}

TEST_F(HabitsTransformerTest, HasTheSameWeightsAfterAnInterruption) {
  Recorder whole;
  ASSERT_TRUE(Train("whole", whole, {"training.epochs=3"}).ok());
  Recorder first;
  first.cancel_at = 13;
  EXPECT_TRUE(absl::IsCancelled(Train("parts", first, {"training.epochs=3"}).status()));
  EXPECT_FALSE(std::filesystem::exists(ModelOf("parts")));
  Recorder second;
  ASSERT_TRUE(Train("parts", second, {"training.epochs=3"}).ok());
  EXPECT_THAT(second.log, HasSubstr("resumed from step 13"));
  EXPECT_EQ(second.steps.front().step, 14);
  EXPECT_EQ(WeightsOf("parts"), WeightsOf("whole"));
}

TEST_F(HabitsTransformerTest, EndsEarlyWithAModel) { ExpectAModelAtTheTimeLimit("a"); }

TEST_F(HabitsTransformerTest, StopsWithoutABetterValidation) {
  Recorder recorder;
  const auto result = Train("a", recorder, {"training.patience=1", "training.learning_rate=0.5"});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->end, TrainingEnd::kNoImprovement);
  EXPECT_LT(recorder.epochs.size(), 12u);
}

TEST_F(HabitsTransformerTest, TrainsInBf16WithoutEarlierRoutes) {
  Recorder recorder;
  const auto result = Train("a", recorder, {"habits.precision=bf16", "habits.earlier_routes=0"});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_LT(result->validation_cost, 0.8 * result->validation_reference) << recorder.log;
}

}  // namespace
}  // namespace vrp
