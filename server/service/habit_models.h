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
#include "core/habits/habit_model.h"
#include "core/registry/model_folder.h"

namespace vrp {

// Maximum number of habit models in memory.
inline constexpr size_t kMaxCachedHabitModels = 4;

// A cache of the habit models that were used last. Versions do not change once published. A model
// that a caller holds stays valid. Thread-safe.
class HabitModels {
 public:
  // Returns the model of a version. Blocks while another caller loads one. Returns the errors of
  // LoadHabitModel.
  absl::StatusOr<std::shared_ptr<const HabitModel>> Use(const ModelVersion& version);

 private:
  struct Loaded {
    std::string directory;  // the version's
    std::shared_ptr<const HabitModel> model;
  };

  absl::Mutex mutex_;
  std::list<Loaded> loaded_ ABSL_GUARDED_BY(mutex_);  // the last used first
};

// Whether the version is a habit model.
bool IsHabitModel(const ModelVersion& version);

}  // namespace vrp
