// Models in memory. Each version is loaded once and shared.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "core/base/watch.h"
#include "core/device/device.h"
#include "core/model/policy/policy.h"
#include "core/registry/model_folder.h"

namespace vrp {

// A loaded version and its policy.
struct LoadedModel {
  std::shared_ptr<const ModelVersion> version;  // shared, because cards may be long
  std::shared_ptr<Policy> policy;
};

// A cache of loaded versions. For each model, keeps at most kMaxLoadedVersions: the newest finished
// version and the most recently used ones. If no version is finished, keeps the newest of all
// instead. A policy that a caller holds stays valid. Thread-safe.
class LoadedModels {
 public:
  static constexpr size_t kMaxLoadedVersions = 4;  // maximum per model
  using Key = std::pair<std::string, int32_t>;     // name and version
  using ReadVersion = std::function<absl::StatusOr<ModelVersion>()>;

  struct Options {
    DeviceId device = {};
    PolicyLoader loader = {};
    // Called on the background thread for versions that it could not load. Optional.
    std::function<void(const absl::Status&)> on_failure = nullptr;
    // Time after a failure for which FailedRecently returns true.
    absl::Duration retry_after = absl::Seconds(30);
    WatchFn watch = nullptr;  // watches "model load", which includes a first decoding
  };
  explicit LoadedModels(Options options);
  // Blocks until the background thread has loaded its current version.
  ~LoadedModels();
  LoadedModels(const LoadedModels&) = delete;
  LoadedModels& operator=(const LoadedModels&) = delete;

  // Checks the weights against the card, loads them, and warms up the network with one instance of
  // each kind that it supports. Does not cache the result. Returns kDataLoss if the weights do not
  // match the card, and kFailedPrecondition for a model that plans no routes or if the network
  // cannot decode. Also returns the errors of the loader.
  absl::StatusOr<LoadedModel> Read(const ModelVersion& version) const;
  // Reads and caches a version. Blocks while the weights load; only callers of the same version
  // wait for each other. After a failed load, the next call retries.
  absl::StatusOr<LoadedModel> Load(const ModelVersion& version);
  // Returns a loaded version; nullopt if the version is not loaded.
  std::optional<LoadedModel> Find(const Key& key);
  // The versions that a caller may get: finished ones only, or live ones (registry.h) too.
  enum class VersionFilter { kFinished, kAll };
  // Returns the newest loaded version that `numbers` (newest first) lists, or that is newer than
  // all of them. Newer versions count because the list may be outdated. A caller that was served by
  // a version must not get an older one later.
  std::optional<LoadedModel> FindNewest(std::string_view name, const std::vector<int32_t>& numbers,
                                        VersionFilter filter);
  // Queues a version for the background thread, which calls `read` for it. Does nothing if the
  // version is loaded, loading or queued already. Returns false, without queuing the version, if it
  // failed recently.
  bool QueueLoad(const Key& key, ReadVersion read);
  // Whether the last attempt to load the version failed within Options::retry_after.
  bool FailedRecently(const Key& key) const;
  bool IsLoaded(const Key& key) const;
  // Whether a version of the model is in memory.
  bool HasLoadedVersion(std::string_view name) const;
  // Drops one version, or all versions of a model if `version` is 0, except those being loaded.
  // Returns the dropped versions. Also returns unused memory to the system.
  std::vector<Key> Unload(std::string_view name, int32_t version);
  int32_t Count() const;

 private:
  struct Slot {         // one version that is loading or loaded
    bool done = false;  // whether loading has ended, successfully or not
    absl::StatusOr<LoadedModel> model = absl::UnknownError("loading");
    int64_t used = 0;  // value of uses_ at the last use
  };

  void LoadQueued();
  bool HasWork() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return stopping_ || !queue_.empty();
  }
  std::shared_ptr<Slot> FindLoadedSlot(const Key& key) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool FailedRecentlyLocked(const Key& key) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RememberFailure(const Key& key) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EvictOldest(std::string_view name) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Options options_;
  mutable absl::Mutex mutex_;  // not held while the disk is read
  std::map<Key, std::shared_ptr<Slot>> slots_ ABSL_GUARDED_BY(mutex_);
  int64_t uses_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<Key, ReadVersion> queue_ ABSL_GUARDED_BY(mutex_);
  std::optional<Key> loading_ ABSL_GUARDED_BY(mutex_);
  std::map<Key, absl::Time> failed_until_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread background_;  // last, because the thread uses the other members
};

}  // namespace vrp
