#include "core/train/run/initial_model.h"

#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/file.h"
#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/weights/flat_parameters.h"
#include "core/model/weights/model_card.h"
#include "core/model/weights/safetensors.h"

namespace vrp {
namespace {

namespace fs = std::filesystem;

bool IsFolder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

// Returns the folder NAME/N of `models/NAME/versions/N`, or nullopt for other names.
std::optional<std::string> VersionFolder(std::string_view name) {
  constexpr std::string_view kModels = "models/";
  constexpr std::string_view kVersions = "/versions/";
  if (!name.starts_with(kModels)) return std::nullopt;
  name.remove_prefix(kModels.size());
  const size_t at = name.find(kVersions);
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  const std::string_view model = name.substr(0, at);
  const std::string_view version = name.substr(at + kVersions.size());
  const bool plain = model.find('/') == std::string_view::npos && model.front() != '.';
  const std::optional<int64_t> number = ParseInteger(version);
  if (!plain || !number || *number < 1) return std::nullopt;
  return Concat(model, "/", *number);
}

absl::StatusOr<std::string> FindModel(const std::string& name,
                                      const std::vector<std::string>& directories) {
  const std::optional<std::string> version = VersionFolder(name);
  if (!version) return name;
  for (const std::string& directory : directories) {
    std::string folder = Concat(directory, "/", *version);
    if (IsFolder(folder)) return folder;
  }
  // Looks below the working directory, which may be a source checkout.
  if (IsFolder(Concat("models/", *version))) return Concat("models/", *version);
  return absl::NotFoundError(
      Concat("training.initial_model: ", name,
             ": there is no such model; list the models: vrpctl models list"));
}

absl::StatusOr<bool> SameSizes(const TrainingConfig& config, const ModelCard& card) {
  if (card.architecture != config.architecture->name) return false;
  VRP_ASSIGN_OR_RETURN(const NetworkSizes sizes,
                       config.architecture->parse_sizes(card.architecture_json, "architecture"));
  return sizes.fixed_json == config.sizes.fixed_json;
}

absl::Status CheckCard(const TrainingConfig& config, const std::string& path) {
  VRP_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  VRP_ASSIGN_OR_RETURN(const ModelCard card, ParseModelCard(text, path));
  VRP_ASSIGN_OR_RETURN(const bool same, SameSizes(config, card));
  if (same) return absl::OkStatus();
  return absl::InvalidArgumentError(Concat(
      "training.initial_model: ", path, ": has ", card.architecture, " ", card.architecture_json,
      ", but the configuration says ", config.architecture->name, " ", config.sizes.json));
}

// A weights file and its path.
struct InitialWeights {
  SafetensorsFile file;
  std::string path;
};

absl::StatusOr<InitialWeights> OpenInitialModel(
    const TrainingConfig& config, const std::vector<std::string>& models_directories) {
  VRP_ASSIGN_OR_RETURN(std::string path, FindModel(config.initial_model, models_directories));
  if (IsFolder(path)) {
    VRP_RETURN_IF_ERROR(CheckCard(config, Concat(path, "/", kCardFile)));
    path = Concat(path, "/", kWeightsFile);
  }
  VRP_ASSIGN_OR_RETURN(std::string bytes, ReadFile(path, kMaxSafetensorsBytes));
  VRP_ASSIGN_OR_RETURN(SafetensorsFile file, SafetensorsFile::Parse(std::move(bytes), path));
  return InitialWeights{std::move(file), std::move(path)};
}

}  // namespace

absl::Status LoadInitialModel(const TrainingConfig& config,
                              const std::vector<std::string>& models_directories,
                              PolicyEngine& engine) {
  VRP_ASSIGN_OR_RETURN(const InitialWeights weights, OpenInitialModel(config, models_directories));
  VRP_RETURN_IF_ERROR(engine.parameters().Load(weights.file, weights.path));
  return engine.ParametersChanged();
}

absl::Status CheckInitialModel(const TrainingConfig& config,
                               const std::vector<std::string>& models_directories) {
  VRP_ASSIGN_OR_RETURN(const InitialWeights weights, OpenInitialModel(config, models_directories));
  return CheckParameters(config.architecture->layout(config.sizes), weights.file, weights.path);
}

}  // namespace vrp
