#include "core/model/torch/engines.h"

#include <ATen/core/Tensor.h>

#include <array>
#include <utility>

#include "core/base/text.h"
#include "core/model/torch/engine.h"
#include "core/model/torch/guard.h"
#include "core/model/torch/networks.h"

namespace vrp {
namespace {

// The function that makes an architecture's network. `json` holds checked sizes.
struct NetworkMaker {
  const Architecture* architecture = nullptr;
  std::unique_ptr<TorchNetwork> (*make)(std::string_view json) = nullptr;
};

std::array<NetworkMaker, 2> NetworkMakers() {
  const auto transformer = [](std::string_view json) {
    return MakeTorchGraphTransformer(*ParseGraphTransformerOptions(json, "sizes"));
  };
  const auto pointer = [](std::string_view json) {
    return MakeTorchPointerNetwork(*ParsePointerNetworkOptions(json, "sizes"));
  };
  return {{{&GraphTransformerArchitecture(), transformer}, {&PointerArchitecture(), pointer}}};
}

// Returns null if the architecture has no network in torch's operators.
std::unique_ptr<TorchNetwork> MakeNetwork(const Architecture& architecture,
                                          const NetworkSizes& sizes) {
  for (const NetworkMaker& maker : NetworkMakers()) {
    if (maker.architecture == &architecture) return maker.make(sizes.json);
  }
  return nullptr;
}

at::Device TorchDevice(DeviceId device) {
  return device.kind == DeviceKind::kCpu
             ? at::Device(at::kCPU)
             : at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(device.index));
}

}  // namespace

absl::StatusOr<std::unique_ptr<PolicyEngine>> MakeTorchEngine(const Architecture& architecture,
                                                              const NetworkSizes& sizes,
                                                              const TorchEngineRequest& request) {
  const bool cuda = request.device.kind == DeviceKind::kCuda;
  if (request.options.precision == Precision::kFp16 && !cuda) {
    return absl::InvalidArgumentError(
        "precision: got fp16, which needs a CUDA device; on the CPU use fp32 or bf16");
  }
  std::unique_ptr<TorchNetwork> network = MakeNetwork(architecture, sizes);
  if (network == nullptr) {
    return absl::UnimplementedError(
        Concat("device: a ", architecture.display_name, " computes on the CPU only"));
  }
  std::unique_ptr<PolicyEngine> engine;
  const absl::Status status = GuardTorch([&] {
    if (cuda) ApplyTorchSwitches(request.options);
    const at::TensorOptions tensors =
        at::TensorOptions(at::kFloat).device(TorchDevice(request.device));
    engine = std::make_unique<TorchEngine>(std::move(network),
                                           FlatParameters(architecture.layout(sizes), request.seed),
                                           tensors, request.options);
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return engine;
}

}  // namespace vrp
