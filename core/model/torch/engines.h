// The engines with LibTorch. They run on CUDA devices. In tests they also run on the CPU, as the
// reference for the CPU's own engines. This header needs no torch.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "core/device/device.h"
#include "core/model/policy/architecture.h"
#include "core/model/policy/engine_options.h"
#include "core/model/policy/policy_engine.h"

namespace vrp {

// The device, the seed and the options of an engine with LibTorch.
struct TorchEngineRequest {
  DeviceId device;
  uint64_t seed = 1;  // seed of the initial weights
  EngineOptions options;
};

// Makes the engine of a network of `sizes`, which Architecture::parse_sizes returned. Returns
// kInvalidArgument for fp16 on the CPU. Exceptions of torch become a Status (kResourceExhausted:
// out of memory). Returns kUnimplemented in a build without LibTorch, or if the architecture has no
// network in torch's operators.
absl::StatusOr<std::unique_ptr<PolicyEngine>> MakeTorchEngine(const Architecture& architecture,
                                                              const NetworkSizes& sizes,
                                                              const TorchEngineRequest& request);

}  // namespace vrp
