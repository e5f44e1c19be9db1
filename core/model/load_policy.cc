#include <utility>

#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/engine_policy.h"
#include "core/model/improving_policy.h"
#include "core/model/make_engine.h"
#include "core/model/model_card.h"
#include "core/model/policy.h"

namespace vrp {
namespace {

constexpr int64_t kMaxCardBytes = int64_t{4} << 20;

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

absl::StatusOr<std::unique_ptr<Policy>> LoadPolicy(const std::string& directory, DeviceId device,
                                                   DeviceExecutors* executors) {
  const std::string card_path = Concat(directory, "/", kCardFile);
  const std::string weights_path = Concat(directory, "/", kWeightsFile);
  VRP_ASSIGN_OR_RETURN(const std::string text, ReadFile(card_path, kMaxCardBytes));
  VRP_ASSIGN_OR_RETURN(const ModelCard card, ParseModelCard(text, card_path));
  absl::StatusOr<std::unique_ptr<PolicyEngine>> engine =
      MakeEngine({.architecture = card.architecture,
                  .architecture_json = card.architecture_json,
                  .name = card_path,
                  .device = device,
                  .options = {},
                  .executors = executors});
  if (!engine.ok()) return engine.status();
  VRP_ASSIGN_OR_RETURN(const SafetensorsFile weights, ReadWeights(weights_path, card));
  VRP_RETURN_IF_ERROR((*engine)->parameters().Load(weights, weights_path));
  (*engine)->ParametersChanged();
  std::unique_ptr<Policy> policy = MakeEnginePolicy(*std::move(engine), card.kinds, device);
  std::unique_ptr<BatchImprover> improver;
  if (device.kind == DeviceKind::kCuda) improver = MakeCudaBatchImprover(device.index);
  if (improver == nullptr) return policy;
  return MakeImprovingPolicy(std::move(policy), std::move(improver));
}

PolicyLoader PolicyLoaderOn(DeviceExecutors* executors) {
  return [executors](const std::string& directory, DeviceId device) {
    return LoadPolicy(directory, device, executors);
  };
}

}  // namespace vrp
