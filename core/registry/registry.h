// The models on disk: `DIR/{name}/{version}/` with weights.safetensors and card.json; loaded ones are shared.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "core/device/device.h"
#include "core/model/model_card.h"
#include "core/model/policy.h"

namespace vrp {

struct ModelVersion {
  std::string name;
  int32_t version = 0;  // from 1
  std::string directory;
  ModelCard card;
};

struct LoadedModel {
  ModelVersion version;
  std::shared_ptr<Policy> policy;
};

// Thread-safe.
class Registry {
 public:
  struct Options {
    std::string directory;                   // created when absent; new versions are published here
    std::vector<std::string> read_only_directories;  // shipped models; their versions come after equal names' own
    DeviceId device;
    PolicyLoader loader;
  };
  static absl::StatusOr<std::unique_ptr<Registry>> Create(Options options);

  // All versions, by name, newest version first. Folders that cannot be read are left out; see Problems().
  std::vector<ModelVersion> List() const;
  std::vector<std::string> Problems() const;
  // version 0: the newest. kNotFound names the models there are.
  absl::StatusOr<ModelVersion> Get(std::string_view name, int32_t version = 0) const;
  // Blocks while the weights load, once a version.
  absl::StatusOr<LoadedModel> Load(std::string_view name, int32_t version = 0);

  // A fresh folder on the registry's file system, for the weights of a model that is being made.
  absl::StatusOr<std::string> StagingDirectory();
  // Moves `staging_directory` (weights and card complete) to the next version of `name`, durably and at once. Publishing
  // the same card.training_job again gives the version that is already there (a crash between publish and job end).
  absl::StatusOr<ModelVersion> Publish(std::string_view name, const std::string& staging_directory);

 private:
  explicit Registry(Options options);

  const Options options_;
  mutable absl::Mutex mutex_;
  std::map<std::pair<std::string, int32_t>, std::shared_ptr<Policy>> loaded_ ABSL_GUARDED_BY(mutex_);
};

// Letters, digits, '-', '_' and '.', 1 to 64 of them, beginning with a letter or digit.
absl::Status CheckModelName(std::string_view name);

}  // namespace vrp
