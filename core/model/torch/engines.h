// The engines with LibTorch inside: for CUDA devices, and the reference that the CPU's own engines
// are tested against. No torch in this header.
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
  uint64_t seed = 1;  // of the first weights
  EngineOptions options;
};

// kInvalidArgument: fp16 on the CPU. Whatever torch throws is a Status (kResourceExhausted: no
// memory).
absl::StatusOr<std::unique_ptr<PolicyEngine>> MakeTorchGraphTransformerEngine(
    const GraphTransformerOptions& sizes, const TorchEngineRequest& request);
absl::StatusOr<std::unique_ptr<PolicyEngine>> MakeTorchPointerEngine(
    const PointerNetworkOptions& sizes, const TorchEngineRequest& request);

}  // namespace vrp
