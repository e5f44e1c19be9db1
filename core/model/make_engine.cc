#include "core/model/make_engine.h"

#include <array>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/architectures.h"
#include "core/model/graph_transformer/cpu_graph_transformer.h"
#include "core/model/graph_transformer/graph_transformer_architecture.h"
#include "core/model/pointer_network/cpu_pointer_network.h"
#include "core/model/pointer_network/pointer_architecture.h"
#include "core/model/policy/owned_engine.h"
#include "core/model/torch/engines.h"

namespace vrp {
namespace {

using EngineOr = absl::StatusOr<std::unique_ptr<PolicyEngine>>;

// The engines of an architecture. They are not in Architecture, so that code that only needs its
// facts does not link kernels and LibTorch.
struct EngineMakers {
  const Architecture* architecture = nullptr;
  EngineOr (*cpu)(const EngineRequest& request) = nullptr;
  EngineOr (*torch)(const EngineRequest& request, const TorchEngineRequest& own) = nullptr;
};

EngineOr MakeOnCpuTransformer(const EngineRequest& request) {
  VRP_ASSIGN_OR_RETURN(const GraphTransformerOptions sizes,
                       ParseGraphTransformerOptions(request.architecture_json, request.name));
  return MakeCpuGraphTransformer(sizes, request.seed);
}

EngineOr MakeOnTorchTransformer(const EngineRequest& request, const TorchEngineRequest& own) {
  VRP_ASSIGN_OR_RETURN(const GraphTransformerOptions sizes,
                       ParseGraphTransformerOptions(request.architecture_json, request.name));
  return MakeTorchGraphTransformerEngine(sizes, own);
}

EngineOr MakeOnCpuPointer(const EngineRequest& request) {
  VRP_ASSIGN_OR_RETURN(const PointerNetworkOptions sizes,
                       ParsePointerNetworkOptions(request.architecture_json, request.name));
  return MakeCpuPointerNetwork(sizes, request.seed);
}

EngineOr MakeOnTorchPointer(const EngineRequest& request, const TorchEngineRequest& own) {
  VRP_ASSIGN_OR_RETURN(const PointerNetworkOptions sizes,
                       ParsePointerNetworkOptions(request.architecture_json, request.name));
  return MakeTorchPointerEngine(sizes, own);
}

std::array<EngineMakers, 2> AllMakers() {
  return {{{&GraphTransformerArchitecture(), MakeOnCpuTransformer, MakeOnTorchTransformer},
           {&PointerArchitecture(), MakeOnCpuPointer, MakeOnTorchPointer}}};
}

EngineOr MakeOnThisThread(const EngineRequest& request) {
  for (const EngineMakers& makers : AllMakers()) {
    if (makers.architecture->name != request.architecture) continue;
    if (request.device.kind == DeviceKind::kCpu) return makers.cpu(request);
    return makers.torch(
        request, {.device = request.device, .seed = request.seed, .options = request.options});
  }
  return absl::InvalidArgumentError(Concat(request.name, ": architecture: got ",
                                           Quoted(request.architecture), ", wanted ",
                                           ArchitectureNames()));
}

}  // namespace

absl::StatusOr<std::unique_ptr<PolicyEngine>> MakeEngine(const EngineRequest& request) {
  if (request.executors == nullptr || request.device.kind == DeviceKind::kCpu) {
    return MakeOnThisThread(request);
  }
  DeviceExecutor& executor = request.executors->Get(request.device);
  std::unique_ptr<PolicyEngine> engine;
  const auto make = [&]() -> absl::Status {
    VRP_ASSIGN_OR_RETURN(engine, MakeOnThisThread(request));
    return absl::OkStatus();
  };
  VRP_RETURN_IF_ERROR(executor.Run(request.priority, make).get());
  return MakeOwnedEngine(std::move(engine), executor, request.priority);
}

}  // namespace vrp
