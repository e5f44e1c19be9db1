// The models on disk: `DIR/{name}/{version}/` with weights.safetensors and card.json; loaded ones
// are shared.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "core/device/device.h"
#include "core/model/policy.h"
#include "core/registry/model_folder.h"
#include "core/registry/staging_area.h"

namespace vrp {

struct LoadedModel {
  ModelVersion version;
  std::shared_ptr<Policy> policy;
};

// Thread-safe. Every call reads the folders, so that models which are added or taken away by hand
// are seen at once; a model that is loaded stays as it was loaded.
class Registry {
 public:
  struct Options {
    std::string directory;  // created when absent; new versions are published here
    // Shipped models. Where a version is there twice, `directory` goes first, then these in order.
    std::vector<std::string> read_only_directories = {};
    DeviceId device = {};
    PolicyLoader loader;
  };
  // Removes what a crashed process left of unpublished models. Errors name the folder.
  static absl::StatusOr<std::unique_ptr<Registry>> Create(Options options);

  // The folders that models are looked for in, the own one first: NAME/N in one of them.
  std::vector<std::string> Roots() const;

  // All versions, by name, newest version first. Folders that cannot be read are left out; see
  // Problems().
  std::vector<ModelVersion> List() const;
  // One line for each folder that List() leaves out.
  std::vector<std::string> Problems() const;
  // version 0: the newest that can be read. kNotFound names the models there are;
  // kFailedPrecondition says why a version that is there cannot be used.
  absl::StatusOr<ModelVersion> Get(std::string_view name, int32_t version = 0) const;
  // Versions in memory.
  int32_t LoadedCount() const;
  // The version that the training job of this name ("trainingJobs/...") published.
  std::optional<ModelVersion> FindByTrainingJob(std::string_view training_job) const;
  // Blocks while the weights load, once a version: other callers of the same version wait for it,
  // those of others do not. A load that failed is tried again by the next call. As Get; kDataLoss:
  // the weights are not those of the card.
  absl::StatusOr<LoadedModel> Load(std::string_view name, int32_t version = 0);

  // A fresh folder on the registry's file system, for the weights of a model that is being made.
  absl::StatusOr<std::string> StagingDirectory();
  // Removes a staging folder that will not be published. Harmless for one that was.
  void DiscardStaging(const std::string& staging_directory);
  // Moves `staging_directory` (weights and card complete) to the next version of `name`, durably
  // and at once. Publishing the same card.training_job again gives the version that is already
  // there (a crash between publish and job end).
  absl::StatusOr<ModelVersion> Publish(std::string_view name, const std::string& staging_directory);

  // Publish for weights from elsewhere: checks the header of the weights and loads them once, so
  // that nothing is taken that cannot be used. The card's training job, of another registry, is
  // left out.
  absl::StatusOr<ModelVersion> Import(std::string_view name, const std::string& staging_directory);
  // Adds rows to the card of one version, each in the place of one of the same data, mode and
  // reference; the oldest go when there are too many. A crash leaves the old card or the new one.
  // As Get; kFailedPrecondition for a model of a read-only folder.
  absl::StatusOr<ModelVersion> AddEvaluations(std::string_view name, int32_t version,
                                              const std::vector<CardEvaluation>& evaluations);

 private:
  struct Slot {  // of one version that is loading or loaded
    bool done = false;
    absl::StatusOr<LoadedModel> model = absl::UnknownError("loading");
  };
  using Key = std::pair<std::string, int32_t>;

  Registry(Options options, std::unique_ptr<StagingArea> staging);

  // The slot of an already loaded version; null when there is none.
  std::shared_ptr<Slot> FindLoaded(const Key& key) const ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<LoadedModel> LoadFromDisk(const ModelVersion& version) const;
  absl::StatusOr<ModelVersion> PublishNext(std::string_view name,
                                           const std::string& staging_directory)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(publish_mutex_);

  const Options options_;
  const std::unique_ptr<StagingArea> staging_;
  absl::Mutex publish_mutex_;  // one publication at a time
  mutable absl::Mutex mutex_;  // never held while the disk is read
  std::map<Key, std::shared_ptr<Slot>> slots_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace vrp
