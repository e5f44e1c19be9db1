// Habit models on disk.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/habits/habit_model.h"
#include "core/habits/route_habits.h"
#include "core/model/habits/habit_settings.h"
#include "core/model/habits/sequence_habit_model.h"
#include "core/model/weights/model_card.h"

namespace vrp {

// Loads the habit model in `directory`. `name` is the model's name in errors. Returns
// kFailedPrecondition for a model of another kind or of a newer program, kDataLoss if the weights
// do not match the card, and the errors of the files. Blocks on the disk.
absl::StatusOr<std::shared_ptr<const HabitModel>> LoadHabitModel(const std::string& directory,
                                                                 std::string_view name);

// A habit model with the facts of its card.
struct LoadedHabits {
  ModelCard card;
  HabitSettings settings;
  int64_t counts = 0;  // number of counts or parameters in the weights
  std::shared_ptr<const HabitModel> model;
  std::shared_ptr<const RouteHabits> routes;  // null if the model's program did not learn them
};
// Loads the same with its card. Returns the errors of LoadHabitModel.
absl::StatusOr<LoadedHabits> LoadHabits(const std::string& directory, std::string_view name);

// Writes a counting model and the habits of whole routes into `directory`, which it creates.
// Completes `card`: the architecture, its JSON (`settings`, with the parameters, the coordinates
// and the leg length of `tables`), the number of parameters and the digest. Returns the errors of
// the disk.
absl::Status WriteCountModel(const std::string& directory, const CountTables& tables,
                             const RouteHabitTables& routes, HabitSettings settings,
                             ModelCard card);
// Writes a transformer in the same way.
absl::Status WriteSequenceModel(const std::string& directory, const SequenceTables& tables,
                                const RouteHabitTables& routes, HabitSettings settings,
                                ModelCard card);

}  // namespace vrp
