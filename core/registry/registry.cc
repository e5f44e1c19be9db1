#include "core/registry/registry.h"

#include <algorithm>
#include <filesystem>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_join.h"
#include "core/base/file.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/weights/safetensors.h"
#include "core/registry/model_roots.h"
#include "core/registry/number_file.h"
#include "core/registry/publish.h"

namespace vrp {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStagingFolder = ".staging";
constexpr std::string_view kAliasFolder = ".aliases";
// File with the highest deleted version number of a model.
constexpr std::string_view kDeletedFolder = ".deleted";
constexpr int kMaxPublishTries = 100;  // other processes may take version numbers at the same time

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
  return Newest(name, Which::kFinished);
}

absl::StatusOr<ModelVersion> Registry::Newest(std::string_view name, Which which) const {
  const std::vector<std::string> roots = Roots();
  const std::vector<int32_t> numbers = AllVersionNumbers(roots, name);
  if (numbers.empty()) return NoSuchModel(roots, name);
  absl::Status first_error;
  for (const int32_t number : numbers) {
    absl::StatusOr<ModelVersion> version = ReadFirst(roots, name, number);
    if (version.ok() && (which == Which::kAll || !IsLive(version->card))) return version;
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
  if (IsLiveAlias(reference.name, reference.alias)) return Newest(reference.name, Which::kAll);
  VRP_ASSIGN_OR_RETURN(const int32_t version, aliases_.Find(reference.name, reference.alias));
  return Get(reference.name, version);
}

std::optional<ModelVersion> Registry::FindByTrainingJob(std::string_view training_job) const {
  if (training_job.empty()) return std::nullopt;  // imported models have none
  for (ModelVersion& version : List()) {
    if (version.card.training_job == training_job) return std::move(version);
  }
  return std::nullopt;
}

std::optional<LoadedModel> Registry::NewestLoaded(std::string_view name,
                                                  const std::vector<int32_t>& numbers,
                                                  Which which) {
  std::optional<LoadedModel> newest = loaded_.FindNewest(name, numbers, which);
  if (!newest.has_value()) return std::nullopt;
  for (const int32_t number : numbers) {
    if (number <= newest->version->version) break;
    const LoadedModels::Key key(name, number);
    const bool asked = loaded_.LoadSoon(
        key, [roots = Roots(), key] { return ReadFirst(roots, key.first, key.second); });
    if (asked) break;
  }
  return newest;
}

absl::StatusOr<LoadedModel> Registry::UseNewest(std::string_view name, Which which) {
  const ListedVersions versions = lists_.Of(name);
  if (versions.all.empty()) return NoSuchModel(Roots(), name);
  const std::vector<int32_t>& numbers = which == Which::kAll ? versions.all : versions.finished;
  if (numbers.empty()) return OnlyLiveVersions(name, versions.all.front());
  std::optional<LoadedModel> newest = NewestLoaded(name, numbers, which);
  // A caller that wants live weights must not get a finished version while the first live one
  // loads.
  if (newest.has_value() && (which == Which::kFinished || IsLive(newest->version->card) ||
                             newest->version->version >= numbers.front())) {
    return *std::move(newest);
  }
  return LoadNewest(name, numbers);
}

absl::StatusOr<LoadedModel> Registry::LoadNewest(std::string_view name,
                                                 std::vector<int32_t> numbers) {
  // Versions that failed recently come last, since each attempt may read gigabytes.
  std::stable_partition(numbers.begin(), numbers.end(), [this, name](int32_t number) {
    return !loaded_.FailedLately(LoadedModels::Key(name, number));
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
    return UseNewest(reference.name, Which::kFinished);
  }
  if (IsLiveAlias(reference.name, reference.alias)) return UseNewest(reference.name, Which::kAll);
  int32_t version = reference.version;
  if (!reference.alias.empty()) {
    VRP_ASSIGN_OR_RETURN(version, aliases_.Find(reference.name, reference.alias));
  }
  return Load(reference.name, version);
}

absl::StatusOr<LoadedModel> Registry::Load(std::string_view name, int32_t version) {
  VRP_RETURN_IF_ERROR(CheckModelName(name));
  // If the version is loaded, no card is read: every request passes here.
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
  return loaded_.Holds({version.name, version.version});
}

int32_t Registry::LoadedCount() const { return loaded_.Count(); }

std::vector<std::string> Registry::AliasesOf(const ModelVersion& version) const {
  std::vector<std::string> aliases = StoredAliasesOf(version.name, version.version);
  if (!IsLive(version.card) || !IsLiveAlias(version.name, kLiveAlias)) return aliases;
  const std::vector<int32_t> numbers = AllVersionNumbers(Roots(), version.name);
  // It is empty if the version was deleted meanwhile.
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
  VRP_RETURN_IF_ERROR(Load(name, version).status());
  absl::MutexLock lock(&publish_mutex_);
  VRP_RETURN_IF_ERROR(Get(name, version).status());  // it was not deleted meanwhile
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
    return ReservedLiveAlias(name, "delete the versions that it is not to name");
  }
  return aliases_.Delete(name, alias);
}

std::string Registry::DeletedNumberPath(std::string_view name) const {
  return (fs::path(options_.directory) / kDeletedFolder / name).string();
}

absl::Status Registry::Delete(std::string_view name, int32_t version) {
  VRP_RETURN_IF_ERROR(CheckModelName(name));
  absl::MutexLock lock(&publish_mutex_);
  const std::vector<int32_t> numbers = AllVersionNumbers(Roots(), name);
  const std::string resource = ModelResourceName(name, version);
  if (std::find(numbers.begin(), numbers.end(), version) == numbers.end()) {
    return absl::NotFoundError(Concat(resource, ": no such version"));
  }
  if (const std::vector<std::string> aliases = StoredAliasesOf(name, version); !aliases.empty()) {
    return absl::FailedPreconditionError(Concat(resource, ": is what the alias ",
                                                absl::StrJoin(aliases, ", "),
                                                " names; move or delete that first"));
  }
  const fs::path own = fs::path(options_.directory) / name;
  const std::vector<int32_t> ours = ListVersionNumbers(options_.directory, name);
  if (std::find(ours.begin(), ours.end(), version) == ours.end()) {
    return absl::FailedPreconditionError(
        Concat(resource, ": lies in a read-only folder and is not deleted"));
  }
  const std::string last_path = DeletedNumberPath(name);
  const absl::StatusOr<int32_t> last = ReadNumberFile(last_path);
  if (!last.ok() || *last < version) {
    VRP_RETURN_IF_ERROR(WriteNumberFile(last_path, version, *staging_));
  }
  VRP_ASSIGN_OR_RETURN(const std::string grave, staging_->Add());
  const absl::Cleanup bury = [&] { staging_->Remove(grave); };
  VRP_RETURN_IF_ERROR(MoveFolder((own / Concat(version)).string(), Concat(grave, "/deleted")));
  loaded_.Unload(name, version);
  return SyncPath(own.string());
}

absl::StatusOr<std::string> Registry::StagingDirectory() { return staging_->Add(); }

void Registry::DiscardStaging(const std::string& staging_directory) {
  staging_->Remove(staging_directory);
}

absl::Status Registry::CheckArchitecture(std::string_view name,
                                         std::string_view architecture) const {
  const absl::StatusOr<ModelVersion> newest = Newest(name, Which::kAll);
  if (!newest.ok() || newest->card.architecture == architecture) return absl::OkStatus();
  return absl::FailedPreconditionError(
      Concat("models/", name, ": got a model of the architecture ", architecture, ", wanted ",
             newest->card.architecture, ", which ", ModelResourceName(name, newest->version),
             " has: versions of one name can stand in for each other; choose another name"));
}

std::string Registry::NameFor(std::string_view name, std::string_view architecture) const {
  std::string chosen(name);
  for (int attempt = 1; !CheckArchitecture(chosen, architecture).ok(); ++attempt) {
    const std::string suffix =
        Concat("-", architecture, attempt > 1 ? Concat("-", attempt) : std::string());
    chosen = Concat(name.substr(0, kMaxModelNameLength - suffix.size()), suffix);
  }
  return chosen;
}

absl::StatusOr<ModelVersion> Registry::Publish(std::string_view name,
                                               const std::string& staging_directory,
                                               OtherArchitecture other) {
  VRP_RETURN_IF_ERROR(CheckModelName(name));
  if (!staging_->Holds(staging_directory)) {
    return absl::InvalidArgumentError(
        Concat(staging_directory,
               ": is no staging folder of this registry; take one from StagingDirectory()"));
  }
  const auto watched = BeginWatch(options_.watch, "publication", Concat("models/", name));
  VRP_ASSIGN_OR_RETURN(const ModelCard card, ReadModelFiles(staging_directory));
  VRP_RETURN_IF_ERROR(CheckWeights(staging_directory, card));
  VRP_RETURN_IF_ERROR(SyncTree(staging_directory));

  ModelVersion made;
  {
    absl::MutexLock lock(&publish_mutex_);
    if (!card.training_job.empty()) {
      if (std::optional<ModelVersion> published = FindByTrainingJob(card.training_job)) {
        staging_->Remove(staging_directory);
        return *std::move(published);
      }
    }
    if (other == OtherArchitecture::kRefuse) {
      VRP_RETURN_IF_ERROR(CheckArchitecture(name, card.architecture));
    }
    VRP_ASSIGN_OR_RETURN(made, PublishNext(NameFor(name, card.architecture), staging_directory));
  }
  // If an older version serves, this one takes over. If it cannot be loaded, it is published
  // nevertheless and the older one continues to serve.
  if (IsLive(made.card) || !loaded_.Serves(made.name)) return made;
  const absl::Status loaded = loaded_.Load(made).status();
  if (!loaded.ok() && options_.on_failure) options_.on_failure(loaded);
  return made;
}

absl::StatusOr<ModelVersion> Registry::Import(std::string_view name,
                                              const std::string& staging_directory) {
  const auto watched = BeginWatch(options_.watch, "import", Concat("models/", name));
  VRP_ASSIGN_OR_RETURN(ModelCard card, ReadModelFiles(staging_directory));
  VRP_RETURN_IF_ERROR(CheckModelName(name));
  VRP_RETURN_IF_ERROR(CheckArchitecture(name, card.architecture));
  const fs::path weights = fs::path(staging_directory) / kWeightsFile;
  VRP_ASSIGN_OR_RETURN(std::string bytes, ReadFile(weights.string(), kMaxSafetensorsBytes));
  VRP_RETURN_IF_ERROR(SafetensorsFile::Parse(std::move(bytes), kWeightsFile).status());
  VRP_ASSIGN_OR_RETURN(const LoadedModel loaded,
                       loaded_.Read({std::string(name), 0, staging_directory, card}));
  if (const int64_t has = loaded.policy->info().parameters; card.parameters != has) {
    return absl::InvalidArgumentError(
        Concat(kCardFile, ": parameters: got ", card.parameters, ", wanted ", has,
               ", as many as the network that the card describes has in ", kWeightsFile,
               "; write that number, or send the card that belongs to the weights"));
  }
  card.training_job.clear();
  VRP_RETURN_IF_ERROR(
      AtomicWriteFile((fs::path(staging_directory) / kCardFile).string(), WriteModelCard(card)));
  return Publish(name, staging_directory);
}

absl::StatusOr<ModelVersion> Registry::AddEvaluations(
    std::string_view name, int32_t version, const std::vector<CardEvaluation>& evaluations) {
  absl::MutexLock lock(&publish_mutex_);
  VRP_ASSIGN_OR_RETURN(ModelVersion found, Get(name, version));
  const fs::path own = fs::path(options_.directory) / found.name / Concat(found.version);
  if (fs::path(found.directory) != own) {
    return absl::FailedPreconditionError(Concat(ModelResourceName(found.name, found.version),
                                                ": lies in a read-only folder, ", found.directory));
  }
  std::vector<CardEvaluation>& rows = found.card.evaluations;
  for (const CardEvaluation& added : evaluations) {
    std::erase_if(rows, [&added](const CardEvaluation& row) {
      return row.data == added.data && row.mode == added.mode && row.reference == added.reference;
    });
    rows.push_back(added);
  }
  if (rows.size() > kMaxCardEvaluations) {
    rows.erase(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(kMaxCardEvaluations));
  }
  VRP_RETURN_IF_ERROR(
      staging_->ReplaceFile((own / kCardFile).string(), WriteModelCard(found.card)));
  return found;
}

absl::StatusOr<ModelVersion> Registry::PublishNext(std::string_view name,
                                                   const std::string& staging_directory) {
  const fs::path folder = fs::path(options_.directory) / name;
  VRP_RETURN_IF_ERROR(EnsureDirectory(folder.string()));
  VRP_RETURN_IF_ERROR(SyncPath(options_.directory));
  absl::Status taken;
  for (int attempt = 0; attempt < kMaxPublishTries; ++attempt) {
    const std::vector<int32_t> numbers = AllVersionNumbers(Roots(), name);
    const absl::StatusOr<int32_t> deleted = ReadNumberFile(DeletedNumberPath(name));
    const int32_t version =
        1 + std::max(numbers.empty() ? 0 : numbers.front(), deleted.ok() ? *deleted : 0);
    if (version > kMaxModelVersion) {
      return absl::FailedPreconditionError(Concat("models/", name, ": version ", kMaxModelVersion,
                                                  " is the last; take another name"));
    }
    taken = MoveFolder(staging_directory, (folder / Concat(version)).string());
    if (absl::IsAlreadyExists(taken)) continue;
    VRP_RETURN_IF_ERROR(taken);
    staging_->Release(staging_directory);
    return ReadModelVersion(options_.directory, name, version);
  }
  return taken;
}

}  // namespace vrp
