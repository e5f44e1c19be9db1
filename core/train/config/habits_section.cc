#include "core/train/config/habits_section.h"

#include "core/model/habits/habit_settings.h"

namespace vrp {
namespace {

constexpr int64_t kMaxZones = 50;
constexpr double kMaxHalfLife = 36'500;  // days

}  // namespace

void SetHabitsDefaults(TrainingConfig& config) {
  config.habits.emplace();
  config.epochs = 4;
}

void ReadHabitsSection(ConfigReader& reader, HabitsConfig& habits) {
  reader.Read("habits.history", habits.history);
  auto learner = static_cast<size_t>(habits.learner);
  reader.ReadWord("habits.learner", {kCountsLearner}, learner);
  habits.learner = static_cast<HabitsLearner>(learner);
  reader.ReadNumbers("habits.half_lives", {0.0, kMaxHalfLife}, habits.half_lives);
  reader.Read("habits.zones", {0, kMaxZones}, habits.zones);
  reader.Read("habits.refit", habits.refit);
}

void CheckHabitsTogether(ConfigReader& reader, const TrainingConfig& config) {
  reader.Require("habits.history");
  if (config.habits->history.empty() && reader.Has("habits.history")) {
    reader.Refuse("habits.history", "a file or dataset");
  }
}

}  // namespace vrp
