// Models on disk, `DIR/{name}/{version}/` with weights.safetensors and card.json, and their
// aliases. Callers share loaded models.
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
#include "core/model/dispatch/dispatch_model.h"
#include "core/model/estimate/estimate_model.h"
#include "core/model/habits/habit_model_files.h"
#include "core/model/policy/policy.h"
#include "core/registry/alias_store.h"
#include "core/registry/loaded_models.h"
#include "core/registry/model_folder.h"
#include "core/registry/staging_area.h"
#include "core/registry/version_lists.h"

namespace vrp {

// The reaction of Publish to weights whose architecture (ModelCard::architecture) differs from that
// of the newest version of their name. Versions of one name are interchangeable; their sizes may
// differ.
enum class OtherArchitecture {
  kRefuse,
  kUseOtherName,  // publish as NAME-ARCHITECTURE, NAME-ARCHITECTURE-2, ...
};

// The models of one daemon.
//
// A version published by a running training job is live (see IsLive); all others are finished. A
// name without a version means the newest finished version. The alias `live` means the newest
// version of all, live or finished.
//
// Thread-safe. Calls read the folders, so the next call sees models that users add or remove by
// hand. Only Use and Load skip the folder of a version that is loaded. A loaded model does not
// change.
class Registry {
 public:
  struct Options {
    std::string directory;  // folder for new versions; created if absent
    // Folders of shipped models. If a version exists twice, `directory` takes precedence, then
    // these in order.
    std::vector<std::string> read_only_directories = {};
    DeviceId device = {};
    PolicyLoader loader;
    // Called for newer versions that cannot be loaded while an older one serves. Must be
    // thread-safe. Optional.
    std::function<void(const absl::Status&)> on_failure = nullptr;
    WatchFn watch = nullptr;  // watches "publication", "import", "model load"
  };
  // Creates `directory` if it is absent, and removes unpublished models of crashed processes from
  // it. Returns kInvalidArgument without a loader. Other errors name the folder.
  static absl::StatusOr<std::unique_ptr<Registry>> Create(Options options);

  // Returns the folders that hold models as NAME/N, the writable one first.
  std::vector<std::string> Roots() const;

  // Returns all versions, sorted by name, newest version first, without unreadable folders; see
  // Problems().
  std::vector<ModelVersion> List() const;
  // Returns one line per folder or file that List() omits, with the reason; see ModelFolderScan and
  // ScanAll.
  std::vector<std::string> Problems() const;
  // Returns a version; for 0, the newest readable finished one. Returns kInvalidArgument for a
  // malformed name or a negative version. Returns kNotFound listing the existing models or
  // versions. Returns kFailedPrecondition with the reason if an existing version cannot be used, or
  // if all versions are live.
  absl::StatusOr<ModelVersion> Get(std::string_view name, int32_t version = 0) const;
  // Returns the version that `reference` names, like Get. Returns kNotFound listing the existing
  // aliases if the alias does not exist.
  absl::StatusOr<ModelVersion> Resolve(const ModelReference& reference) const;
  // Returns the version that the training job of this name ("trainingJobs/...") published; nullopt
  // if there is none.
  std::optional<ModelVersion> FindByTrainingJob(std::string_view training_job) const;

  // Returns a model to serve a request. If the reference means the newest version, returns the
  // newest loaded one and loads a newer one in the background. If no newer one can be loaded, the
  // loaded one keeps serving. If no suitable version is loaded, blocks while the weights load, once
  // per version (see LoadedModels). Returns the errors of Resolve, and kDataLoss if the weights do
  // not match the card.
  absl::StatusOr<LoadedModel> Use(const ModelReference& reference);
  // Loads exactly this version, or for 0 the newest readable finished one. Blocks as Use does.
  absl::StatusOr<LoadedModel> Load(std::string_view name, int32_t version = 0);
  // Loads a dispatch model, which is small and not kept in memory. Returns the errors of Resolve
  // and DispatchModel::Load; those for a model of another kind name it. Use and Load refuse
  // models that plan no routes in the same way.
  absl::StatusOr<DispatchModel> LoadDispatch(const ModelReference& reference) const;
  // Loads a habit model in the same way. Returns the errors of Resolve and vrp::LoadHabits.
  absl::StatusOr<LoadedHabits> LoadHabits(const ModelReference& reference) const;
  // Loads an estimate model in the same way. Returns the errors of Resolve and EstimateModel::Load.
  absl::StatusOr<EstimateModel> LoadEstimate(const ModelReference& reference) const;
  // Frees memory (see LoadedModels); version 0 means all versions. Returns the unloaded
  // versions.
  std::vector<ModelReference> Unload(std::string_view name, int32_t version);
  bool IsLoaded(const ModelVersion& version) const;
  int32_t LoadedCount() const;  // number of loaded versions

  // Returns the sorted aliases of a version. They include `live` for the newest version while
  // that version is live.
  std::vector<std::string> AliasesOf(const ModelVersion& version) const;
  // Loads the version, then sets the alias durably. Returns the version that the alias named
  // before, if any. Returns the errors of Load and of AliasStore::Set, which leave the alias
  // unchanged. Returns kInvalidArgument for a version below 1 and for `live`, which cannot be set.
  // An alias `live` that an earlier release set keeps its version until DeleteAlias removes it.
  absl::StatusOr<std::optional<int32_t>> SetAlias(std::string_view name, std::string_view alias,
                                                  int32_t version);
  // Removes an alias. Returns the errors of AliasStore::Delete, and kInvalidArgument for `live`
  // unless an earlier release set it.
  absl::Status DeleteAlias(std::string_view name, std::string_view alias);
  // Deletes a version durably from disk and memory. Publish never reuses its number. Returns
  // kNotFound, or kFailedPrecondition if an alias names the version or the version is in a
  // read-only folder. Returns kDataLoss if the file that holds the deleted numbers is damaged.
  absl::Status Delete(std::string_view name, int32_t version);

  // Creates an empty folder on the registry's file system for the files of a new model.
  absl::StatusOr<std::string> StagingDirectory();
  // Removes a staging folder that will not be published. Has no effect on a published one.
  void DiscardStaging(const std::string& staging_directory);
  // Checks that a model of this architecture can become a version of `name`. Returns
  // kFailedPrecondition if the newest version has another architecture.
  absl::Status CheckArchitecture(std::string_view name, std::string_view architecture) const;
  // Moves `staging_directory` (complete weights and card) to the next version of `name`, atomically
  // and durably. If a version of the model is loaded and the new one is finished, loads the new one
  // too. Publishing the same card.training_job again, after a crash between publication and the
  // job's end, returns the existing version. Returns kInvalidArgument for a malformed name or a
  // folder that is not from StagingDirectory. Returns kDataLoss if the weights do not match the
  // card or the file that holds the deleted numbers is damaged. Returns kFailedPrecondition as
  // CheckArchitecture does if `other` is kRefuse.
  absl::StatusOr<ModelVersion> Publish(std::string_view name, const std::string& staging_directory,
                                       OtherArchitecture other = OtherArchitecture::kRefuse);

  // Publishes weights from elsewhere. Checks their header and loads them once, so that unusable
  // weights are refused. Drops the card's training job, which belongs to another registry. Returns
  // kInvalidArgument for malformed weights or a card that does not fit them, kFailedPrecondition if
  // the network cannot decode, and the errors of Publish.
  absl::StatusOr<ModelVersion> Import(std::string_view name, const std::string& staging_directory);
  // Adds rows to the card of a version, durably and atomically. A row replaces one of the same
  // data, mode and reference. Drops the oldest rows if there are too many. Returns the errors of
  // Get, and kFailedPrecondition if the model is in a read-only folder.
  absl::StatusOr<ModelVersion> AddEvaluations(std::string_view name, int32_t version,
                                              const std::vector<CardEvaluation>& evaluations);

 private:
  Registry(Options options, std::unique_ptr<StagingArea> staging);

  bool IsLiveAlias(std::string_view name, std::string_view alias) const;
  using VersionFilter = LoadedModels::VersionFilter;
  absl::StatusOr<ModelVersion> Newest(std::string_view name, VersionFilter filter) const;
  // Returns the newest loaded version. Queues the newest of the newer versions that did not fail
  // recently. Returns nullopt if no version is loaded.
  std::optional<LoadedModel> NewestLoaded(std::string_view name,
                                          const std::vector<int32_t>& numbers,
                                          VersionFilter filter);
  absl::StatusOr<LoadedModel> UseNewest(std::string_view name, VersionFilter filter);
  // Loads the newest loadable version of `numbers` (in descending order). Tries versions that
  // failed recently last.
  absl::StatusOr<LoadedModel> LoadNewest(std::string_view name, std::vector<int32_t> numbers);
  // Loads a version of any kind without caching it, and returns its number of parameters.
  absl::StatusOr<int64_t> CountParameters(const ModelVersion& version) const;
  // Loads a version of any kind, and returns the error.
  absl::Status CheckLoads(std::string_view name, int32_t version);
  std::vector<std::string> StoredAliasesOf(std::string_view name, int32_t version) const;
  // Returns `name`, or the first NAME-ARCHITECTURE[-N] that accepts the architecture.
  std::string NameFor(std::string_view name, std::string_view architecture) const;
  absl::StatusOr<ModelVersion> PublishNext(std::string_view name,
                                           const std::string& staging_directory)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(publish_mutex_);
  std::string DeletedNumberPath(std::string_view name) const;
  // Returns the highest deleted version number; 0 if there is none.
  absl::StatusOr<int32_t> DeletedNumber(std::string_view name) const;

  const Options options_;
  const std::unique_ptr<StagingArea> staging_;
  VersionLists lists_;
  AliasStore aliases_;
  LoadedModels loaded_;
  absl::Mutex publish_mutex_;  // held during a change on disk
};

}  // namespace vrp
