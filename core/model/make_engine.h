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

// The network, the device and the options of an engine to make.
struct EngineRequest {
  std::string_view architecture;       // Architecture::name (core/model/architectures.h)
  std::string_view architecture_json;  // the architecture's sizes in the form of a model card
  std::string_view name = "engine";    // the file with the sizes; prefix of errors
  DeviceId device;
  uint64_t seed = 1;  // seed of the initial weights
  EngineOptions options;
  // Executors that run the engine's work on a CUDA device, ordered by `priority`. They must outlive
  // the engine. Null: each caller runs its own work.
  DeviceExecutors* executors = nullptr;
  Priority priority = Priority::kSolving;
};

// Makes an engine with weights drawn from the seed. Returns kInvalidArgument naming a wrong
// architecture or size, and for a CUDA device the errors of the executor and of MakeTorchEngine
// (core/model/torch/engines.h).
absl::StatusOr<std::unique_ptr<PolicyEngine>> MakeEngine(const EngineRequest& request);

}  // namespace vrp
