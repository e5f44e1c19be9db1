#include "core/train/config/habits_section.h"

#include "core/base/text.h"
#include "core/model/graph_transformer/graph_transformer_architecture.h"
#include "core/model/habits/habit_settings.h"
#include "core/model/policy/network_limits.h"

namespace vrp {
namespace {

constexpr int64_t kMaxZones = 50;
constexpr double kMaxHalfLife = 36'500;  // days

constexpr int64_t kMaxEarlierRoutes = 4;

void ReadTransformer(ConfigReader& reader, HabitsConfig& habits) {
  reader.Read("habits.layers", {1, kMaxTransformerLayers}, habits.layers);
  reader.Read("habits.width", {kWidthMultiple, kMaxTransformerHidden}, habits.width);
  reader.Read("habits.heads", {1, kMaxTransformerHeads}, habits.heads);
  reader.Read("habits.feed_forward", {kWidthMultiple, kMaxTransformerFeedForward},
              habits.feed_forward);
  reader.Read("habits.earlier_routes", {0, kMaxEarlierRoutes}, habits.earlier_routes);
  auto precision = static_cast<size_t>(habits.bf16);
  reader.ReadWord("habits.precision", {"fp32", "bf16"}, precision);
  habits.bf16 = precision == 1;
}

void CheckSizes(ConfigReader& reader, const HabitsConfig& habits) {
  if (habits.learner != HabitsLearner::kTransformer) return;
  if (habits.width % kWidthMultiple != 0) {
    reader.Refuse("habits.width", Concat("a multiple of ", kWidthMultiple));
  }
  if (habits.feed_forward % kWidthMultiple != 0) {
    reader.Refuse("habits.feed_forward", Concat("a multiple of ", kWidthMultiple));
  }
  if (habits.width % habits.heads != 0) {
    reader.Refuse("habits.heads", Concat("a divisor of habits.width, ", habits.width));
  }
}

}  // namespace

void SetHabitsDefaults(const ConfigReader& reader, TrainingConfig& config) {
  HabitsConfig& habits = config.habits.emplace();
  config.epochs = 4;
  const auto stated = reader.Settings();
  const auto learner = stated.find("habits.learner");
  if (learner == stated.end() || learner->second != kTransformerLearner) return;
  habits.zones = 32;
  config.epochs = 60;
  config.batch_size = 16;
  config.learning_rate = 1e-3;
  config.schedule = Schedule::kCosine;
  config.warmup_steps = 20;
  config.weight_decay = 0.01;
  config.patience = 15;
}

void ReadHabitsSection(ConfigReader& reader, HabitsConfig& habits) {
  reader.Read("habits.history", habits.history);
  auto learner = static_cast<size_t>(habits.learner);
  reader.ReadWord("habits.learner", {kCountsLearner, kTransformerLearner}, learner);
  habits.learner = static_cast<HabitsLearner>(learner);
  reader.ReadNumbers("habits.half_lives", {0.0, kMaxHalfLife}, habits.half_lives);
  reader.Read("habits.zones", {0, kMaxZones}, habits.zones);
  reader.Read("habits.refit", habits.refit);
  ReadTransformer(reader, habits);
}

void CheckHabitsTogether(ConfigReader& reader, const TrainingConfig& config) {
  reader.Require("habits.history");
  if (config.habits->history.empty() && reader.Has("habits.history")) {
    reader.Refuse("habits.history", "a file or dataset");
  }
  CheckSizes(reader, *config.habits);
}

}  // namespace vrp
