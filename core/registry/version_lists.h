// A cache of each model's versions, which requests for the newest version use. Lists a model's
// folders again if one has changed since the last listing, or had changed less than two seconds
// before that listing. Also lists them again if there was no version.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/registry/model_folder.h"

namespace vrp {

// The version numbers of a model, usable or not, newest first.
struct ListedVersions {
  std::vector<int32_t> all;       // empty if there is no such model
  std::vector<int32_t> finished;  // without live versions
};

// A cache of version lists. Thread-safe. Each call sees the versions that any program added or
// removed before.
class VersionLists {
 public:
  // A function that lists the versions in one folder. Tests replace it to count calls.
  using ListFn = std::function<std::vector<int32_t>(const std::string& root, std::string_view)>;

  explicit VersionLists(std::vector<std::string> roots, ListFn list = ListVersionNumbers);

  // Returns the versions of the model `name` in all roots. Reads the disk.
  ListedVersions VersionsOf(std::string_view name);
  // Returns the number of versions whose cards are remembered; for tests.
  size_t RememberedCards() const;

 private:
  // The identity of one state of a folder.
  struct Stamp {
    uint64_t device = 0;  // all fields are 0 if the folder is absent
    uint64_t inode = 0;
    int64_t changed_ns = 0;  // last change of the folder's entries, since 1970
    bool operator==(const Stamp&) const = default;
  };
  struct Listed {
    std::vector<Stamp> stamps;  // by root; taken before the folders were read
    ListedVersions versions;
  };
  struct CachedCard {
    Stamp stamp;        // stamp of the version's folder
    bool live = false;  // whether the version is live
  };
  static Stamp StampOf(const std::string& folder);
  std::vector<Stamp> StampsOf(std::string_view name) const;
  ListedVersions Read(std::string_view name);
  // Whether the version is live, according to the first root with a usable card. False without one.
  bool IsLiveVersion(std::string_view name, int32_t version);
  // Forgets the cards of the model's versions that are not `present`.
  void ForgetCards(std::string_view name, const std::set<int32_t, std::greater<>>& present);

  const std::vector<std::string> roots_;
  const ListFn list_;
  mutable absl::Mutex mutex_;  // not held while the disk is read
  std::map<std::string, Listed, std::less<>> listed_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, CachedCard> cards_ ABSL_GUARDED_BY(mutex_);  // by version folder
};

}  // namespace vrp
