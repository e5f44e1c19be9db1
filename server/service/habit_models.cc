#include "server/service/habit_models.h"

#include <algorithm>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/weights/model_card.h"
#include "core/problem/instance/choices.h"
#include "server/convert/field_violation.h"

namespace vrp {

absl::StatusOr<std::shared_ptr<const LoadedHabits>> HabitModels::Use(const ModelVersion& version) {
  absl::MutexLock lock(&mutex_);
  const auto found = std::ranges::find(loaded_, version.directory, &Entry::directory);
  if (found != loaded_.end()) {
    loaded_.splice(loaded_.begin(), loaded_, found);
    return loaded_.front().model;
  }
  VRP_ASSIGN_OR_RETURN(
      LoadedHabits loaded,
      LoadHabits(version.directory, ModelResourceName(version.name, version.version)));
  const auto model = std::make_shared<const LoadedHabits>(std::move(loaded));
  loaded_.push_front({.directory = version.directory, .model = model});
  if (loaded_.size() > kMaxCachedHabitModels) loaded_.pop_back();
  return model;
}

absl::StatusOr<std::shared_ptr<const HabitGuide>> GuideBy(const LoadedHabits& model,
                                                          std::string_view name,
                                                          const Instance& instance, double weight) {
  const CoordinateSystem learned = model.settings.coordinates;
  const CoordinateSystem given = instance.data().coordinates;
  if (instance.has_positions() && learned != given) {
    return InvalidField("model",
                        Concat(name, " learned from routes with ", ChoiceName(learned),
                               " coordinates, but those of the instance are ", ChoiceName(given),
                               "; wanted the same. The first line of the routes states theirs"));
  }
  absl::StatusOr<std::shared_ptr<const HabitGuide>> guide =
      HabitGuide::Create(instance, *model.model, model.routes, weight);
  if (!guide.ok()) return WithField(guide.status());
  return guide;
}

bool IsHabitModel(const ModelVersion& version) {
  return version.card.architecture == kHabitsArchitecture;
}

}  // namespace vrp
