// Tests that habit models are trained, validated and published.
#include "core/train/habits/habits_trainer.h"

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/file.h"
#include "core/base/random.h"
#include "core/base/text.h"
#include "core/habits/route_line.h"
#include "core/model/habits/habit_model_files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/train/habits_fixture.h"

namespace vrp {
namespace {

using test::Recorder;
using testing::HasSubstr;

// Returns routes of 16 days: ann visits the streets in the order a, c, b, and bob in the order
// b, c, a. Some stops are absent each day.
std::string PastRoutes(int days = 16) {
  std::string text;
  CounterRandom random(5);
  for (int day = 1; day <= days; ++day) {
    for (const std::string_view driver : {"ann", "bob"}) {
      const std::string_view streets = driver == "ann" ? "acb" : "bca";
      std::string stops;
      for (const char street : streets) {
        for (int house = 1; house <= 4; ++house) {
          if (random.UniformDouble() < 0.2) continue;
          stops += Concat(stops.empty() ? "" : ", ", R"({"id": ")", std::string(1, street), house,
                          R"(", "x": )", house, R"(, "y": )", 10 * (street - 'a'), "}");
        }
      }
      text += Concat(R"({"day": "2026-03-)", day < 10 ? "0" : "", day, R"(", "driver": ")", driver,
                     R"(", "depot": {"x": 0, "y": -9}, "stops": [)", stops, "]}\n");
    }
  }
  return text;
}

class HabitsTrainerTest : public test::HabitsFixture {
 protected:
  HabitsTrainerTest() : HabitsFixture(PastRoutes(), "zones: 3", "validation: {days: 4}\n") {}

  std::string ErrorOf(const std::string& history) {
    EXPECT_TRUE(AtomicWriteFile(history_, history).ok());
    const absl::Status checked = MakeHabitsTrainer()->CheckInputs(RequestFor("a", {}));
    EXPECT_EQ(checked.code(), absl::StatusCode::kInvalidArgument);
    Recorder recorder;
    const absl::Status trained = Train("a", recorder).status();
    EXPECT_EQ(trained.message(), checked.message());
    EXPECT_TRUE(recorder.totals.has_value());
    EXPECT_FALSE(std::filesystem::exists(ModelOf("a"))) << "nothing is published";
    return std::string(checked.message());
  }
};

TEST_F(HabitsTrainerTest, KnowsBetterThanDistances) {
  Recorder recorder;
  const auto result = Train("a", recorder);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_LT(result->validation_cost, 0.7 * result->validation_reference);
  EXPECT_LT(result->validation_gap, -0.3);
  EXPECT_EQ(result->reference, "distance alone");
  EXPECT_EQ(result->reason, PublishReason::kBestValidation);
  EXPECT_THAT(recorder.log, HasSubstr("24 routes of 12 days, 12 stops and 2 drivers; validated on "
                                      "8 routes of the last 4 days"));
}

TEST_F(HabitsTrainerTest, ReportsStepsAndEpochs) {
  Recorder recorder;
  const auto result = Train("a", recorder, {"training.epochs=2"});
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_GE(recorder.epochs.size(), 1u);
  double last = recorder.steps.front().validation_cost;
  for (const TrainingProgress& step : recorder.steps) {
    EXPECT_LE(step.validation_cost, last);
    last = step.validation_cost;
  }
  EXPECT_EQ(recorder.steps.back().step, std::ssize(recorder.steps));
  EXPECT_EQ(recorder.steps.front().epochs, 2);
  EXPECT_GT(recorder.epochs.back().validation_accuracy, 0.7);
  EXPECT_EQ(recorder.epochs.back().validation_cost, result->validation_cost);
  ASSERT_TRUE(recorder.totals.has_value());
  EXPECT_EQ(recorder.totals->steps, std::ssize(recorder.steps));
  EXPECT_THAT(recorder.phases,
              testing::IsSupersetOf({"preparation", "training step", "validation", "publication"}));
}

TEST_F(HabitsTrainerTest, PublishesAModelWithItsOrigin) {
  Recorder recorder;
  const auto result = Train("a", recorder);
  ASSERT_TRUE(result.ok()) << result.status();
  const auto loaded = LoadHabits(ModelOf("a"), "a");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->card.architecture, "habits");
  EXPECT_TRUE(loaded->card.kinds.empty()) << "it plans routes of no problem";
  EXPECT_EQ(loaded->card.training_job, "trainingJobs/test");
  EXPECT_EQ(loaded->card.validation_cost, result->validation_cost);
  EXPECT_EQ(loaded->settings.history, history_);
  EXPECT_EQ(loaded->settings.routes, 24);
  EXPECT_EQ(DayText(loaded->settings.last_day), "2026-03-12");
  EXPECT_GT(loaded->settings.next_stop_accuracy, 0.7);
  EXPECT_GT(loaded->settings.route_similarity, 0.5);
  EXPECT_TRUE(loaded->model->KnowsDriver("ann"));
}

TEST_F(HabitsTrainerTest, CountsTheDaysOfTheValidationIfAsked) {
  Recorder recorder;
  ASSERT_TRUE(Train("a", recorder, {"habits.refit=true"}).ok());
  const auto loaded = LoadHabits(ModelOf("a"), "a");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->settings.routes, 32);
  EXPECT_EQ(DayText(loaded->settings.last_day), "2026-03-16");
}

TEST_F(HabitsTrainerTest, IsReproducible) {
  Recorder one;
  Recorder two;
  ASSERT_TRUE(Train("a", one).ok());
  ASSERT_TRUE(Train("b", two).ok());
  EXPECT_EQ(WeightsOf("a"), WeightsOf("b"));
}

TEST_F(HabitsTrainerTest, EndsWithoutAModelWhenCancelled) {
  Recorder recorder;
  recorder.cancel_at = 3;
  EXPECT_TRUE(absl::IsCancelled(Train("a", recorder).status()));
  EXPECT_FALSE(std::filesystem::exists(ModelOf("a")));
  EXPECT_EQ(recorder.totals->steps, 3);
}

TEST_F(HabitsTrainerTest, EndsEarlyWithAModel) {
  ExpectAModelAtTheTimeLimit("a");
  limits_ = {};
  limits_.epoch_limit = 1;
  Recorder limited;
  const auto one = Train("b", limited);
  ASSERT_TRUE(one.ok());
  EXPECT_EQ(one->end, TrainingEnd::kEpochLimit);
  EXPECT_EQ(limited.epochs.size(), 1u);
}

TEST_F(HabitsTrainerTest, NamesTheLineAndFieldOfABadHistory) {
  EXPECT_EQ(ErrorOf("{\"day\": \"2026-03-02\", \"stops\": [{}]}\n"),
            Concat("habits.history: ", history_,
                   ":1: stops[0].id: absent, and the stop has no position; wanted an id, or x and "
                   "y"));
  EXPECT_THAT(ErrorOf(PastRoutes(4)),
              HasSubstr("past.jsonl: has 4 days with routes, wanted at least 5"));
  EXPECT_THAT(ErrorOf(PastRoutes(9) + PastRoutes(1)),
              HasSubstr(R"(past.jsonl:19: day: got "2026-03-01" after "2026-03-09")"));
  EXPECT_THAT(ErrorOf("\n"), HasSubstr("habits.history: "));
}

TEST_F(HabitsTrainerTest, NamesAHistoryThatDoesNotExist) {
  const absl::Status status =
      MakeHabitsTrainer()->CheckInputs(RequestFor("a", {"habits.history=/nowhere.jsonl"}));
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("habits.history: open /nowhere.jsonl: No such file"));
}

}  // namespace
}  // namespace vrp
