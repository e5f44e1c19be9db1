// Tests that habit models are stored, loaded and refused.
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/habits/counts/count_legs.h"
#include "core/habits/counts/count_model.h"
#include "core/habits/routes/learn_route_habits.h"
#include "core/model/habits/count_weights.h"
#include "core/model/habits/habit_model_files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/habits/habits_testing.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

using testing::HasSubstr;

class HabitModelTest : public testing::Test {
 protected:
  static CountTables Tables() {
    const RouteHistory history =
        test::HistoryOf({{.day = 1, .driver = "ann", .stops = {"a1", "b1", "c1"}},
                         {.day = 2, .driver = "bob", .stops = {"c1", "a1", "b2"}},
                         {.day = 3, .stops = {"c2", "a1"}}});
    return LegCounter(history, history.routes.size(), 2, 1).Count({.half_life = 9});
  }
  void Write(const CountTables& tables) {
    const absl::Status written = WriteCountModel(
        folder_.path(), tables, {},
        {.history = "datasets/past", .first_day = 3, .last_day = 5, .routes = 3}, ModelCard());
    ASSERT_TRUE(written.ok()) << written;
  }
  // Replaces the weights and their digest in the card.
  void Replace(const std::string& weights) {
    auto card = ParseModelCard(*ReadFile(folder_.File(kCardFile)), "card");
    ASSERT_TRUE(card.ok()) << card.status();
    card->weights_sha256 = Sha256Hex(weights);
    ASSERT_TRUE(AtomicWriteFile(folder_.File(kCardFile), WriteModelCard(*card)).ok());
    ASSERT_TRUE(AtomicWriteFile(folder_.File(kWeightsFile), weights).ok());
  }

  const test::TempFolder folder_;
};

TEST_F(HabitModelTest, GivesTheProbabilitiesOfTheCounts) {
  Write(Tables());
  const auto loaded = LoadHabits(folder_.path(), "models/a/versions/1");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const CountModel expected(Tables());
  const std::vector<HabitStop> stops = test::StopsOf({"a1", "b1", "c1", "d9"});
  for (const std::string driver : {"ann", "bob", "eve"}) {
    EXPECT_EQ(loaded->model->KnowsDriver(driver), expected.KnowsDriver(driver));
    EXPECT_EQ(loaded->model->EdgeLogProbabilities(stops, driver),
              expected.EdgeLogProbabilities(stops, driver));
  }
  EXPECT_EQ(loaded->card.parameters, CountEntries(Tables()));
  EXPECT_EQ(loaded->settings.history, "datasets/past");
  EXPECT_EQ(loaded->settings.last_day, 5);
  EXPECT_EQ(loaded->settings.parameters, Tables().parameters);
}

TEST_F(HabitModelTest, StoresAModelWithoutDriversAndPositions) {
  const auto history = ParseRouteHistory(
      R"({"day": "2026-03-02", "stops": [{"id": "b"}, {"id": "a"}]})", "past.jsonl");
  Write(LegCounter(*history, 1, 2, 1).Count({}));
  const auto model = LoadHabitModel(folder_.path(), "a");
  ASSERT_TRUE(model.ok()) << model.status();
  const std::vector<HabitStop> stops = {{.id = ""}, {.id = "a"}, {.id = "b"}};
  const std::vector<float> logs = (*model)->NextStopLogProbabilities(stops, "", {});
  EXPECT_GT(logs[2], logs[1]);
}

TEST_F(HabitModelTest, KeepsTheHabitsOfRoutes) {
  const RouteHistory history = test::HistoryOf({{.day = 1, .driver = "ann", .stops = {"a1", "b1"}},
                                                {.day = 2, .driver = "bob", .stops = {"c1"}}});
  const RouteHabitTables routes = LearnRouteHabits(history, 2, 1);
  ASSERT_TRUE(WriteCountModel(folder_.path(), Tables(), routes, {.routes = 2}, {}).ok());
  const auto loaded = LoadHabits(folder_.path(), "a");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  ASSERT_NE(loaded->routes, nullptr);
  const RouteHabitTables& got = loaded->routes->tables();
  EXPECT_EQ(got.radius, routes.radius);
  EXPECT_EQ(got.zones, routes.zones);
  EXPECT_EQ(got.areas, routes.areas);
  EXPECT_EQ(got.drivers, routes.drivers);
  EXPECT_EQ(got.area_logs, routes.area_logs);
  EXPECT_EQ(got.weights, routes.weights);
}

TEST_F(HabitModelTest, RefusesDamagedHabitsOfRoutes) {
  const RouteHistory history =
      test::HistoryOf({{.day = 1, .driver = "ann", .stops = {"a1", "b1", "c1"}}});
  const auto error = [&](const std::function<void(RouteHabitTables&)>& damage) {
    RouteHabitTables routes = LearnRouteHabits(history, 1, 1);
    damage(routes);
    Write(Tables());
    Replace(WriteCountWeights(Tables(), routes));
    const absl::Status status = LoadHabitModel(folder_.path(), "a").status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
    return std::string(status.message());
  };
  EXPECT_THAT(error([](RouteHabitTables& t) { t.radius = 0; }), HasSubstr("routes.radius"));
  EXPECT_THAT(error([](RouteHabitTables& t) { t.weights.pop_back(); }),
              HasSubstr("routes.weights"));
  EXPECT_THAT(error([](RouteHabitTables& t) { t.area_logs.push_back(0); }),
              HasSubstr("routes.drivers.areas"));
  EXPECT_THAT(error([](RouteHabitTables& t) { t.zones[0][0] = NAN; }), HasSubstr("routes.zones"));
  EXPECT_THAT(error([](RouteHabitTables& t) { t.areas.clear(); }), HasSubstr("routes"));
}

TEST_F(HabitModelTest, RefusesAModelOfAnotherKind) {
  ModelCard card;
  card.architecture = "gt";
  card.architecture_json = "{}";
  ASSERT_TRUE(AtomicWriteFile(folder_.File(kCardFile), WriteModelCard(card)).ok());
  const absl::Status status = LoadHabitModel(folder_.path(), "models/a/versions/1").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(std::string(status.message()),
            "models/a/versions/1: is a model of the architecture gt, wanted a habit model, which "
            "`model: habits` trains");
}

TEST_F(HabitModelTest, RefusesSettingsThatItDoesNotKnow) {
  Write(Tables());
  const auto written = ParseModelCard(*ReadFile(folder_.File(kCardFile)), "card");
  ASSERT_TRUE(written.ok()) << written.status();
  const auto with = [&](const std::string& old, const std::string& other) {
    ModelCard card = *written;
    const size_t at = card.architecture_json.find(old);
    EXPECT_NE(at, std::string::npos) << old;
    if (at != std::string::npos) card.architecture_json.replace(at, old.size(), other);
    EXPECT_TRUE(AtomicWriteFile(folder_.File(kCardFile), WriteModelCard(card)).ok());
    return LoadHabitModel(folder_.path(), "a").status();
  };
  EXPECT_EQ(with("\"counts\"", "\"dreams\"").code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(with("\"half_life_days\"", "\"half_life\"").message()),
              HasSubstr("architecture_json.half_life_days: got nothing"));
  EXPECT_THAT(std::string(with("\"planar\"", "\"utm\"").message()),
              HasSubstr("architecture_json.coordinates: got"));
}

TEST_F(HabitModelTest, RefusesDamagedWeights) {
  Write(Tables());
  const std::string weights = *ReadFile(folder_.File(kWeightsFile));
  std::string changed = weights;
  changed.back() ^= 1;
  ASSERT_TRUE(AtomicWriteFile(folder_.File(kWeightsFile), changed).ok());
  EXPECT_EQ(LoadHabitModel(folder_.path(), "a").status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(HabitModelTest, RefusesTablesThatAreNotConsistent) {
  const auto error = [&](const std::function<void(CountTables&)>& damage) {
    CountTables tables = Tables();
    damage(tables);
    Write(Tables());
    Replace(WriteCountWeights(tables, {}));
    const absl::Status status = LoadHabitModel(folder_.path(), "a").status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
    return std::string(status.message());
  };
  EXPECT_THAT(error([](CountTables& t) { t.legs.to[0] = 99; }), HasSubstr("rows of counts"));
  EXPECT_THAT(error([](CountTables& t) { t.legs.to[0] = -1; }), HasSubstr("rows of counts"));
  EXPECT_THAT(error([](CountTables& t) { t.legs.nodes[1] = t.legs.nodes[0]; }),
              HasSubstr("rows of counts"));
  EXPECT_THAT(error([](CountTables& t) { t.legs.first[1] = 7; }), HasSubstr("rows of counts"));
  EXPECT_THAT(error([](CountTables& t) { t.legs.counts[0] = -1; }), HasSubstr("entries.count"));
  EXPECT_THAT(error([](CountTables& t) { t.zone_legs[0] = -1; }), HasSubstr("zones.legs"));
  EXPECT_THAT(error([](CountTables& t) { t.ids[1] = t.ids[0]; }), HasSubstr("ids.text"));
}

TEST_F(HabitModelTest, RefusesWeightsWithoutATensor) {
  Write(Tables());
  Replace(WriteSafetensors({}));
  EXPECT_THAT(std::string(LoadHabitModel(folder_.path(), "a").status().message()),
              HasSubstr("ids.text is absent"));
}

}  // namespace
}  // namespace vrp
