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

// The function that makes an architecture's CPU engine. `json` holds checked sizes. The function is
// not a member of Architecture, so that code that only needs an architecture's facts links no
// kernels.
struct CpuEngineMaker {
  const Architecture* architecture = nullptr;
  std::unique_ptr<PolicyEngine> (*make)(std::string_view json, uint64_t seed) = nullptr;
};

std::array<CpuEngineMaker, 2> CpuEngineMakers() {
  const auto transformer = [](std::string_view json, uint64_t seed) {
    return MakeCpuGraphTransformer(*ParseGraphTransformerOptions(json, "sizes"), seed);
  };
  const auto pointer = [](std::string_view json, uint64_t seed) {
    return MakeCpuPointerNetwork(*ParsePointerNetworkOptions(json, "sizes"), seed);
  };
  return {{{&GraphTransformerArchitecture(), transformer}, {&PointerArchitecture(), pointer}}};
}

EngineOr MakeOnThisThread(const EngineRequest& request) {
  const Architecture* architecture = FindArchitecture(request.architecture);
  if (architecture == nullptr) {
    return absl::InvalidArgumentError(Concat(request.name, ": architecture: got ",
                                             Quoted(request.architecture), ", wanted ",
                                             ArchitectureNames()));
  }
  VRP_ASSIGN_OR_RETURN(const NetworkSizes sizes,
                       architecture->parse_sizes(request.architecture_json, request.name));
  if (request.device.kind != DeviceKind::kCpu) {
    return MakeTorchEngine(
        *architecture, sizes,
        {.device = request.device, .seed = request.seed, .options = request.options});
  }
  for (const CpuEngineMaker& maker : CpuEngineMakers()) {
    if (maker.architecture == architecture) return maker.make(sizes.json, request.seed);
  }
  return absl::UnimplementedError(Concat("device: got the CPU, wanted a CUDA device: a ",
                                         architecture->display_name, " has no engine for the CPU"));
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
