// The models on disk: `DIR/{name}/{version}/` with weights.safetensors and card.json, and aliases
// for them; loaded ones are shared.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "core/base/watch.h"
#include "core/device/device.h"
#include "core/model/policy/policy.h"
#include "core/registry/alias_store.h"
#include "core/registry/loaded_models.h"
#include "core/registry/model_folder.h"
#include "core/registry/staging_area.h"
#include "core/registry/version_lists.h"

namespace vrp {

// How weights are published whose architecture (ModelCard::architecture) differs from that of the
// newest version of their name. Versions of one name can stand in for each other; their sizes may
// differ.
enum class OtherArchitecture {
  kRefuse,
  kTakeOtherName,  // NAME-ARCHITECTURE, or NAME-ARCHITECTURE-2 and so on
};

// A version that a running training job published is live (IsLive of its card), all others are
// finished. A name without a version means the newest finished one. The alias `live` means the
// newest of all: what a running job published last or, once its job has ended with a model, that.
//
// Thread-safe. Every call looks at the folders, so that models which are added or taken away by
// hand are seen at once; a model that is loaded stays as it was loaded.
class Registry {
 public:
  struct Options {
    std::string directory;  // created when absent; new versions are published here
    // Shipped models. Where a version is there twice, `directory` goes first, then these in order.
    std::vector<std::string> read_only_directories = {};
    DeviceId device = {};
    PolicyLoader loader;
    // Told of newer versions that cannot be loaded while an older one serves. Thread-safe.
    std::function<void(const absl::Status&)> on_failure = nullptr;
    WatchFn watch = nullptr;  // of "publication", "import", "model load"
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
  // version 0: the newest finished one that can be read. kNotFound names the models there are;
  // kFailedPrecondition says why a version that is there cannot be used, or that all are live.
  absl::StatusOr<ModelVersion> Get(std::string_view name, int32_t version = 0) const;
  // As Get, of what `reference` names. kNotFound names the aliases there are.
  absl::StatusOr<ModelVersion> Resolve(const ModelReference& reference) const;
  // The version that the training job of this name ("trainingJobs/...") published.
  std::optional<ModelVersion> FindByTrainingJob(std::string_view training_job) const;

  // A model to serve a request with. Where the newest is meant: the newest that is in memory, while
  // newer ones are loaded in the background; it stays where they cannot be. Else blocks while the
  // weights load, once a version (see LoadedModels). As Resolve; kDataLoss: the weights are not
  // those of the card.
  absl::StatusOr<LoadedModel> Use(const ModelReference& reference);
  // The version itself, whatever else is in memory. Blocks as Use.
  absl::StatusOr<LoadedModel> Load(std::string_view name, int32_t version = 0);
  // Gives memory back: see LoadedModels. version 0: all of the model. The versions that were in
  // memory.
  std::vector<ModelReference> Unload(std::string_view name, int32_t version);
  bool IsLoaded(const ModelVersion& version) const;
  int32_t LoadedCount() const;  // versions in memory

  // Aliases of this version, in order; `live` is one of the newest version while that is live.
  std::vector<std::string> AliasesOf(const ModelVersion& version) const;
  // Loads the version, then has the alias name it, durably; what it named before. As Load; the
  // alias stays as it was after any error. kInvalidArgument: `live` cannot be set. One that was set
  // by an earlier version of this program keeps its meaning until it is deleted.
  absl::StatusOr<std::optional<int32_t>> SetAlias(std::string_view name, std::string_view alias,
                                                  int32_t version);
  // kInvalidArgument: `live`, unless it was set by an earlier version of this program.
  absl::Status DeleteAlias(std::string_view name, std::string_view alias);
  // Durably, from disk and memory; its number is not given again. kNotFound; kFailedPrecondition:
  // an alias names it, or it lies in a read-only folder.
  absl::Status Delete(std::string_view name, int32_t version);

  // A fresh folder on the registry's file system, for the weights of a model that is being made.
  absl::StatusOr<std::string> StagingDirectory();
  // Removes a staging folder that will not be published. Harmless for one that was.
  void DiscardStaging(const std::string& staging_directory);
  // Whether a model of this architecture can become a version of `name`. kFailedPrecondition: the
  // newest version is of another.
  absl::Status CheckArchitecture(std::string_view name, std::string_view architecture) const;
  // Moves `staging_directory` (weights and card complete) to the next version of `name`, durably
  // and at once; where the model serves, a finished one is loaded too. Publishing the same
  // card.training_job again gives the version that is already there (a crash between publish and
  // job end). kFailedPrecondition: see CheckArchitecture and `other`.
  absl::StatusOr<ModelVersion> Publish(std::string_view name, const std::string& staging_directory,
                                       OtherArchitecture other = OtherArchitecture::kRefuse);

  // Publish for weights from elsewhere: checks the header of the weights and loads them once, so
  // that nothing is taken that cannot be used. The card's training job, of another registry, is
  // left out.
  absl::StatusOr<ModelVersion> Import(std::string_view name, const std::string& staging_directory);
  // Adds rows to the card of one version, each in the place of one of the same data, mode and
  // reference; the oldest go when there are too many. As StagingArea::ReplaceFile.
  // As Get; kFailedPrecondition for a model of a read-only folder.
  absl::StatusOr<ModelVersion> AddEvaluations(std::string_view name, int32_t version,
                                              const std::vector<CardEvaluation>& evaluations);

 private:
  Registry(Options options, std::unique_ptr<StagingArea> staging);

  bool IsLiveAlias(std::string_view name, std::string_view alias) const;
  using Which = LoadedModels::Which;
  absl::StatusOr<ModelVersion> Newest(std::string_view name, Which which) const;
  // The newest version in memory; asks for newer ones to be loaded. nullopt: none is.
  std::optional<LoadedModel> NewestLoaded(std::string_view name,
                                          const std::vector<int32_t>& numbers, Which which);
  absl::StatusOr<LoadedModel> UseNewest(std::string_view name, Which which);
  // Loads the newest of `numbers`, which are in descending order, that can be loaded.
  absl::StatusOr<LoadedModel> LoadNewest(std::string_view name, std::vector<int32_t> numbers);
  std::vector<std::string> StoredAliasesOf(std::string_view name, int32_t version) const;
  // Returns `name`, or the first NAME-ARCHITECTURE[-N] that accepts the architecture.
  std::string NameFor(std::string_view name, std::string_view architecture) const;
  absl::StatusOr<ModelVersion> PublishNext(std::string_view name,
                                           const std::string& staging_directory)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(publish_mutex_);
  std::string DeletedNumberPath(std::string_view name) const;

  const Options options_;
  const std::unique_ptr<StagingArea> staging_;
  VersionLists lists_;
  AliasStore aliases_;
  LoadedModels loaded_;
  absl::Mutex publish_mutex_;  // one change on disk at a time
};

}  // namespace vrp
