// A routing network that can be run and trained: one interface for all architectures and devices.
// No torch here; engines with torch implement it too.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "core/base/cpu_pool.h"
#include "core/base/stop.h"
#include "core/model/policy/captured_steps.h"
#include "core/model/policy/network_batch.h"
#include "core/model/policy/network_inputs.h"
#include "core/model/weights/flat_parameters.h"

namespace vrp {

// kBeam returns the P trajectories that a beam search of width P ends with
// (core/kernels/decoder/beam_search.h), the likeliest first, the greedy one among them. If there
// are fewer tours, the rest have no choices, infinite costs and log-likelihoods of -inf.
enum class Choice { kGreedy, kSample, kForced, kBeam };

// Shapes: B instances, P trajectories of each, T steps (of the longest trajectory).
struct RolloutRequest {
  Choice choice = Choice::kGreedy;
  int32_t trajectories = 1;  // P
  // POMO (Kwon et al. 2020): trajectory p begins with the p-th of the nodes that may come first,
  // modulo their number. That choice is not the network's and has no log-likelihood.
  bool distinct_starts = false;
  double temperature = 1;  // kSample divides the logits by it
  // kSample's draws depend on (seed, stream, (first_instance + b) * P + p, t) alone.
  uint64_t seed = 1;
  uint64_t stream = 0;
  int64_t first_instance = 0;
  // kForced: the choices of each trajectory, [B * P].
  std::span<const std::vector<int32_t>> choices = {};
  // kForced, sequence models: probability that the decoder reads the node chosen one step before.
  // Otherwise it reads the one that the network would have chosen (Bengio et al. 2015).
  double teacher_forcing = 1;
  StopCondition stop = {};  // polled between steps or instances, at least every millisecond
  CpuPool* pool = nullptr;  // null: the calling thread alone
  // Whether products are in bf16, if the hardware has it. On the CPU: those of encoders, LSTMs and
  // projections. With LibTorch: in AddGradient only.
  bool bf16 = false;
};

struct Trajectories {
  int32_t count = 0;                    // P
  int32_t steps = 0;                    // T
  std::vector<int32_t> choices;         // [B, P, T]; -1 after a trajectory's end
  std::vector<int32_t> lengths;         // [B, P]
  std::vector<double> costs;            // [B, P], the instance's unit
  std::vector<double> log_likelihoods;  // [B, P], of the network's own choices, temperature 1
  std::vector<int32_t> agreements;      // [B, P]: steps whose choice was the likeliest one

  std::span<const int32_t> Choices(int64_t trajectory) const {
    return {choices.data() + trajectory * steps, static_cast<size_t>(lengths[trajectory])};
  }
};

// Phases of a step, for timing.
enum class Phase { kData, kCopy, kEncode, kRollout, kSecondPass, kBackward, kOptimiser, kLog };
inline constexpr std::array<std::string_view, 8> kPhaseNames = {
    "data", "copy", "encode", "rollout", "second_pass", "backward", "optimiser", "log"};
using PhaseSeconds = std::array<double, kPhaseNames.size()>;  // summed over threads

struct GradientRequest {
  RolloutRequest rollout;
  // s. kForced: each step's term is (1 - s) log p(choice) + s mean of log p over the allowed nodes.
  double label_smoothing = 0;
  bool dropout = false;     // drawn by (rollout.seed, rollout.stream)
  int32_t micro_batch = 0;  // instances at once, all threads together, one each at least; 0: the
                            // engine chooses
};

// Computes the trajectories' weights in the loss from `costs` [count, P] of instances first ..
// first + count - 1 into `weights` [count, P]. Called from several threads at once.
using WeighTrajectories = absl::FunctionRef<void(int64_t first, std::span<const double> costs,
                                                 std::span<double> weights)>;

struct GradientOutcome {
  double loss = 0;             // sum of weight * log-likelihood
  Trajectories trajectories;   // of the rollout
  double pass_difference = 0;  // largest |second pass - rollout| of a log-likelihood per choice
  PhaseSeconds seconds{};
  int64_t copied_bytes = 0;  // moved between host and device
  int64_t copies = 0;
  int64_t matrix_bytes = 0;  // the distance matrices' share of these
  bool overflowed = false;   // fp16 only: nothing was added, and the step must be skipped
};

// Run is thread-safe while no parameter changes; AddGradient is not.
class PolicyEngine {
 public:
  virtual ~PolicyEngine() = default;

  virtual std::string_view architecture() const = 0;  // Architecture::name
  virtual const NetworkInputs& inputs() const = 0;
  const BatchForm& batch_form() const { return inputs().form; }
  // Whether RolloutRequest::bf16 changes anything on the CPU.
  virtual bool HasBf16() const { return false; }
  // The host's copy of the weights is authoritative; call ParametersChanged after changing it.
  // After a failure of it, ScalarState or Restore, the state of the device is undefined.
  virtual FlatParameters& parameters() = 0;
  virtual const FlatParameters& parameters() const = 0;
  virtual absl::Status ParametersChanged() = 0;

  // Decodes trajectories. kUnimplemented: the engine has no kBeam. kCancelled, kDeadlineExceeded:
  // it was stopped. kFailedPrecondition names a customer that became unreachable (`instances[b]:
  // ...`).
  virtual absl::StatusOr<Trajectories> Run(const NetworkBatch& batch,
                                           const RolloutRequest& request) const = 0;

  // Decodes (kBeam is refused), weighs the trajectories, and adds the gradient of
  // sum(weight * log-likelihood) to parameters().gradient(), after TrackGradient. On the CPU
  // bitwise reproducible for the same arguments, instruction set and number of threads.
  // kResourceExhausted: out of memory; the gradient is undefined, a smaller micro_batch may
  // succeed.
  virtual absl::StatusOr<GradientOutcome> AddGradient(const NetworkBatch& batch,
                                                      const GradientRequest& request,
                                                      WeighTrajectories weigh) = 0;

  // Whether MakeCapturedSteps may succeed. Callers ask first, as the request may be slow to make.
  virtual bool can_capture_steps() const { return false; }
  // Makes captured steps that do the same as AddGradient and an optimiser on the engine's device.
  // kUnimplemented gives the reason why there are none.
  virtual absl::StatusOr<std::unique_ptr<CapturedSteps>> MakeCapturedSteps(
      const CapturedStepsRequest&) {
    return absl::UnimplementedError("captured steps: this engine has none");
  }

  // Returns the engine's further state for checkpoints by name (the scale of fp16's losses).
  // Restore takes it and ignores unknown names.
  virtual absl::StatusOr<std::map<std::string, double>> ScalarState() const {
    return std::map<std::string, double>();
  }
  virtual absl::Status Restore(const std::map<std::string, double>&) { return absl::OkStatus(); }
};

}  // namespace vrp
