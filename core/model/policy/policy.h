// A trained network for the other folders: instances in, plans out. Needs no torch.
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

// The method by which a policy decodes plans.
enum class DecodeMethod {
  kGreedy,
  kSample,
  kBeam,        // the cheapest of the `width` plans that a beam search ends with
  kMultiStart,  // greedy from `width` different first customers (POMO, Kwon et al. 2020); 0: all
};

// Largest number of DecodeOptions::augmentations.
inline constexpr int32_t kMaxAugmentations = 8;
// Largest `width` of kSample and kMultiStart, and of kBeam.
inline constexpr int32_t kMaxSamples = 100'000;
inline constexpr int32_t kMaxBeams = 10'000;

// Local search on the policy's device that starts from the decoded plan: a descent, then rounds of
// ruin and recreate under simulated annealing (core/kernels/improve/batch_improver.h).
struct PlanImprovement {
  int32_t rounds = 0;
  absl::Time until = absl::InfiniteFuture();  // time at which the rounds end early
};

// The options of Policy::Decode.
struct DecodeOptions {
  DecodeMethod method = DecodeMethod::kGreedy;
  int32_t width = 1;  // samples, beams or starts per instance; 1 for kGreedy
  // Number of symmetry augmentations (rotations and reflections) of each instance that are decoded,
  // at most kMaxAugmentations. The best plan wins (Kwon et al. 2020). 1: only the instance itself.
  // Instances without coordinates are never augmented.
  int32_t augmentations = 1;
  uint64_t seed = 1;       // kSample draws depend on (seed, instance, sample, step)
  double temperature = 1;  // kSample divides the logits by it
  int32_t others = 0;      // the largest number of DecodedPlan::others
  std::optional<PlanImprovement> improvement = {};
  StopCondition stop = {};  // polled between steps, on CUDA between launches
  CpuPool* pool = nullptr;  // decodes instances in parallel; null: the calling thread decodes
};

// The best plan of an instance, and the next best ones if requested.
struct DecodedPlan {
  Plan plan;                  // complete, and feasible by construction (masks)
  double log_likelihood = 0;  // sum over the choices
  // Plans of other trajectories, the cheapest first; equal plans may repeat.
  std::vector<Plan> others = {};
  int32_t rounds = 0;             // rounds of improvement; the fewest of any plan of the batch
  absl::Duration improving = {};  // time to improve the whole batch
};

// The network of a policy, and its device.
struct PolicyInfo {
  std::string architecture;  // Architecture::name
  std::vector<std::string> input_features;
  std::vector<ProblemKind> kinds;
  int64_t parameters = 0;
  DeviceId device;
};

// A trained network that decodes plans.
class Policy {
 public:
  virtual ~Policy() = default;

  virtual const PolicyInfo& info() const = 0;
  // Returns kUnimplemented for instances that the network was not made for (a matrix without
  // coordinates, ...).
  virtual absl::Status Supports(const Instance& instance) const = 0;
  // Returns OK if Decode supports DecodeOptions::improvement for `instance`, or kUnimplemented with
  // the reason.
  virtual absl::Status SupportsImprovement(const Instance& /*instance*/) const {
    return absl::UnimplementedError(
        "strategy: improved searches on a GPU, and this model is not on one; on the CPU use "
        "seeded or search");
  }
  // Returns the best plan of each instance, in the order of `batch`; sizes may differ. Returns
  // kInvalidArgument for wrong options and the errors of Supports and SupportsImprovement. Returns
  // kDeadlineExceeded or kCancelled if options.stop ended the decoding, and kFailedPrecondition if
  // a customer is unreachable or every plan needs more vehicles than there are. Thread-safe;
  // blocks.
  virtual absl::StatusOr<std::vector<DecodedPlan>> Decode(std::span<const Instance> batch,
                                                          const DecodeOptions& options) = 0;
};

// A function that loads `directory` (weights.safetensors and card.json) onto `device`. It is passed
// as a function, so that users of policies need no torch.
using PolicyLoader = std::function<absl::StatusOr<std::unique_ptr<Policy>>(
    const std::string& directory, DeviceId device)>;

// Loads a model of any architecture; `executors` as in EngineRequest. Returns kInvalidArgument
// naming the file and the error if a file is wrong. Otherwise returns the errors of ReadFile and
// MakeEngine.
absl::StatusOr<std::unique_ptr<Policy>> LoadPolicy(const std::string& directory, DeviceId device,
                                                   DeviceExecutors* executors = nullptr);
// Returns LoadPolicy with these `executors`, which must outlive the loader and its policies.
PolicyLoader PolicyLoaderOn(DeviceExecutors* executors);

}  // namespace vrp
