// A trained network as the rest of the program sees it: instances in, plans out. No torch here.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/base/cpu_pool.h"
#include "core/base/stop.h"
#include "core/device/device.h"
#include "core/device/executor.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/solution.h"

namespace vrp {

enum class DecodeMethod {
  kGreedy,
  kSample,
  kBeam,        // a beam search: the cheapest of the `width` tours that it ends with
  kMultiStart,  // greedy from `width` different first customers (POMO, Kwon et al. 2020); 0: from
                // all
};

inline constexpr int32_t kMaxAugmentations = 8;
// Samples, and beams, of an instance.
inline constexpr int32_t kMaxSamples = 100'000;
inline constexpr int32_t kMaxBeams = 10'000;

// Local search on the policy's device, from the plan decoded: a descent, then rounds of ruin and
// recreate under simulated annealing (core/kernels/improve/batch_improver.h).
struct PlanImprovement {
  int32_t rounds = 0;
  absl::Time until = absl::InfiniteFuture();  // ends the rounds early
};

struct DecodeOptions {
  DecodeMethod method = DecodeMethod::kGreedy;
  int32_t width = 1;  // samples, beams or starts an instance; 1 for greedy
  // Decodes so many of the eight turned and mirrored pictures of each instance too, and gives the
  // best (Kwon et al. 2020); 1: the instance alone. Without coordinates there is one picture.
  int32_t augmentations = 1;
  uint64_t seed = 1;       // kSample draws by counters (seed, instance, sample, step)
  double temperature = 1;  // kSample divides the logits by it
  int32_t others = 0;      // DecodedPlan::others: so many at most
  std::optional<PlanImprovement> improvement = {};
  StopCondition stop = {};  // polled at each step
  CpuPool* pool = nullptr;  // to decode many instances on; null: the calling thread alone
};

struct DecodedPlan {
  Plan plan;                  // complete and feasible by construction (masks)
  double log_likelihood = 0;  // of the chosen actions
  // Other trajectories, the cheapest first, alike ones as often as drawn.
  std::vector<Plan> others = {};
  int32_t rounds = 0;             // of improvement, that were done
  absl::Duration improving = {};  // how long that of the whole batch took
};

struct PolicyInfo {
  std::string architecture;  // "gt", "ptrnet"
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
  // Whether Decode knows DecodeOptions::improvement for `instance`; kUnimplemented says what is
  // missing.
  virtual absl::Status Improves(const Instance& /*instance*/) const {
    return absl::UnimplementedError(
        "strategy: improved searches on a GPU, and this model is not on one; on the CPU use "
        "seeded or search");
  }
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

// The loader of this build's architectures; `executors` as in EngineRequest. kInvalidArgument names
// the file and what is wrong with it.
absl::StatusOr<std::unique_ptr<Policy>> LoadPolicy(const std::string& directory, DeviceId device,
                                                   DeviceExecutors* executors = nullptr);
PolicyLoader PolicyLoaderOn(DeviceExecutors* executors);

}  // namespace vrp
