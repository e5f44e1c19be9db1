#include "core/registry/version_lists.h"

#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "core/base/text.h"

namespace vrp {
namespace {

// File systems tell times in steps, of 4 ms or of a second: a folder that changed as long ago as
// that has another time after its next change.
constexpr absl::Duration kSettled = absl::Seconds(2);

template <typename List>
std::vector<int32_t> JoinedNumbers(const std::vector<std::string>& roots, std::string_view name,
                                   const List& list) {
  std::set<int32_t, std::greater<>> numbers;
  for (const std::string& root : roots) {
    const std::vector<int32_t> found = list(root, name);
    numbers.insert(found.begin(), found.end());
  }
  return {numbers.begin(), numbers.end()};
}

}  // namespace

std::vector<int32_t> AllVersionNumbers(const std::vector<std::string>& roots,
                                       std::string_view name) {
  return JoinedNumbers(roots, name, ListVersionNumbers);
}

VersionLists::VersionLists(std::vector<std::string> roots, ListFn list)
    : roots_(std::move(roots)), list_(std::move(list)) {}

VersionLists::Stamp VersionLists::StampOf(const std::string& folder) {
  struct stat status = {};
  if (stat(folder.c_str(), &status) != 0) return {};
  return {.device = status.st_dev,
          .inode = status.st_ino,
          .changed_ns = int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

std::vector<VersionLists::Stamp> VersionLists::StampsOf(std::string_view name) const {
  std::vector<Stamp> stamps;
  stamps.reserve(roots_.size());
  for (const std::string& root : roots_) stamps.push_back(StampOf(Concat(root, "/", name)));
  return stamps;
}

VersionLists::Listed VersionLists::Read(std::string_view name, std::vector<Stamp> stamps) const {
  return {.stamps = std::move(stamps), .numbers = JoinedNumbers(roots_, name, list_)};
}

std::vector<int32_t> VersionLists::Of(std::string_view name) {
  std::vector<Stamp> stamps = StampsOf(name);
  {
    absl::MutexLock lock(&mutex_);
    const auto known = listed_.find(name);
    if (known != listed_.end() && known->second.stamps == stamps) return known->second.numbers;
  }
  const int64_t settled_ns = absl::ToUnixNanos(absl::Now() - kSettled);
  const bool settled = std::all_of(stamps.begin(), stamps.end(), [&](const Stamp& stamp) {
    return stamp.changed_ns < settled_ns;
  });
  Listed listed = Read(name, std::move(stamps));
  std::vector<int32_t> numbers = listed.numbers;
  absl::MutexLock lock(&mutex_);
  if (settled && !numbers.empty()) {
    listed_.insert_or_assign(std::string(name), std::move(listed));
  } else if (const auto known = listed_.find(name); known != listed_.end()) {
    listed_.erase(known);
  }
  return numbers;
}

}  // namespace vrp
