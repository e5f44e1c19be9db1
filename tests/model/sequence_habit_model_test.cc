// Tests habit models that are sequence transformers, and their files.
#include "core/model/habits/sequence_habit_model.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/random.h"
#include "core/model/habits/habit_model_files.h"
#include "core/model/weights/flat_parameters.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

using testing::HasSubstr;

// Returns the depot and `count` stops at random places.
std::vector<HabitStop> StopsOf(int count, uint64_t seed = 1) {
  CounterRandom random(seed);
  std::vector<HabitStop> stops(static_cast<size_t>(count) + 1);
  for (HabitStop& stop : stops) {
    stop.position = Position{.x = 10 * random.UniformDouble(), .y = 10 * random.UniformDouble()};
    stop.demand = random.UniformDouble();
  }
  return stops;
}

// Returns a model with random parameters that knows ann, whose last route has 4 stops.
SequenceTables TablesOfAnn() {
  SequenceTables tables;
  tables.scales = {.distance = 5, .leg_length = 3, .zones = {{0, 0}, {1, 1}}, .drivers = {"ann"}};
  tables.network = {.layers = 1,
                    .width = 16,
                    .heads = 2,
                    .feed_forward = 16,
                    .positions = 24,
                    .features = tables.scales.features(),
                    .relations = kLegRelations};
  FlatParameters parameters(SequenceLayout(tables.network), 7);
  CounterRandom random(3);
  for (float& value : parameters.values()) {
    value += static_cast<float>(random.UniformDouble() - 0.5) / 2;
  }
  tables.parameters.assign(parameters.values().begin(), parameters.values().end());
  const std::vector<HabitStop> stops = StopsOf(4, 9);
  const SequenceDay day(stops, tables.scales);
  tables.drivers.push_back({"ann", TokensOfRoute(day, std::vector<int32_t>{2, 1, 4, 3}, 0, 10)});
  tables.stops = {StopHash("a1")};
  return tables;
}

std::shared_ptr<const SequenceHabitModel> ModelOf(SequenceTables tables) {
  auto model = SequenceHabitModel::Create(std::move(tables));
  EXPECT_TRUE(model.ok()) << model.status();
  return *model;
}

TEST(SequenceHabitModelTest, EdgeRowsSumToOne) {
  const auto model = ModelOf(TablesOfAnn());
  const std::vector<HabitStop> stops = StopsOf(9);
  for (const char* const driver : {"ann", "bob", ""}) {
    const std::vector<float> logs = model->EdgeLogProbabilities(stops, driver);
    ASSERT_EQ(logs.size(), 100u);
    for (size_t i = 0; i < 10; ++i) {
      double sum = 0;
      for (size_t j = 0; j < 10; ++j) {
        EXPECT_TRUE(std::isfinite(logs[i * 10 + j]));
        sum += j == i ? 0 : std::exp(logs[i * 10 + j]);
      }
      EXPECT_NEAR(sum, 1, 1e-5);
      EXPECT_EQ(logs[i * 10 + i], 0);
    }
  }
  EXPECT_NE(model->EdgeLogProbabilities(stops, "ann"), model->EdgeLogProbabilities(stops, ""));
}

TEST(SequenceHabitModelTest, NextStopsAreThoseNotVisitedYet) {
  const auto model = ModelOf(TablesOfAnn());
  const std::vector<HabitStop> stops = StopsOf(6);
  constexpr float kNever = -std::numeric_limits<float>::infinity();
  std::vector<int32_t> route;
  for (const int32_t next : {3, 1, 6, 2, 5, 4}) {
    const std::vector<float> logs = model->NextStopLogProbabilities(stops, "ann", route);
    double sum = 0;
    for (const float log : logs) sum += std::exp(log);
    EXPECT_NEAR(sum, 1, 1e-5);
    EXPECT_EQ(logs[0] == kNever, route.empty());
    for (const int32_t visited : route) EXPECT_EQ(logs[static_cast<size_t>(visited)], kNever);
    route.push_back(next);
  }
  EXPECT_EQ(model->NextStopLogProbabilities(stops, "ann", route)[0], 0);
}

TEST(SequenceHabitModelTest, ReadsTheEndOfARouteThatIsTooLong) {
  const auto model = ModelOf(TablesOfAnn());
  const std::vector<HabitStop> stops = StopsOf(60);
  std::vector<int32_t> route;
  for (int32_t stop = 1; stop <= 50; ++stop) route.push_back(stop);
  const std::vector<float> logs = model->NextStopLogProbabilities(stops, "ann", route);
  double sum = 0;
  for (const float log : logs) sum += std::exp(log);
  EXPECT_NEAR(sum, 1, 1e-5);
  EXPECT_TRUE(std::isinf(logs[1]));
  EXPECT_TRUE(std::isfinite(logs[60]));
}

TEST(SequenceHabitModelTest, AcceptsAnyPlaces) {
  const auto model = ModelOf(TablesOfAnn());
  std::vector<HabitStop> stops = StopsOf(5);
  stops[0].position.reset();
  stops[2].position.reset();
  stops[3].position = Position{.x = 1e300, .y = -1e300};
  stops[4].demand = 1e300;
  stops[5].position = stops[1].position;
  for (const float log : model->EdgeLogProbabilities(stops, "ann")) {
    EXPECT_TRUE(std::isfinite(log));
  }
}

TEST(SequenceHabitModelTest, DoesNotDependOnTheOrderOfTheStops) {
  const auto model = ModelOf(TablesOfAnn());
  std::vector<HabitStop> stops = StopsOf(5);
  const std::vector<float> before = model->EdgeLogProbabilities(stops, "ann");
  std::swap(stops[2], stops[4]);
  const std::vector<float> after = model->EdgeLogProbabilities(stops, "ann");
  EXPECT_NEAR(before[1 * 6 + 2], after[1 * 6 + 4], 1e-5);
  EXPECT_NEAR(before[4 * 6 + 3], after[2 * 6 + 3], 1e-5);
}

class SequenceModelFilesTest : public testing::Test {
 protected:
  const std::string directory_ = testing::TempDir() + "/sequence_model";
};

TEST_F(SequenceModelFilesTest, ReadsBackWhatItWrites) {
  const SequenceTables tables = TablesOfAnn();
  ASSERT_TRUE(
      WriteSequenceModel(directory_, tables, {}, {.earlier_routes = 1, .routes = 3}, {}).ok());
  const auto loaded = LoadHabits(directory_, "ours");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->settings.learner, "transformer");
  EXPECT_EQ(loaded->settings.earlier_routes, 1);
  EXPECT_EQ(loaded->settings.network, tables.network);
  EXPECT_EQ(loaded->card.parameters, std::ssize(tables.parameters));
  const std::vector<HabitStop> stops = StopsOf(6);
  const auto model = ModelOf(tables);
  for (const char* const driver : {"ann", ""}) {
    EXPECT_EQ(loaded->model->EdgeLogProbabilities(stops, driver),
              model->EdgeLogProbabilities(stops, driver));
  }
  EXPECT_TRUE(loaded->model->KnowsDriver("ann"));
  EXPECT_FALSE(loaded->model->KnowsDriver("bob"));
  EXPECT_TRUE(loaded->model->KnowsStop("a1"));
  EXPECT_FALSE(loaded->model->KnowsStop("a2"));
}

TEST_F(SequenceModelFilesTest, RefusesWeightsThatDoNotFitTheCard) {
  ASSERT_TRUE(WriteSequenceModel(directory_, TablesOfAnn(), {}, {.routes = 3}, {}).ok());
  const std::string path = directory_ + "/" + std::string(kCardFile);
  std::string card = *ReadFile(path, kMaxCardBytes);
  const std::string from = R"(\"layers\":1)";
  const size_t at = card.find(from);
  ASSERT_NE(at, std::string::npos) << card;
  card.replace(at, from.size(), R"(\"layers\":2)");
  ASSERT_TRUE(AtomicWriteFile(path, card).ok());
  const absl::Status status = LoadHabits(directory_, "ours").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("encoder"));
}

}  // namespace
}  // namespace vrp
