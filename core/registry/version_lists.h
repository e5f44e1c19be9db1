// The versions of a model, for the path of every answer: a folder is listed again only where it has
// changed.
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

// Version numbers, usable or not, newest first.
struct ListedVersions {
  std::vector<int32_t> all;       // empty: no such model
  std::vector<int32_t> finished;  // without those that a running job published live
};

// Thread-safe. Sees what is added or removed, by any program, at the next call.
class VersionLists {
 public:
  // The versions in one folder; given by tests that count how often it is asked.
  using ListFn = std::function<std::vector<int32_t>(const std::string& root, std::string_view)>;

  explicit VersionLists(std::vector<std::string> roots, ListFn list = ListVersionNumbers);

  // Lists the versions in all folders `roots`. Reads the disk.
  ListedVersions Of(std::string_view name);
  // Returns the number of versions whose cards are remembered; for tests.
  size_t RememberedCards() const;

 private:
  // Identifies one state of a folder.
  struct Stamp {
    uint64_t device = 0;  // 0 of all: it is absent
    uint64_t inode = 0;
    int64_t changed_ns = 0;  // when an entry came or went, since 1970
    bool operator==(const Stamp&) const = default;
  };
  struct Listed {
    std::vector<Stamp> stamps;  // by root, from before the folders were read
    ListedVersions versions;
  };
  struct SeenCard {
    Stamp stamp;  // of its version's folder
    bool live = false;
  };
  static Stamp StampOf(const std::string& folder);
  std::vector<Stamp> StampsOf(std::string_view name) const;
  ListedVersions Read(std::string_view name);
  // By the card in the first folder that has a usable one.
  bool IsLiveVersion(std::string_view name, int32_t version);
  // Forgets the cards of the model's versions that are not `present`.
  void ForgetCards(std::string_view name, const std::set<int32_t, std::greater<>>& present);

  const std::vector<std::string> roots_;
  const ListFn list_;
  mutable absl::Mutex mutex_;  // never held while the disk is read
  std::map<std::string, Listed, std::less<>> listed_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, SeenCard> cards_ ABSL_GUARDED_BY(mutex_);  // by version folder
};

}  // namespace vrp
