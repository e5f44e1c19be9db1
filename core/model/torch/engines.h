// The engines with LibTorch. They run on CUDA devices, and serve as the reference for the CPU's own
// engines. This header needs no torch.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "core/device/device.h"
#include "core/model/graph_transformer/graph_transformer_options.h"
#include "core/model/pointer_network/pointer_network_options.h"
#include "core/model/policy/engine_options.h"
#include "core/model/policy/policy_engine.h"

namespace vrp {

struct TorchEngineRequest {
  DeviceId device;
  uint64_t seed = 1;  // seed of the initial weights
  EngineOptions options;
};

// Make engines. Return kInvalidArgument for fp16 on the CPU and for wrong sizes of a graph
// transformer. Exceptions of torch become a Status (kResourceExhausted: out of memory). In a build
// without LibTorch, return kUnimplemented.
absl::StatusOr<std::unique_ptr<PolicyEngine>> MakeTorchGraphTransformerEngine(
    const GraphTransformerOptions& sizes, const TorchEngineRequest& request);
absl::StatusOr<std::unique_ptr<PolicyEngine>> MakeTorchPointerEngine(
    const PointerNetworkOptions& sizes, const TorchEngineRequest& request);

}  // namespace vrp
