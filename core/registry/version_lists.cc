#include "core/registry/version_lists.h"

#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "core/base/number.h"
#include "core/base/text.h"

namespace vrp {
namespace {

// Age of a folder's last change after which the next change has a different time stamp. Time stamps
// of file systems have steps of 4 ms to 1 s.
constexpr absl::Duration kSettledAge = absl::Seconds(2);

}  // namespace

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

bool VersionLists::IsLiveVersion(std::string_view name, int32_t version) {
  for (const std::string& root : roots_) {
    const std::string folder = Concat(root, "/", name, "/", version);
    const Stamp stamp = StampOf(folder);
    if (stamp == Stamp()) continue;
    {
      absl::MutexLock lock(&mutex_);
      const auto seen = cards_.find(folder);
      if (seen != cards_.end() && seen->second.stamp == stamp) return seen->second.live;
    }
    const absl::StatusOr<ModelVersion> read = ReadModelVersion(root, name, version);
    if (!read.ok()) continue;
    const bool live = IsLive(read->card);
    absl::MutexLock lock(&mutex_);
    cards_.insert_or_assign(folder, CachedCard{stamp, live});
    return live;
  }
  return false;
}

void VersionLists::ForgetCards(std::string_view name,
                               const std::set<int32_t, std::greater<>>& present) {
  absl::MutexLock lock(&mutex_);
  for (const std::string& root : roots_) {
    const std::string folder = Concat(root, "/", name, "/");
    auto card = cards_.lower_bound(folder);
    while (card != cards_.end() && card->first.starts_with(folder)) {
      const std::optional<int64_t> number =
          ParseInteger(std::string_view(card->first).substr(folder.size()));
      const bool kept = number.has_value() && present.contains(static_cast<int32_t>(*number));
      card = kept ? std::next(card) : cards_.erase(card);
    }
  }
}

size_t VersionLists::RememberedCards() const {
  absl::MutexLock lock(&mutex_);
  return cards_.size();
}

ListedVersions VersionLists::Read(std::string_view name) {
  std::set<int32_t, std::greater<>> numbers;
  for (const std::string& root : roots_) {
    const std::vector<int32_t> found = list_(root, name);
    numbers.insert(found.begin(), found.end());
  }
  ForgetCards(name, numbers);
  ListedVersions versions;
  for (const int32_t number : numbers) {
    versions.all.push_back(number);
    if (!IsLiveVersion(name, number)) versions.finished.push_back(number);
  }
  return versions;
}

ListedVersions VersionLists::VersionsOf(std::string_view name) {
  std::vector<Stamp> stamps = StampsOf(name);
  {
    absl::MutexLock lock(&mutex_);
    const auto known = listed_.find(name);
    if (known != listed_.end() && known->second.stamps == stamps) return known->second.versions;
  }
  const int64_t settled_ns = absl::ToUnixNanos(absl::Now() - kSettledAge);
  const bool settled = std::all_of(stamps.begin(), stamps.end(), [&](const Stamp& stamp) {
    return stamp.changed_ns < settled_ns;
  });
  ListedVersions versions = Read(name);
  absl::MutexLock lock(&mutex_);
  if (settled && !versions.all.empty()) {
    listed_.insert_or_assign(std::string(name), Listed{std::move(stamps), versions});
  } else if (const auto known = listed_.find(name); known != listed_.end()) {
    listed_.erase(known);
  }
  return versions;
}

}  // namespace vrp
