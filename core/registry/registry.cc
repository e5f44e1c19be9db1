#include "core/registry/registry.h"

#include <algorithm>
#include <filesystem>

#include "absl/strings/str_join.h"
#include "core/base/file.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/registry/model_roots.h"

namespace vrp {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStagingFolder = ".staging";
constexpr std::string_view kAliasFolder = ".aliases";

}  // namespace

absl::StatusOr<std::unique_ptr<Registry>> Registry::Create(Options options) {
  if (options.loader == nullptr)
    return absl::InvalidArgumentError("registry: got no loader of policies, wanted one");
  VRP_RETURN_IF_ERROR(EnsureDirectory(options.directory));
  VRP_ASSIGN_OR_RETURN(
      std::unique_ptr<StagingArea> staging,
      StagingArea::Create((fs::path(options.directory) / kStagingFolder).string()));
  return std::unique_ptr<Registry>(new Registry(std::move(options), std::move(staging)));
}

Registry::Registry(Options options, std::unique_ptr<StagingArea> staging)
    : options_(std::move(options)),
      staging_(std::move(staging)),
      lists_(Roots()),
      aliases_((fs::path(options_.directory) / kAliasFolder).string(), *staging_),
      loaded_({.device = options_.device,
               .loader = options_.loader,
               .on_failure = options_.on_failure,
               .watch = options_.watch}) {}

std::vector<std::string> Registry::Roots() const {
  std::vector<std::string> roots = {options_.directory};
  roots.insert(roots.end(), options_.read_only_directories.begin(),
               options_.read_only_directories.end());
  return roots;
}

std::vector<ModelVersion> Registry::List() const { return ScanAll(Roots()).versions; }

std::vector<std::string> Registry::Problems() const { return ScanAll(Roots()).problems; }

absl::StatusOr<ModelVersion> Registry::Get(std::string_view name, int32_t version) const {
  VRP_RETURN_IF_ERROR(CheckModelName(name));
  if (version < 0) {
    return absl::InvalidArgumentError(
        Concat("model version: got ", version, ", wanted 1, 2, ... or 0 (newest)"));
  }
  const std::vector<std::string> roots = Roots();
  const std::vector<int32_t> numbers = AllVersionNumbers(roots, name);
  if (numbers.empty()) return NoSuchModel(roots, name);
  if (version != 0) {
    if (std::find(numbers.begin(), numbers.end(), version) != numbers.end())
      return ReadFirst(roots, name, version);
    return absl::NotFoundError(
        Concat(ModelResourceName(name, version),
               ": no such version; there are: ", absl::StrJoin(numbers, ", ")));
  }
  return Newest(name, VersionFilter::kFinished);
}

absl::StatusOr<ModelVersion> Registry::Newest(std::string_view name, VersionFilter filter) const {
  const std::vector<std::string> roots = Roots();
  const std::vector<int32_t> numbers = AllVersionNumbers(roots, name);
  if (numbers.empty()) return NoSuchModel(roots, name);
  absl::Status first_error;
  for (const int32_t number : numbers) {
    absl::StatusOr<ModelVersion> version = ReadFirst(roots, name, number);
    if (version.ok() && (filter == VersionFilter::kAll || !IsLive(version->card))) return version;
    first_error.Update(version.status());
  }
  return first_error.ok() ? OnlyLiveVersions(name, numbers.front()) : first_error;
}

bool Registry::IsLiveAlias(std::string_view name, std::string_view alias) const {
  return alias == kLiveAlias && !aliases_.Has(name, alias);
}

absl::StatusOr<ModelVersion> Registry::Resolve(const ModelReference& reference) const {
  if (reference.alias.empty()) return Get(reference.name, reference.version);
  VRP_RETURN_IF_ERROR(CheckModelName(reference.name));
  if (IsLiveAlias(reference.name, reference.alias))
    return Newest(reference.name, VersionFilter::kAll);
  VRP_ASSIGN_OR_RETURN(const int32_t version, aliases_.Find(reference.name, reference.alias));
  return Get(reference.name, version);
}

std::optional<ModelVersion> Registry::FindByTrainingJob(std::string_view training_job) const {
  if (training_job.empty()) return std::nullopt;  // imported models have no training job
  for (ModelVersion& version : List()) {
    if (version.card.training_job == training_job) return std::move(version);
  }
  return std::nullopt;
}

std::optional<LoadedModel> Registry::NewestLoaded(std::string_view name,
                                                  const std::vector<int32_t>& numbers,
                                                  VersionFilter filter) {
  std::optional<LoadedModel> newest = loaded_.FindNewest(name, numbers, filter);
  if (!newest.has_value()) return std::nullopt;
  for (const int32_t number : numbers) {
    if (number <= newest->version->version) break;
    const LoadedModels::Key key(name, number);
    const bool queued = loaded_.QueueLoad(
        key, [roots = Roots(), key] { return ReadFirst(roots, key.first, key.second); });
    if (queued) break;
  }
  return newest;
}

absl::StatusOr<LoadedModel> Registry::UseNewest(std::string_view name, VersionFilter filter) {
  const ListedVersions versions = lists_.VersionsOf(name);
  if (versions.all.empty()) return NoSuchModel(Roots(), name);
  const std::vector<int32_t>& numbers =
      filter == VersionFilter::kAll ? versions.all : versions.finished;
  if (numbers.empty()) return OnlyLiveVersions(name, versions.all.front());
  std::optional<LoadedModel> newest = NewestLoaded(name, numbers, filter);
  // A request for live weights must not get a finished version while the first live one
  // loads.
  if (newest.has_value() && (filter == VersionFilter::kFinished || IsLive(newest->version->card) ||
                             newest->version->version >= numbers.front())) {
    return *std::move(newest);
  }
  return LoadNewest(name, numbers);
}

absl::StatusOr<LoadedModel> Registry::LoadNewest(std::string_view name,
                                                 std::vector<int32_t> numbers) {
  // Versions that failed recently come last, since each attempt may read gigabytes.
  std::stable_partition(numbers.begin(), numbers.end(), [this, name](int32_t number) {
    return !loaded_.FailedRecently(LoadedModels::Key(name, number));
  });
  absl::Status first_error;
  for (const int32_t number : numbers) {
    absl::StatusOr<LoadedModel> loaded = Load(name, number);
    if (loaded.ok()) return loaded;
    first_error.Update(loaded.status());
  }
  return first_error;
}

absl::StatusOr<LoadedModel> Registry::Use(const ModelReference& reference) {
  VRP_RETURN_IF_ERROR(CheckModelName(reference.name));
  if (reference.version == 0 && reference.alias.empty()) {
    return UseNewest(reference.name, VersionFilter::kFinished);
  }
  if (IsLiveAlias(reference.name, reference.alias))
    return UseNewest(reference.name, VersionFilter::kAll);
  int32_t version = reference.version;
  if (!reference.alias.empty()) {
    VRP_ASSIGN_OR_RETURN(version, aliases_.Find(reference.name, reference.alias));
  }
  return Load(reference.name, version);
}

absl::StatusOr<LoadedModel> Registry::Load(std::string_view name, int32_t version) {
  VRP_RETURN_IF_ERROR(CheckModelName(name));
  // Looks for a loaded version first, since reading the card would slow down every request.
  if (std::optional<LoadedModel> loaded = loaded_.Find({std::string(name), version})) {
    return *std::move(loaded);
  }
  VRP_ASSIGN_OR_RETURN(const ModelVersion found, Get(name, version));
  return loaded_.Load(found);
}

std::vector<ModelReference> Registry::Unload(std::string_view name, int32_t version) {
  std::vector<ModelReference> unloaded;
  for (const auto& [model, number] : loaded_.Unload(name, version)) {
    unloaded.push_back({.name = model, .version = number});
  }
  return unloaded;
}

bool Registry::IsLoaded(const ModelVersion& version) const {
  return loaded_.IsLoaded({version.name, version.version});
}

int32_t Registry::LoadedCount() const { return loaded_.Count(); }

std::vector<std::string> Registry::AliasesOf(const ModelVersion& version) const {
  std::vector<std::string> aliases = StoredAliasesOf(version.name, version.version);
  if (!IsLive(version.card) || !IsLiveAlias(version.name, kLiveAlias)) return aliases;
  const std::vector<int32_t> numbers = AllVersionNumbers(Roots(), version.name);
  // The list is empty if the version was deleted meanwhile.
  if (numbers.empty() || numbers.front() != version.version) return aliases;
  aliases.insert(std::lower_bound(aliases.begin(), aliases.end(), kLiveAlias),
                 std::string(kLiveAlias));
  return aliases;
}

std::vector<std::string> Registry::StoredAliasesOf(std::string_view name, int32_t version) const {
  std::vector<std::string> aliases;
  for (const auto& [alias, number] : aliases_.List(name)) {
    if (number == version) aliases.push_back(alias);
  }
  return aliases;
}

absl::Status Registry::CheckLoads(std::string_view name, int32_t version) {
  VRP_ASSIGN_OR_RETURN(const ModelVersion found, Get(name, version));
  const std::string resource = ModelResourceName(found.name, found.version);
  if (found.card.architecture == kHabitsArchitecture) {
    return LoadHabitModel(found.directory, resource).status();
  }
  if (found.card.architecture == kEstimateArchitecture) {
    return EstimateModel::Load(found.directory, resource).status();
  }
  if (found.card.architecture != kDispatchArchitecture) return Load(name, version).status();
  return DispatchModel::Load(found.directory, resource).status();
}

absl::StatusOr<DispatchModel> Registry::LoadDispatch(const ModelReference& reference) const {
  VRP_ASSIGN_OR_RETURN(const ModelVersion found, Resolve(reference));
  return DispatchModel::Load(found.directory, ModelResourceName(found.name, found.version));
}

absl::StatusOr<LoadedHabits> Registry::LoadHabits(const ModelReference& reference) const {
  VRP_ASSIGN_OR_RETURN(const ModelVersion found, Resolve(reference));
  return vrp::LoadHabits(found.directory, ModelResourceName(found.name, found.version));
}

absl::StatusOr<EstimateModel> Registry::LoadEstimate(const ModelReference& reference) const {
  VRP_ASSIGN_OR_RETURN(const ModelVersion found, Resolve(reference));
  return EstimateModel::Load(found.directory, ModelResourceName(found.name, found.version));
}

absl::StatusOr<std::optional<int32_t>> Registry::SetAlias(std::string_view name,
                                                          std::string_view alias, int32_t version) {
  VRP_RETURN_IF_ERROR(CheckAliasName(alias));
  if (version < 1) {
    return absl::InvalidArgumentError(Concat("version: got ", version, ", wanted 1 or more"));
  }
  VRP_RETURN_IF_ERROR(CheckModelName(name));
  if (alias == kLiveAlias) {
    return ReservedLiveAlias(
        name, Concat("set another one, as in ", AliasResourceName(name, "production")));
  }
  VRP_RETURN_IF_ERROR(CheckLoads(name, version));
  absl::MutexLock lock(&publish_mutex_);
  // The version may have been deleted meanwhile.
  VRP_RETURN_IF_ERROR(Get(name, version).status());
  std::optional<int32_t> before;
  const absl::StatusOr<int32_t> found = aliases_.Find(name, alias);
  if (found.ok()) before = *found;
  VRP_RETURN_IF_ERROR(aliases_.Set(name, alias, version));
  return before;
}

absl::Status Registry::DeleteAlias(std::string_view name, std::string_view alias) {
  VRP_RETURN_IF_ERROR(CheckModelName(name));
  absl::MutexLock lock(&publish_mutex_);
  if (IsLiveAlias(name, alias)) {
    return ReservedLiveAlias(name, "delete the versions it must not name");
  }
  return aliases_.Delete(name, alias);
}

}  // namespace vrp
