// Which versions of a model there are, for the way of every answer: a folder is listed again only
// where it has changed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/registry/model_folder.h"

namespace vrp {

// Numbers in all folders `roots`, usable or not, newest first; empty: no such model.
std::vector<int32_t> AllVersionNumbers(const std::vector<std::string>& roots,
                                       std::string_view name);

// Thread-safe. What is added or taken away, by whomever, is seen by the next call.
class VersionLists {
 public:
  // The versions in one folder; given by tests that count how often it is asked.
  using ListFn = std::function<std::vector<int32_t>(const std::string& root, std::string_view)>;

  explicit VersionLists(std::vector<std::string> roots, ListFn list = ListVersionNumbers);

  // As AllVersionNumbers. Reads the disk.
  std::vector<int32_t> Of(std::string_view name);

 private:
  // What tells a folder from itself before a change.
  struct Stamp {
    uint64_t device = 0;  // 0 of all: it is absent
    uint64_t inode = 0;
    int64_t changed_ns = 0;  // when an entry came or went, since 1970
    bool operator==(const Stamp&) const = default;
  };
  struct Listed {
    std::vector<Stamp> stamps;  // by root, from before the folders were read
    std::vector<int32_t> numbers;
  };
  static Stamp StampOf(const std::string& folder);
  std::vector<Stamp> StampsOf(std::string_view name) const;
  Listed Read(std::string_view name, std::vector<Stamp> stamps) const;

  const std::vector<std::string> roots_;
  const ListFn list_;
  absl::Mutex mutex_;
  std::map<std::string, Listed, std::less<>> listed_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace vrp
