#include "core/model/torch/engines.h"

#include <ATen/core/Tensor.h>

#include <utility>

#include "core/model/graph_transformer/graph_transformer_layout.h"
#include "core/model/pointer_network/pointer_layout.h"
#include "core/model/torch/engine.h"
#include "core/model/torch/graph_transformer.h"
#include "core/model/torch/guard.h"
#include "core/model/torch/pointer_network.h"

namespace vrp {
namespace {

at::Device TorchDevice(DeviceId device) {
  return device.kind == DeviceKind::kCpu
             ? at::Device(at::kCPU)
             : at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(device.index));
}

absl::StatusOr<std::unique_ptr<PolicyEngine>> MakeEngineOf(std::unique_ptr<TorchNetwork> network,
                                                           ParameterLayout layout,
                                                           const TorchEngineRequest& request) {
  const bool cuda = request.device.kind == DeviceKind::kCuda;
  if (request.options.precision == Precision::kFp16 && !cuda) {
    return absl::InvalidArgumentError("precision: got fp16, which needs a CUDA device");
  }
  std::unique_ptr<PolicyEngine> engine;
  const absl::Status status = GuardTorch([&] {
    if (cuda) ApplyTorchSwitches(request.options);
    const at::TensorOptions tensors =
        at::TensorOptions(at::kFloat).device(TorchDevice(request.device));
    engine = std::make_unique<TorchEngine>(std::move(network),
                                           FlatParameters(std::move(layout), request.seed), tensors,
                                           request.options);
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return engine;
}

}  // namespace

absl::StatusOr<std::unique_ptr<PolicyEngine>> MakeTorchGraphTransformerEngine(
    const GraphTransformerOptions& sizes, const TorchEngineRequest& request) {
  if (absl::Status status = CheckGraphTransformerOptions(sizes); !status.ok()) return status;
  return MakeEngineOf(MakeTorchGraphTransformer(sizes), GraphTransformerLayout(sizes), request);
}

absl::StatusOr<std::unique_ptr<PolicyEngine>> MakeTorchPointerEngine(
    const PointerNetworkOptions& sizes, const TorchEngineRequest& request) {
  return MakeEngineOf(MakeTorchPointerNetwork(sizes), PointerLayout(sizes), request);
}

}  // namespace vrp
