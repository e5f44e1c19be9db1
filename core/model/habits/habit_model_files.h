// Habit models on disk.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/habits/habit_model.h"

namespace vrp {

// Loads the habit model in `directory`. `name` is the model's name in errors. Returns
// kFailedPrecondition for a model of another kind or of a newer program, kDataLoss if the weights
// do not match the card, and the errors of the files. Blocks on the disk.
absl::StatusOr<std::shared_ptr<const HabitModel>> LoadHabitModel(const std::string& directory,
                                                                 std::string_view name);

}  // namespace vrp
