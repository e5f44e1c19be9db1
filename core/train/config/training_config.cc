#include "core/train/config/training_config.h"

#include <algorithm>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/weights/model_card.h"
#include "core/train/config/config_checks.h"
#include "core/train/config/config_limits.h"
#include "core/train/config/config_reader.h"
#include "core/train/config/config_writer.h"
#include "core/train/config/data_sections.h"
#include "core/train/config/dispatch_section.h"
#include "core/train/config/estimate_section.h"
#include "core/train/config/habits_section.h"
#include "core/train/config/method_sections.h"
#include "core/train/config/network_section.h"
#include "core/train/config/problem_section.h"
#include "core/train/config/training_section.h"
#include "core/train/config/unused_settings.h"

namespace vrp {
namespace {

constexpr int64_t kTrainingConfigSchemaVersion = 1;
// Begins the line of each override in TrainingConfig::source.
constexpr std::string_view kOverrideComment = "# --set ";

void ReadModel(ConfigReader& reader, TrainingConfig& config) {
  std::vector<std::string_view> names;
  for (const Architecture* architecture : Architectures()) {
    names.push_back(architecture->name);
    for (const std::string_view alias : architecture->aliases) {
      reader.ReadAlias("model", alias, architecture->name);
    }
  }
  names.push_back(kDispatchArchitecture);
  names.push_back(kHabitsArchitecture);
  names.push_back(kEstimateArchitecture);
  size_t chosen = 0;
  reader.ReadWord("model", names, chosen);
  if (chosen == Architectures().size()) return SetDispatchDefaults(config);
  if (chosen == Architectures().size() + 1) return SetHabitsDefaults(reader, config);
  if (chosen > Architectures().size()) return SetEstimateDefaults(config);
  config.architecture = Architectures()[chosen];
}

// Reads the sections of all architectures. Returns the sizes of the chosen architecture.
nlohmann::ordered_json ReadSections(ConfigReader& reader, const TrainingConfig& config) {
  nlohmann::ordered_json sizes;
  for (const Architecture* architecture : Architectures()) {
    nlohmann::ordered_json section = ReadNetworkSection(reader, *architecture);
    if (architecture == config.architecture) sizes = std::move(section);
  }
  return sizes;
}

// Reads the sections of models that plan no routes. These share validation.days.
void ReadSectionsWithoutNetwork(ConfigReader& reader, TrainingConfig& config) {
  DispatchConfig other_dispatch;
  HabitsConfig other_habits;
  DispatchConfig& dispatch = config.dispatch.has_value() ? *config.dispatch : other_dispatch;
  HabitsConfig& habits = config.habits.has_value() ? *config.habits : other_habits;
  ReadDispatchSection(reader, dispatch);
  ReadHabitsSection(reader, habits);
  EstimateConfig other_estimate;
  ReadEstimateSection(reader, config.estimate.has_value() ? *config.estimate : other_estimate);
  reader.Read("validation.days", {1, 100'000},
              config.habits.has_value() ? habits.validation_days : dispatch.validation_days);
}

// Reads all keys and checks them against each other. `name` is the name of the file.
absl::StatusOr<TrainingConfig> ReadConfig(ConfigReader& reader, std::string_view name,
                                          ConfigOrigin origin) {
  int64_t schema = kTrainingConfigSchemaVersion;
  reader.Read("schema_version", {1, kMaxConfigSeed}, schema);
  if (schema > kTrainingConfigSchemaVersion) {
    // The other keys may be unknown to this program.
    return absl::InvalidArgumentError(Concat(
        name, ": schema_version: got ", schema, ", wanted at most ", kTrainingConfigSchemaVersion,
        " (the configuration is for a newer program: submit it to that one)"));
  }
  TrainingConfig config;
  reader.Require("name");
  reader.Read("name", config.name);
  if (reader.Has("name") && config.name.empty()) reader.Refuse("name", "the model's name");
  ReadModel(reader, config);
  ReadProblemSection(reader, config.problem);
  nlohmann::ordered_json sizes = ReadSections(reader, config);
  ReadTrainingSection(reader, config);
  ReadMethodSections(reader, config);
  ReadLoaderSection(reader, config.loader);
  ReadValidationSection(reader, config.validation);
  ReadSectionsWithoutNetwork(reader, config);
  ReadFeatures(reader, *config.architecture, sizes);
  VRP_ASSIGN_OR_RETURN(config.sizes, config.architecture->parse_sizes(sizes.dump(), name));
  if (config.dispatch.has_value()) {
    CheckDispatchTogether(reader, config);
  } else if (config.habits.has_value()) {
    CheckHabitsTogether(reader, config);
  } else if (config.estimate.has_value()) {
    CheckEstimateTogether(reader, config);
  } else {
    CheckTogether(reader, config);
  }
  DropUnusedSettings(reader, config, origin);
  VRP_RETURN_IF_ERROR(reader.Finish());
  return config;
}

}  // namespace

std::string_view TrainingConfig::ArchitectureName() const {
  if (dispatch.has_value()) return kDispatchArchitecture;
  if (estimate.has_value()) return kEstimateArchitecture;
  return habits.has_value() ? kHabitsArchitecture : architecture->name;
}

int64_t TrainingConfig::StepsPerEpoch() const {
  if (method != TrainingMethod::kSupervised) return batches_per_epoch;
  return (supervised.samples + batch_size - 1) / batch_size;
}

NetworkInputs TrainingConfig::Inputs() const { return InputsOf(*architecture, sizes.inputs); }

absl::StatusOr<TrainingConfig> ParseTrainingConfig(std::string_view yaml, std::string_view name,
                                                   const ConfigOverrides& overrides,
                                                   ConfigOrigin origin) {
  VRP_ASSIGN_OR_RETURN(const YamlNode root, ParseYamlTree(yaml, name));
  ConfigReader reader(root, name, overrides);
  VRP_ASSIGN_OR_RETURN(TrainingConfig config, ReadConfig(reader, name, origin));
  config.source = yaml;
  for (const std::string& text : overrides) config.source += Concat("\n", kOverrideComment, text);
  return config;
}

absl::StatusOr<TrainingConfig> ParseConfigSource(std::string_view source, std::string_view name) {
  ConfigOverrides overrides;
  std::string_view yaml = source;
  while (true) {
    const size_t end = yaml.rfind('\n');
    const std::string_view line = end == std::string_view::npos ? "" : yaml.substr(end + 1);
    if (!line.starts_with(kOverrideComment)) break;
    overrides.emplace_back(line.substr(kOverrideComment.size()));
    yaml = yaml.substr(0, end);
  }
  std::reverse(overrides.begin(), overrides.end());
  return ParseTrainingConfig(yaml, name, overrides, ConfigOrigin::kKept);
}

absl::StatusOr<ResolvedConfig> ResolveTrainingConfig(std::string_view yaml, std::string_view name,
                                                     const ConfigOverrides& overrides) {
  VRP_ASSIGN_OR_RETURN(const YamlNode root, ParseYamlTree(yaml, name));
  ConfigReader reader(root, name, overrides);
  VRP_RETURN_IF_ERROR(ReadConfig(reader, name, ConfigOrigin::kNew).status());
  // If the key is stated, a training run on a CPU logs that it is ignored.
  if (!reader.Has("loader.pin")) reader.Exclude("loader.pin");
  const std::vector<ConfigSetting> settings = reader.Resolved();
  ResolvedConfig resolved = {.yaml = WriteConfig(settings), .settings = {}};
  for (const ConfigSetting& setting : settings) resolved.settings[setting.path] = setting.Text();
  return resolved;
}

absl::StatusOr<std::map<std::string, std::string>> TrainingSettings(
    std::string_view yaml, std::string_view name, const ConfigOverrides& overrides) {
  VRP_ASSIGN_OR_RETURN(const YamlNode root, ParseYamlTree(yaml, name));
  return ConfigReader(root, name, overrides).Settings();
}

}  // namespace vrp
