#include "server/service/habit_models.h"

#include <algorithm>
#include <utility>

#include "core/base/status_macros.h"
#include "core/model/habits/habit_model_files.h"
#include "core/model/weights/model_card.h"

namespace vrp {

absl::StatusOr<std::shared_ptr<const HabitModel>> HabitModels::Use(const ModelVersion& version) {
  absl::MutexLock lock(&mutex_);
  const auto found = std::ranges::find(loaded_, version.directory, &Loaded::directory);
  if (found != loaded_.end()) {
    loaded_.splice(loaded_.begin(), loaded_, found);
    return loaded_.front().model;
  }
  VRP_ASSIGN_OR_RETURN(
      std::shared_ptr<const HabitModel> model,
      LoadHabitModel(version.directory, ModelResourceName(version.name, version.version)));
  loaded_.push_front({.directory = version.directory, .model = model});
  if (loaded_.size() > kMaxCachedHabitModels) loaded_.pop_back();
  return model;
}

bool IsHabitModel(const ModelVersion& version) {
  return version.card.architecture == kHabitsArchitecture;
}

}  // namespace vrp
