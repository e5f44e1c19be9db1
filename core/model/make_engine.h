// Makes the engine for an architecture and a device: our own kernels on the CPU, LibTorch on CUDA.
#pragma once

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/device/device.h"
#include "core/device/executor.h"
#include "core/model/policy/engine_options.h"
#include "core/model/policy/policy_engine.h"

namespace vrp {

struct EngineRequest {
  std::string_view architecture;       // Architecture::name (core/model/architectures.h)
  std::string_view architecture_json;  // its sizes, as a model card gives them
  std::string_view name = "engine";    // of the file with the sizes; errors begin with it
  DeviceId device;
  uint64_t seed = 1;  // of the initial weights
  EngineOptions options;
  // Run the engine's work on a CUDA device, ordered by `priority`; null: each caller runs its own.
  // They outlive the engine.
  DeviceExecutors* executors = nullptr;
  Priority priority = Priority::kSolving;
};

// Makes an engine with weights drawn from the seed. kInvalidArgument names the architecture or the
// size that is wrong. kUnimplemented: a CUDA device in a build without LibTorch.
absl::StatusOr<std::unique_ptr<PolicyEngine>> MakeEngine(const EngineRequest& request);

}  // namespace vrp
