#include "core/model/make_engine.h"

#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/graph_transformer/cpu_graph_transformer.h"
#include "core/model/pointer_network/cpu_pointer_network.h"
#include "core/model/policy/owned_engine.h"
#include "core/model/torch/engines.h"

namespace vrp {
namespace {

absl::StatusOr<std::unique_ptr<PolicyEngine>> MakeGraphTransformer(const EngineRequest& request) {
  VRP_ASSIGN_OR_RETURN(const GraphTransformerOptions sizes,
                       ParseGraphTransformerOptions(request.architecture_json, request.name));
  if (request.device.kind == DeviceKind::kCuda) {
    return MakeTorchGraphTransformerEngine(
        sizes, {.device = request.device, .seed = request.seed, .options = request.options});
  }
  return MakeCpuGraphTransformer(sizes, request.seed);
}

absl::StatusOr<std::unique_ptr<PolicyEngine>> MakePointerNetwork(const EngineRequest& request) {
  VRP_ASSIGN_OR_RETURN(const PointerNetworkOptions sizes,
                       ParsePointerNetworkOptions(request.architecture_json, request.name));
  if (request.device.kind == DeviceKind::kCuda) {
    return MakeTorchPointerEngine(
        sizes, {.device = request.device, .seed = request.seed, .options = request.options});
  }
  return MakeCpuPointerNetwork(sizes, request.seed);
}

absl::StatusOr<std::unique_ptr<PolicyEngine>> MakeAny(const EngineRequest& request) {
  if (request.architecture == "gt") return MakeGraphTransformer(request);
  if (request.architecture == "ptrnet") return MakePointerNetwork(request);
  return absl::InvalidArgumentError(Concat(request.name, ": architecture: got ",
                                           Quoted(request.architecture),
                                           ", wanted \"gt\" or \"ptrnet\""));
}

}  // namespace

absl::StatusOr<std::unique_ptr<PolicyEngine>> MakeEngine(const EngineRequest& request) {
  if (request.executors == nullptr || request.device.kind == DeviceKind::kCpu) {
    return MakeAny(request);
  }
  DeviceExecutor& executor = request.executors->Of(request.device);
  std::unique_ptr<PolicyEngine> engine;
  const auto make = [&]() -> absl::Status {
    VRP_ASSIGN_OR_RETURN(engine, MakeAny(request));
    return absl::OkStatus();
  };
  VRP_RETURN_IF_ERROR(executor.Run(request.priority, make).get());
  return MakeOwnedEngine(std::move(engine), executor, request.priority);
}

}  // namespace vrp
