#include <utility>

#include "absl/functional/function_ref.h"
#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/make_engine.h"
#include "core/model/policy/engine_policy.h"
#include "core/model/policy/improving_policy.h"
#include "core/model/policy/policy.h"
#include "core/model/weights/model_card.h"

namespace vrp {
namespace {

absl::StatusOr<SafetensorsFile> ReadWeights(const std::string& path, const ModelCard& card) {
  VRP_ASSIGN_OR_RETURN(std::string bytes, ReadFile(path, kMaxSafetensorsBytes));
  const std::string hash = Sha256Hex(bytes);
  if (hash != card.weights_sha256) {
    return absl::InvalidArgumentError(Concat(path, ": SHA-256: got ", hash, ", wanted the card's ",
                                             Quoted(card.weights_sha256),
                                             ": take both files from the same model"));
  }
  return SafetensorsFile::Parse(std::move(bytes), path);
}

// Makes an improver, or returns null in a build without CUDA. With executors, the improver shares
// the device and its memory with training.
std::unique_ptr<BatchImprover> MakeImprover(DeviceId device, DeviceExecutors* executors) {
  if (executors == nullptr) return MakeCudaBatchImprover({.device = device.index});
  return MakeCudaBatchImprover(
      {.device = device.index,
       .runner =
           [executor = &executors->Get(device)](absl::FunctionRef<absl::Status()> work) {
             return executor->Run(Priority::kSolving, [work] { return work(); }).get();
           },
       .memory_percent = executors->shares().serving_memory_percent});
}

}  // namespace

absl::StatusOr<std::unique_ptr<Policy>> LoadPolicy(const std::string& directory, DeviceId device,
                                                   DeviceExecutors* executors) {
  const std::string card_path = Concat(directory, "/", kCardFile);
  const std::string weights_path = Concat(directory, "/", kWeightsFile);
  VRP_ASSIGN_OR_RETURN(const std::string text, ReadFile(card_path, kMaxCardBytes));
  VRP_ASSIGN_OR_RETURN(const ModelCard card, ParseModelCard(text, card_path));
  if (const std::string_view kind = KindWithoutRoutes(card); !kind.empty()) {
    return absl::FailedPreconditionError(Concat(card_path, ": is ", kind, "; name another model"));
  }
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
  VRP_RETURN_IF_ERROR((*engine)->ParametersChanged());
  std::unique_ptr<Policy> policy = MakeEnginePolicy(*std::move(engine), card.kinds, device);
  std::unique_ptr<BatchImprover> improver;
  if (device.kind == DeviceKind::kCuda) improver = MakeImprover(device, executors);
  if (improver == nullptr) return policy;
  return MakeImprovingPolicy(std::move(policy), std::move(improver));
}

PolicyLoader PolicyLoaderOn(DeviceExecutors* executors) {
  return [executors](const std::string& directory, DeviceId device) {
    return LoadPolicy(directory, device, executors);
  };
}

}  // namespace vrp
