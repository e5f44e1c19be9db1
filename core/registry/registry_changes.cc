// Implements the functions of Registry that change its folders, except those for aliases.
#include <algorithm>
#include <filesystem>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_join.h"
#include "core/base/file.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/dispatch/dispatch_parameters.h"
#include "core/model/weights/safetensors.h"
#include "core/registry/model_roots.h"
#include "core/registry/number_file.h"
#include "core/registry/publish.h"
#include "core/registry/registry.h"

namespace vrp {
namespace {

namespace fs = std::filesystem;

// Folder with one file per model, which holds the highest deleted version number.
constexpr std::string_view kDeletedFolder = ".deleted";
constexpr std::string_view kDeletedRemedy =
    "write the highest number that a deleted version of this model had into the file";
// Maximum number of version numbers to try, since other processes may take numbers at the same
// time.
constexpr int kMaxPublishTries = 100;

}  // namespace

std::string Registry::DeletedNumberPath(std::string_view name) const {
  return (fs::path(options_.directory) / kDeletedFolder / name).string();
}

absl::StatusOr<int32_t> Registry::DeletedNumber(std::string_view name) const {
  absl::StatusOr<int32_t> number = ReadNumberFile(DeletedNumberPath(name), kDeletedRemedy);
  return absl::IsNotFound(number.status()) ? 0 : number;
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
    return absl::FailedPreconditionError(Concat(resource, ": is named by ",
                                                absl::StrJoin(aliases, ", "),
                                                "; move or delete these aliases first"));
  }
  const fs::path model_folder = fs::path(options_.directory) / name;
  const std::vector<int32_t> versions = ListVersionNumbers(options_.directory, name);
  if (std::find(versions.begin(), versions.end(), version) == versions.end()) {
    return absl::FailedPreconditionError(Concat(
        resource,
        ": is in a read-only folder, which vrpd does not change; remove its folder by hand"));
  }
  VRP_ASSIGN_OR_RETURN(const int32_t last, DeletedNumber(name));
  if (last < version) {
    VRP_RETURN_IF_ERROR(WriteNumberFile(DeletedNumberPath(name), version, *staging_));
  }
  VRP_ASSIGN_OR_RETURN(const std::string trash, staging_->Add());
  const absl::Cleanup remove_trash = [&] { staging_->Remove(trash); };
  VRP_RETURN_IF_ERROR(
      MoveFolder((model_folder / Concat(version)).string(), Concat(trash, "/deleted")));
  loaded_.Unload(name, version);
  return SyncPath(model_folder.string());
}

absl::StatusOr<std::string> Registry::StagingDirectory() { return staging_->Add(); }

void Registry::DiscardStaging(const std::string& staging_directory) {
  staging_->Remove(staging_directory);
}

absl::Status Registry::CheckArchitecture(std::string_view name,
                                         std::string_view architecture) const {
  const absl::StatusOr<ModelVersion> newest = Newest(name, VersionFilter::kAll);
  if (!newest.ok() || newest->card.architecture == architecture) return absl::OkStatus();
  return absl::FailedPreconditionError(
      Concat("models/", name, ": got a model of the architecture ", architecture, ", wanted ",
             newest->card.architecture, ", which ", ModelResourceName(name, newest->version),
             " has: versions of one name are interchangeable; choose another name"));
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
    return absl::InvalidArgumentError(Concat(
        staging_directory, ": is not a staging folder of this registry; call StagingDirectory()"));
  }
  const auto watched = BeginWatch(options_.watch, "publication", Concat("models/", name));
  VRP_ASSIGN_OR_RETURN(const ModelCard card, ReadModelFiles(staging_directory));
  VRP_RETURN_IF_ERROR(CheckWeights(staging_directory, card));
  VRP_RETURN_IF_ERROR(SyncTree(staging_directory));

  ModelVersion published;
  {
    absl::MutexLock lock(&publish_mutex_);
    if (!card.training_job.empty()) {
      if (std::optional<ModelVersion> existing = FindByTrainingJob(card.training_job)) {
        staging_->Remove(staging_directory);
        return *std::move(existing);
      }
    }
    if (other == OtherArchitecture::kRefuse) {
      VRP_RETURN_IF_ERROR(CheckArchitecture(name, card.architecture));
    }
    VRP_ASSIGN_OR_RETURN(published,
                         PublishNext(NameFor(name, card.architecture), staging_directory));
  }
  // If an older version serves, loads the new one to replace it. If the new one cannot be loaded,
  // it stays published and the older one continues to serve.
  if (IsLive(published.card) || !loaded_.HasLoadedVersion(published.name)) return published;
  const absl::Status loaded = loaded_.Load(published).status();
  if (!loaded.ok() && options_.on_failure) options_.on_failure(loaded);
  return published;
}

absl::StatusOr<int64_t> Registry::CountParameters(const ModelVersion& version) const {
  if (version.card.architecture == kDispatchArchitecture) {
    VRP_ASSIGN_OR_RETURN(const DispatchModel model,
                         DispatchModel::Load(version.directory, Concat("models/", version.name)));
    return DispatchLayout(model.settings().network).size();
  }
  if (version.card.architecture == kHabitsArchitecture) {
    VRP_ASSIGN_OR_RETURN(const LoadedHabits habits,
                         vrp::LoadHabits(version.directory, Concat("models/", version.name)));
    return habits.counts;
  }
  if (version.card.architecture == kEstimateArchitecture) {
    VRP_ASSIGN_OR_RETURN(const EstimateModel model,
                         EstimateModel::Load(version.directory, Concat("models/", version.name)));
    return CountEstimateParameters(model.settings().network);
  }
  VRP_ASSIGN_OR_RETURN(const LoadedModel loaded, loaded_.Read(version));
  return loaded.policy->info().parameters;
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
  VRP_ASSIGN_OR_RETURN(const int64_t network_parameters,
                       CountParameters({std::string(name), 0, staging_directory, card}));
  if (card.parameters != network_parameters) {
    return absl::InvalidArgumentError(
        Concat(kCardFile, ": parameters: got ", card.parameters, ", wanted ", network_parameters,
               ", as many as the network that the card describes has in ", kWeightsFile,
               "; write that number, or send the card that belongs to the weights"));
  }
  card.training_job.clear();
  card.sweep.clear();
  card.trial = 0;
  VRP_RETURN_IF_ERROR(
      AtomicWriteFile((fs::path(staging_directory) / kCardFile).string(), WriteModelCard(card)));
  return Publish(name, staging_directory);
}

absl::StatusOr<ModelVersion> Registry::AddEvaluations(
    std::string_view name, int32_t version, const std::vector<CardEvaluation>& evaluations) {
  absl::MutexLock lock(&publish_mutex_);
  VRP_ASSIGN_OR_RETURN(ModelVersion found, Get(name, version));
  const fs::path writable_folder =
      fs::path(options_.directory) / found.name / Concat(found.version);
  if (fs::path(found.directory) != writable_folder) {
    return absl::FailedPreconditionError(
        Concat(ModelResourceName(found.name, found.version),
               ": got evaluations, but the card is in a read-only folder, ", found.directory,
               "; import a copy of the model, and evaluate the copy"));
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
      staging_->ReplaceFile((writable_folder / kCardFile).string(), WriteModelCard(found.card)));
  return found;
}

absl::StatusOr<ModelVersion> Registry::PublishNext(std::string_view name,
                                                   const std::string& staging_directory) {
  const fs::path folder = fs::path(options_.directory) / name;
  VRP_RETURN_IF_ERROR(EnsureDirectory(folder.string()));
  VRP_RETURN_IF_ERROR(SyncPath(options_.directory));
  VRP_ASSIGN_OR_RETURN(const int32_t deleted, DeletedNumber(name));
  absl::Status moved;
  for (int attempt = 0; attempt < kMaxPublishTries; ++attempt) {
    const std::vector<int32_t> numbers = AllVersionNumbers(Roots(), name);
    const int32_t version = 1 + std::max(numbers.empty() ? 0 : numbers.front(), deleted);
    if (version > kMaxModelVersion) {
      return absl::FailedPreconditionError(Concat("models/", name, ": version ", kMaxModelVersion,
                                                  " is the highest possible; choose another name"));
    }
    moved = MoveFolder(staging_directory, (folder / Concat(version)).string());
    if (absl::IsAlreadyExists(moved)) continue;
    VRP_RETURN_IF_ERROR(moved);
    staging_->Release(staging_directory);
    return ReadModelVersion(options_.directory, name, version);
  }
  return moved;
}

}  // namespace vrp
