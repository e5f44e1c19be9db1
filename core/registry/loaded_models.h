// The models in memory: each version is loaded once, for all who use it.
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

struct LoadedModel {
  std::shared_ptr<const ModelVersion> version;  // shared: cards may be long
  std::shared_ptr<Policy> policy;
};

// Thread-safe. Of a model the newest finished version (the newest of all where none is finished)
// and those used last stay in memory, kMaxLoadedVersions of them; who has a policy keeps it,
// whatever happens here.
class LoadedModels {
 public:
  static constexpr size_t kMaxLoadedVersions = 4;
  using Key = std::pair<std::string, int32_t>;  // name, version
  using ReadVersion = std::function<absl::StatusOr<ModelVersion>()>;

  struct Options {
    DeviceId device = {};
    PolicyLoader loader = {};
    // Told, by the background's thread, of versions that could not be loaded there.
    std::function<void(const absl::Status&)> on_failure = nullptr;
    // The time for which FailedLately is true.
    absl::Duration patience = absl::Seconds(30);
    WatchFn watch = nullptr;  // of "model load", with its first decoding
  };
  explicit LoadedModels(Options options);
  // Waits for a version that is being loaded.
  ~LoadedModels();
  LoadedModels(const LoadedModels&) = delete;
  LoadedModels& operator=(const LoadedModels&) = delete;

  // Checks the weights against the card, loads them, and lets the network decode an instance of
  // each of its kinds, so that the first request finds it warm. Not kept. kDataLoss: the weights
  // are not those of the card.
  absl::StatusOr<LoadedModel> Read(const ModelVersion& version) const;
  // As Read, kept. Blocks while the weights load: other callers of the same version wait for it,
  // those of others do not. A load that failed is tried again by the next call.
  absl::StatusOr<LoadedModel> Load(const ModelVersion& version);
  // What is in memory; nullopt: it is not, or is being loaded.
  std::optional<LoadedModel> Find(const Key& key);
  // Which versions a caller may get: finished ones alone, or live ones (see registry.h) too.
  enum class Which { kFinished, kAll };
  // The newest in memory of those that `numbers` lists, the newest first, or that came after them:
  // a list may be old when it is looked at, and who was served by a version is served by no older
  // one after it.
  std::optional<LoadedModel> FindNewest(std::string_view name, const std::vector<int32_t>& numbers,
                                        Which which);
  // Loads the version that `read` gives soon, in a thread of its own. False: it failed lately, and
  // is not tried yet.
  bool LoadSoon(const Key& key, ReadVersion read);
  // Whether the last attempt to load the version failed, within Options::patience.
  bool FailedLately(const Key& key) const;
  bool Holds(const Key& key) const;
  // Whether a version of the model is in memory.
  bool Serves(std::string_view name) const;
  // Forgets one version, or all of a model for version 0; what is being loaded stays. Gives what it
  // forgot. Memory that nobody uses any more goes back to the system.
  std::vector<Key> Unload(std::string_view name, int32_t version);
  int32_t Count() const;

 private:
  struct Slot {  // of one version that is loading or loaded
    bool done = false;
    absl::StatusOr<LoadedModel> model = absl::UnknownError("loading");
    int64_t used = 0;  // by the clock of uses
  };

  void Work();
  bool HasWork() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return stopping_ || !waiting_.empty();
  }
  std::shared_ptr<Slot> Loaded(const Key& key) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool FailedLatelyLocked(const Key& key) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RememberFailure(const Key& key) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DropOldest(std::string_view name) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Options options_;
  mutable absl::Mutex mutex_;  // never held while the disk is read
  std::map<Key, std::shared_ptr<Slot>> slots_ ABSL_GUARDED_BY(mutex_);
  int64_t uses_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<Key, ReadVersion> waiting_ ABSL_GUARDED_BY(mutex_);
  std::optional<Key> in_work_ ABSL_GUARDED_BY(mutex_);
  std::map<Key, absl::Time> failed_until_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread background_;  // last: it uses the others
};

}  // namespace vrp
