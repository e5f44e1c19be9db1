#include "core/registry/loaded_models.h"

#include <malloc.h>

#include <algorithm>
#include <limits>

#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "core/problem/generate/generators.h"

namespace vrp {
namespace {

constexpr int32_t kWarmUpCustomers = 10;  // number of customers of each instance of WarmUp

absl::Status WarmUp(Policy& policy, const std::string& directory) {
  for (const ProblemKind kind : policy.info().kinds) {
    VRP_ASSIGN_OR_RETURN(const Instance instance,
                         GenerateInstance({.kind = kind, .customers = kWarmUpCustomers}, 0));
    if (!policy.Supports(instance).ok()) continue;
    const auto decoded = policy.Decode({&instance, 1}, DecodeOptions());
    if (decoded.ok()) continue;
    return absl::FailedPreconditionError(
        Concat(directory, ": the network cannot be used: ", decoded.status().message()));
  }
  return absl::OkStatus();
}

}  // namespace

LoadedModels::LoadedModels(Options options)
    : options_(std::move(options)), background_([this] { LoadQueued(); }) {}

LoadedModels::~LoadedModels() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  background_.join();
}

absl::StatusOr<LoadedModel> LoadedModels::Read(const ModelVersion& version) const {
  const auto watched =
      BeginWatch(options_.watch, "model load", ModelResourceName(version.name, version.version));
  VRP_RETURN_IF_ERROR(CheckPlansRoutes(version));
  VRP_RETURN_IF_ERROR(CheckWeights(version.directory, version.card));
  VRP_ASSIGN_OR_RETURN(std::unique_ptr<Policy> policy,
                       options_.loader(version.directory, options_.device));
  if (policy == nullptr)
    return absl::InternalError(Concat(version.directory, ": the loader gave no policy"));
  VRP_RETURN_IF_ERROR(WarmUp(*policy, version.directory));
  return LoadedModel{std::make_shared<const ModelVersion>(version), std::move(policy)};
}

absl::StatusOr<LoadedModel> LoadedModels::Load(const ModelVersion& version) {
  const Key key(version.name, version.version);
  std::shared_ptr<Slot> slot;
  {
    absl::MutexLock lock(&mutex_);
    std::shared_ptr<Slot>& entry = slots_[key];
    if (entry != nullptr) {
      slot = entry;
      mutex_.Await(absl::Condition(&slot->done));
      slot->used = ++uses_;
      return slot->model;
    }
    slot = entry = std::make_shared<Slot>();
  }
  absl::StatusOr<LoadedModel> model = Read(version);
  absl::MutexLock lock(&mutex_);
  slot->model = std::move(model);
  slot->done = true;
  slot->used = ++uses_;
  if (slot->model.ok()) {
    failed_until_.erase(key);
    EvictOldest(version.name);
  } else {
    slots_.erase(key);
    RememberFailure(key);
  }
  return slot->model;
}

std::shared_ptr<LoadedModels::Slot> LoadedModels::FindLoadedSlot(const Key& key) const {
  const auto found = slots_.find(key);
  return found != slots_.end() && found->second->done && found->second->model.ok() ? found->second
                                                                                   : nullptr;
}

void LoadedModels::EvictOldest(std::string_view name) {
  std::vector<std::pair<int64_t, Key>> loaded;
  // Index of the newest finished version, or of the newest one if none is finished. Keys are
  // sorted.
  size_t kept = 0;
  bool finished = false;
  for (const auto& [key, slot] : slots_) {
    if (key.first != name || FindLoadedSlot(key) == nullptr) continue;
    loaded.emplace_back(slot->used, key);
    const bool live = IsLive((*slot->model).version->card);
    if (live && finished) continue;
    kept = loaded.size() - 1;
    finished = !live;
  }
  if (loaded.size() <= kMaxLoadedVersions) return;
  loaded[kept].first = std::numeric_limits<int64_t>::max();
  std::sort(loaded.begin(), loaded.end());
  loaded.resize(loaded.size() - kMaxLoadedVersions);
  for (const auto& [used, key] : loaded) slots_.erase(key);
}

std::optional<LoadedModel> LoadedModels::Find(const Key& key) {
  absl::MutexLock lock(&mutex_);
  const std::shared_ptr<Slot> slot = FindLoadedSlot(key);
  if (slot == nullptr) return std::nullopt;
  slot->used = ++uses_;
  return *slot->model;
}

std::optional<LoadedModel> LoadedModels::FindNewest(std::string_view name,
                                                    const std::vector<int32_t>& numbers,
                                                    VersionFilter filter) {
  absl::MutexLock lock(&mutex_);
  std::shared_ptr<Slot> newest;
  for (const auto& [key, slot] : slots_) {
    if (key.first != name || FindLoadedSlot(key) == nullptr) continue;
    if (filter == VersionFilter::kFinished && IsLive((*slot->model).version->card)) continue;
    const bool listed = std::find(numbers.begin(), numbers.end(), key.second) != numbers.end();
    if (listed || numbers.empty() || key.second > numbers.front()) newest = slot;
  }
  if (newest == nullptr) return std::nullopt;
  newest->used = ++uses_;
  return *newest->model;
}

bool LoadedModels::IsLoaded(const Key& key) const {
  absl::MutexLock lock(&mutex_);
  return FindLoadedSlot(key) != nullptr;
}

bool LoadedModels::HasLoadedVersion(std::string_view name) const {
  absl::MutexLock lock(&mutex_);
  for (const auto& [key, slot] : slots_) {
    if (key.first == name && FindLoadedSlot(key) != nullptr) return true;
  }
  return false;
}

int32_t LoadedModels::Count() const {
  absl::MutexLock lock(&mutex_);
  int32_t count = 0;
  for (const auto& [key, slot] : slots_) count += FindLoadedSlot(key) != nullptr ? 1 : 0;
  return count;
}

std::vector<LoadedModels::Key> LoadedModels::Unload(std::string_view name, int32_t version) {
  std::vector<Key> keys;
  std::vector<std::shared_ptr<Slot>> dropped;  // freed without the lock
  {
    absl::MutexLock lock(&mutex_);
    for (auto entry = slots_.begin(); entry != slots_.end();) {
      const Key& key = entry->first;
      const bool matches = key.first == name && (version == 0 || key.second == version);
      if (!matches || FindLoadedSlot(key) == nullptr) {
        ++entry;
        continue;
      }
      keys.push_back(key);
      dropped.push_back(std::move(entry->second));
      entry = slots_.erase(entry);
    }
  }
  dropped.clear();
  malloc_trim(0);
  return keys;
}

bool LoadedModels::FailedRecentlyLocked(const Key& key) const {
  const auto failed = failed_until_.find(key);
  return failed != failed_until_.end() && SteadyNow() < failed->second;
}

void LoadedModels::RememberFailure(const Key& key) {
  const absl::Time now = SteadyNow();
  std::erase_if(failed_until_, [now](const auto& entry) { return entry.second <= now; });
  failed_until_[key] = now + options_.retry_after;
}

bool LoadedModels::FailedRecently(const Key& key) const {
  absl::MutexLock lock(&mutex_);
  return FailedRecentlyLocked(key);
}

bool LoadedModels::QueueLoad(const Key& key, ReadVersion read) {
  absl::MutexLock lock(&mutex_);
  if (FailedRecentlyLocked(key)) return false;
  if (loading_ != key && !slots_.contains(key)) queue_.try_emplace(key, std::move(read));
  return true;
}

void LoadedModels::LoadQueued() {
  while (true) {
    ReadVersion read;
    {
      absl::MutexLock lock(&mutex_, absl::Condition(this, &LoadedModels::HasWork));
      if (stopping_) return;
      loading_ = queue_.begin()->first;
      read = std::move(queue_.begin()->second);
      queue_.erase(queue_.begin());
    }
    const absl::StatusOr<ModelVersion> version = read();
    const absl::Status status = version.ok() ? Load(*version).status() : version.status();
    if (!status.ok() && options_.on_failure) options_.on_failure(status);
    absl::MutexLock lock(&mutex_);
    if (!status.ok()) RememberFailure(*loading_);
    loading_.reset();
  }
}

}  // namespace vrp
