#include "core/model/dispatch/dispatch_model.h"

#include <algorithm>
#include <utility>

#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/dispatch/learning/network_prizes.h"
#include "core/model/dispatch/dispatch_parameters.h"
#include "core/model/weights/safetensors.h"

namespace vrp {
namespace {

absl::Status CheckKind(const ModelCard& card, std::string_view name) {
  if (card.architecture != kDispatchArchitecture) {
    return absl::FailedPreconditionError(
        Concat(name, ": is a model of the architecture ", card.architecture,
               ", which plans routes; wanted a dispatch model, which `model: dispatch` trains"));
  }
  if (!std::equal(card.input_features.begin(), card.input_features.end(), kDispatchFeatures.begin(),
                  kDispatchFeatures.end())) {
    return absl::FailedPreconditionError(
        Concat(name, ": reads other features than this program computes; train it again"));
  }
  return absl::OkStatus();
}

absl::StatusOr<SafetensorsFile> ReadWeights(const std::string& path, const ModelCard& card) {
  VRP_ASSIGN_OR_RETURN(std::string bytes, ReadFile(path));
  if (Sha256Hex(bytes) != card.weights_sha256) {
    return absl::DataLossError(Concat(path, ": the SHA-256 differs from that in ", kCardFile,
                                      "; publish or copy the model again"));
  }
  return SafetensorsFile::Parse(std::move(bytes), path);
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
  // Checks the widths before the layout allocates by them.
  VRP_RETURN_IF_ERROR(PrizeNetwork::Create(settings.hidden, 0).status());
  VRP_ASSIGN_OR_RETURN(const SafetensorsFile weights, ReadWeights(weights_path, card));
  FlatParameters parameters(DispatchLayout(settings.hidden), 0);
  VRP_RETURN_IF_ERROR(parameters.Load(weights, weights_path));
  VRP_ASSIGN_OR_RETURN(PrizeNetwork network,
                       ShiftedNetwork(settings.hidden, std::as_const(parameters).values()));
  return DispatchModel(std::move(card), std::move(settings), std::move(network));
}

std::shared_ptr<const PrizeModel> DispatchModel::PrizesFor(
    const DispatchSite& site, std::shared_ptr<const RequestSampler> sampler) const {
  return std::make_shared<NetworkPrizes>(site, std::move(sampler), network_, settings_.features);
}

}  // namespace vrp
