// Loads habit models and keeps the last ones in memory.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "core/habits/habit_guide.h"
#include "core/model/habits/habit_model_files.h"
#include "core/problem/instance/instance.h"
#include "core/registry/model_folder.h"

namespace vrp {

// Maximum number of habit models in memory.
inline constexpr size_t kMaxCachedHabitModels = 4;

// A cache of the habit models that were used last. Versions do not change once published. A model
// that a caller holds stays valid. Thread-safe.
class HabitModels {
 public:
  // Returns the model of a version. Blocks while another caller loads one. Returns the errors of
  // LoadHabits.
  absl::StatusOr<std::shared_ptr<const LoadedHabits>> Use(const ModelVersion& version);

 private:
  struct Entry {
    std::string directory;  // the version's
    std::shared_ptr<const LoadedHabits> model;
  };

  absl::Mutex mutex_;
  std::list<Entry> loaded_ ABSL_GUARDED_BY(mutex_);  // the last used first
};

// Returns the guide of `instance` by a model of that name. Returns kInvalidArgument if the instance
// has positions in another coordinate system than the routes that the model learned from. Also
// returns the errors of HabitGuide::Create. Errors name the field of the request.
absl::StatusOr<std::shared_ptr<const HabitGuide>> GuideBy(const LoadedHabits& model,
                                                          std::string_view name,
                                                          const Instance& instance, double weight);

// Whether the version is a habit model.
bool IsHabitModel(const ModelVersion& version);

}  // namespace vrp
