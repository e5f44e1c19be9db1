// A trained network as the rest of the program sees it: instances in, plans out. No torch here.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/stop.h"
#include "core/device/device.h"
#include "core/problem/instance.h"
#include "core/problem/solution.h"

namespace vrp {

enum class DecodeMethod { kGreedy, kSample, kBeam };

struct DecodeOptions {
  DecodeMethod method = DecodeMethod::kGreedy;
  int32_t width = 1;       // samples or beams an instance; 1 for greedy
  uint64_t seed = 1;       // kSample draws by counters (seed, instance, sample, step)
  double temperature = 1;  // kSample divides the logits by it
  StopCondition stop;      // polled at each step
};

struct DecodedPlan {
  Plan plan;                  // complete and feasible by construction (masks)
  double log_likelihood = 0;  // of the chosen actions
};

struct PolicyInfo {
  std::string architecture;  // "ptrnet"
  std::vector<std::string> input_features;
  std::vector<ProblemKind> kinds;
  int64_t parameters = 0;
  DeviceId device;
};

class Policy {
 public:
  virtual ~Policy() = default;

  virtual const PolicyInfo& info() const = 0;
  // kUnimplemented names what of `instance` the network was not made for (a matrix without
  // coordinates, ...).
  virtual absl::Status Supports(const Instance& instance) const = 0;
  // Best plan of each instance, in the order of `batch`; sizes may differ. kDeadlineExceeded or
  // kCancelled when options.stop ends it; kFailedPrecondition when an instance cannot be completed
  // (a customer is unreachable). Thread-safe; blocks.
  virtual absl::StatusOr<std::vector<DecodedPlan>> Decode(std::span<const Instance> batch,
                                                          const DecodeOptions& options) = 0;
};

// Loads `directory` (weights.safetensors and card.json) onto `device`. Injected, so that users of
// policies need no torch.
using PolicyLoader = std::function<absl::StatusOr<std::unique_ptr<Policy>>(
    const std::string& directory, DeviceId device)>;

// The loader of this build's architectures. kInvalidArgument names the file and what is wrong with
// it.
absl::StatusOr<std::unique_ptr<Policy>> LoadPolicy(const std::string& directory, DeviceId device);

}  // namespace vrp
