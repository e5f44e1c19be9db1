#include "core/model/habits/habit_model_files.h"

#include <utility>

#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/habits/counts/count_model.h"
#include "core/model/habits/count_weights.h"
#include "core/model/habits/route_weights.h"
#include "core/model/habits/sequence_weights.h"
#include "core/model/weights/read_weights.h"
#include "core/model/weights/safetensors.h"

namespace vrp {
namespace {

absl::Status CheckIsHabits(const ModelCard& card, std::string_view name) {
  if (card.architecture == kHabitsArchitecture) return absl::OkStatus();
  return absl::FailedPreconditionError(
      Concat(name, ": is a model of the architecture ", card.architecture,
             ", wanted a habit model, which `model: habits` trains"));
}

absl::Status MakeCountModel(const SafetensorsFile& weights, const std::string& path,
                            LoadedHabits& loaded) {
  VRP_ASSIGN_OR_RETURN(CountTables tables, ReadCountWeights(weights, path));
  tables.coordinates = loaded.settings.coordinates;
  tables.parameters = loaded.settings.parameters;
  tables.leg_length = loaded.settings.leg_length;
  loaded.counts = CountEntries(tables);
  loaded.model = std::make_shared<const CountModel>(std::move(tables));
  return absl::OkStatus();
}

absl::Status MakeSequenceModel(const SafetensorsFile& weights, const std::string& path,
                               LoadedHabits& loaded) {
  VRP_ASSIGN_OR_RETURN(SequenceTables tables,
                       ReadSequenceWeights(weights, loaded.settings.network, path));
  tables.scales.coordinates = loaded.settings.coordinates;
  loaded.settings.network = tables.network;
  loaded.counts = std::ssize(tables.parameters);
  absl::StatusOr<std::shared_ptr<const SequenceHabitModel>> model =
      SequenceHabitModel::Create(std::move(tables));
  if (!model.ok()) {
    return absl::DataLossError(Concat(path, ": ", FromAbsl(model.status().message())));
  }
  loaded.model = *std::move(model);
  return absl::OkStatus();
}

absl::Status WriteModel(const std::string& directory, const std::string& weights,
                        const HabitSettings& settings, ModelCard card) {
  card.architecture = kHabitsArchitecture;
  card.architecture_json = WriteHabitSettings(settings);
  card.weights_sha256 = Sha256Hex(weights);
  VRP_RETURN_IF_ERROR(EnsureDirectory(directory));
  VRP_RETURN_IF_ERROR(AtomicWriteFile(Concat(directory, "/", kWeightsFile), weights));
  return AtomicWriteFile(Concat(directory, "/", kCardFile), WriteModelCard(card));
}

}  // namespace

absl::StatusOr<LoadedHabits> LoadHabits(const std::string& directory, std::string_view name) {
  const std::string card_path = Concat(directory, "/", kCardFile);
  const std::string weights_path = Concat(directory, "/", kWeightsFile);
  VRP_ASSIGN_OR_RETURN(const std::string text, ReadFile(card_path, kMaxCardBytes));
  LoadedHabits loaded;
  VRP_ASSIGN_OR_RETURN(loaded.card, ParseModelCard(text, card_path));
  VRP_RETURN_IF_ERROR(CheckIsHabits(loaded.card, name));
  VRP_ASSIGN_OR_RETURN(loaded.settings,
                       ParseHabitSettings(loaded.card.architecture_json, card_path));
  VRP_ASSIGN_OR_RETURN(const SafetensorsFile weights, ReadWeights(weights_path, loaded.card));
  const auto make =
      loaded.settings.learner == kTransformerLearner ? MakeSequenceModel : MakeCountModel;
  VRP_RETURN_IF_ERROR(make(weights, weights_path, loaded));
  VRP_ASSIGN_OR_RETURN(loaded.routes,
                       ReadRouteHabits(weights, loaded.settings.coordinates, weights_path));
  return loaded;
}

absl::StatusOr<std::shared_ptr<const HabitModel>> LoadHabitModel(const std::string& directory,
                                                                 std::string_view name) {
  VRP_ASSIGN_OR_RETURN(LoadedHabits loaded, LoadHabits(directory, name));
  return std::move(loaded.model);
}

absl::Status WriteCountModel(const std::string& directory, const CountTables& tables,
                             const RouteHabitTables& routes, HabitSettings settings,
                             ModelCard card) {
  settings.coordinates = tables.coordinates;
  settings.parameters = tables.parameters;
  settings.leg_length = tables.leg_length;
  settings.learner = kCountsLearner;
  card.parameters = CountEntries(tables);
  return WriteModel(directory, WriteCountWeights(tables, routes), settings, std::move(card));
}

absl::Status WriteSequenceModel(const std::string& directory, const SequenceTables& tables,
                                const RouteHabitTables& routes, HabitSettings settings,
                                ModelCard card) {
  settings.learner = kTransformerLearner;
  settings.coordinates = tables.scales.coordinates;
  settings.network = tables.network;
  card.parameters = std::ssize(tables.parameters);
  return WriteModel(directory, WriteSequenceWeights(tables, routes), settings, std::move(card));
}

}  // namespace vrp
