#include "core/model/dispatch/dispatch_model.h"

#include <memory>
#include <span>
#include <utility>

#include "core/base/file.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/dispatch/dispatch_parameters.h"
#include "core/model/weights/read_weights.h"
#include "core/model/weights/safetensors.h"

namespace vrp {
namespace {

absl::Status CheckKind(const ModelCard& card, std::string_view name) {
  if (card.architecture == kDispatchArchitecture) return absl::OkStatus();
  return absl::FailedPreconditionError(
      Concat(name, ": is a model of the architecture ", card.architecture,
             ", which plans routes; wanted a dispatch model, which `model: dispatch` trains"));
}

absl::Status CheckFeatures(const ModelCard& card, const PrizeNetworkOptions& options,
                           std::string_view name) {
  if (card.input_features == InputFeatures(options)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      Concat(name, ": reads other features than this program computes; train it again"));
}

}  // namespace

absl::StatusOr<DispatchModel> DispatchModel::Load(const std::string& directory,
                                                  std::string_view name) {
  const std::string card_path = Concat(directory, "/", kCardFile);
  const std::string weights_path = Concat(directory, "/", kWeightsFile);
  VRP_ASSIGN_OR_RETURN(const std::string text, ReadFile(card_path, kMaxCardBytes));
  VRP_ASSIGN_OR_RETURN(ModelCard card, ParseModelCard(text, card_path));
  VRP_RETURN_IF_ERROR(CheckKind(card, name));
  VRP_ASSIGN_OR_RETURN(DispatchSettings settings,
                       ParseDispatchSettings(card.architecture_json, card_path));
  VRP_RETURN_IF_ERROR(CheckFeatures(card, settings.network, name));
  // Checks the sizes before the layout allocates by them.
  VRP_ASSIGN_OR_RETURN(std::unique_ptr<PrizeNetwork> network,
                       MakePrizeNetwork(settings.network, 0));
  VRP_ASSIGN_OR_RETURN(const SafetensorsFile weights, ReadWeights(weights_path, card));
  FlatParameters parameters(DispatchLayout(settings.network), 0);
  VRP_RETURN_IF_ERROR(parameters.Load(weights, weights_path));
  const std::span<const float> values = std::as_const(parameters).values();
  CopyToNetwork(values, *network);
  return DispatchModel(std::move(card), std::move(settings),
                       {.network = std::move(network), .shift = values.back()});
}

std::shared_ptr<const PrizeModel> DispatchModel::PrizesFor(
    const DispatchSite& site, std::shared_ptr<const RequestSampler> sampler) const {
  return std::make_shared<NetworkPrizes>(site, std::move(sampler), network_, settings_.features);
}

}  // namespace vrp
