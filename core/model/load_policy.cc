#include <utility>

#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/model_card.h"
#include "core/model/pointer_policy.h"
#include "core/model/policy.h"
#include "core/model/torch_guard.h"

namespace vrp {
namespace {

absl::StatusOr<ModelCard> ReadCard(const std::string& path) {
  VRP_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, int64_t{4} << 20));
  VRP_ASSIGN_OR_RETURN(ModelCard card, ParseModelCard(text, path));
  if (card.architecture == "ptrnet") return card;
  return absl::InvalidArgumentError(
      Concat(path, ": architecture: got ", Quoted(card.architecture), ", wanted \"ptrnet\""));
}

absl::StatusOr<SafetensorsFile> ReadWeights(const std::string& path, const ModelCard& card) {
  VRP_ASSIGN_OR_RETURN(std::string bytes, ReadFile(path, kMaxSafetensorsBytes));
  const std::string hash = Sha256Hex(bytes);
  if (hash != card.weights_sha256) {
    return absl::InvalidArgumentError(
        Concat(path, ": SHA-256: got ", hash, ", wanted the card's ", Quoted(card.weights_sha256)));
  }
  return SafetensorsFile::Parse(std::move(bytes), path);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Policy>> LoadPolicy(const std::string& directory, DeviceId device) {
  const std::string card_path = Concat(directory, "/", kCardFile);
  const std::string weights_path = Concat(directory, "/", kWeightsFile);
  VRP_ASSIGN_OR_RETURN(const ModelCard card, ReadCard(card_path));
  VRP_ASSIGN_OR_RETURN(const PointerNetworkOptions options,
                       ParsePointerNetworkOptions(card.architecture_json, card_path));
  VRP_ASSIGN_OR_RETURN(const SafetensorsFile weights, ReadWeights(weights_path, card));
  std::unique_ptr<Policy> policy;
  absl::Status status = GuardTorch([&] {
    auto network = std::make_shared<PointerNetwork>(options, TensorsOn(device), 0);
    absl::Status loaded = network->parameters().Load(weights, weights_path);
    if (loaded.ok()) policy = MakePointerPolicy(std::move(network), card.kinds, device);
    return loaded;
  });
  if (!status.ok()) return status;
  return policy;
}

}  // namespace vrp
