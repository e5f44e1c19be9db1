// A routing network that can be run and trained: one interface for all architectures and devices.
// Needs no torch; engines with torch also implement it.
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

// The rule by which trajectories choose nodes. kBeam returns the P trajectories of a beam search of
// width P (core/kernels/decoder/beam_search.h), the likeliest first, the greedy one among them. If
// there are fewer tours, the other rows have no choices, infinite costs and log-likelihoods of
// -inf.
enum class Choice { kGreedy, kSample, kForced, kBeam };

// The settings of a rollout. Shapes: B instances, P trajectories of each, T steps (of the longest
// trajectory).
struct RolloutRequest {
  Choice choice = Choice::kGreedy;
  int32_t trajectories = 1;  // P
  // Whether trajectory p begins with the p-th of the nodes that may come first, modulo their number
  // (POMO, Kwon et al. 2020). The network does not make that choice, so it has no log-likelihood.
  bool distinct_starts = false;
  double temperature = 1;  // kSample divides the logits by it
  // Seed and counters of kSample: draws depend only on (seed, stream, (first_instance + b) * P + p,
  // t).
  uint64_t seed = 1;
  uint64_t stream = 0;
  int64_t first_instance = 0;
  // Forced choices of each trajectory, [B * P]; only for kForced. Run refuses choices that are not
  // allowed, missing, or after the trajectory's end.
  std::span<const std::vector<int32_t>> choices = {};
  // Probability that the decoder reads the node chosen one step before; kForced with sequence
  // models only. In the other cases the decoder reads the node that the network would have chosen
  // (Bengio et al. 2015).
  double teacher_forcing = 1;
  StopCondition stop = {};  // polled between steps or instances, on CUDA between launches
  CpuPool* pool = nullptr;  // null: only the calling thread
  // Whether products are in bf16, if the hardware supports bf16. On the CPU these are products of
  // encoders, LSTMs and projections. With LibTorch only AddGradient uses bf16.
  bool bf16 = false;
};

// The trajectories of a batch, with the shapes of RolloutRequest.
struct Trajectories {
  int32_t count = 0;                    // P
  int32_t steps = 0;                    // T
  std::vector<int32_t> choices;         // [B, P, T]; -1 after a trajectory's end
  std::vector<int32_t> lengths;         // [B, P]
  std::vector<double> costs;            // [B, P], the instance's unit
  std::vector<double> log_likelihoods;  // [B, P], of all choices but given starts; temperature 1
  std::vector<int32_t> agreements;      // [B, P]: steps whose choice was the likeliest one

  std::span<const int32_t> Choices(int64_t trajectory) const {
    return {choices.data() + trajectory * steps, static_cast<size_t>(lengths[trajectory])};
  }
};

// Phases of a step, for timing.
enum class Phase { kData, kCopy, kEncode, kRollout, kSecondPass, kBackward, kOptimiser, kLog };
inline constexpr std::array<std::string_view, 8> kPhaseNames = {
    "data", "copy", "encode", "rollout", "second_pass", "backward", "optimiser", "log"};
using PhaseSeconds = std::array<double, kPhaseNames.size()>;  // seconds, summed over threads

// The settings of AddGradient.
struct GradientRequest {
  RolloutRequest rollout;
  // Smoothing s. With kForced each step's term is (1 - s) log p(choice) + s mean of log p over the
  // allowed nodes.
  double label_smoothing = 0;
  bool dropout = false;  // whether units are dropped, drawn by (rollout.seed, rollout.stream)
  // Maximum number of instances that all threads together process at a time, but at least one per
  // thread. 0: the engine chooses.
  int32_t micro_batch = 0;
};

// A function that computes the trajectories' weights in the loss. `costs` [count, P] are of
// instances first .. first + count - 1. The function writes `weights` [count, P]. Several threads
// call the function at the same time.
using WeighTrajectories = absl::FunctionRef<void(int64_t first, std::span<const double> costs,
                                                 std::span<double> weights)>;

// The results of AddGradient.
struct GradientOutcome {
  double loss = 0;             // sum of weight * (smoothed) log-likelihood
  Trajectories trajectories;   // trajectories of the rollout
  double pass_difference = 0;  // largest |second pass - rollout| of a log-likelihood per choice
  PhaseSeconds seconds{};
  int64_t copied_bytes = 0;  // bytes moved between host and device
  int64_t copies = 0;
  int64_t matrix_bytes = 0;  // part of copied_bytes: the matrices
  // Whether an fp16 gradient overflowed. Then nothing was added, and the step must be skipped.
  bool overflowed = false;
};

// An engine that runs and trains one network. Run is thread-safe while no parameter changes;
// AddGradient is not.
class PolicyEngine {
 public:
  virtual ~PolicyEngine() = default;

  virtual std::string_view architecture() const = 0;  // Architecture::name
  virtual const NetworkInputs& inputs() const = 0;
  const BatchForm& batch_form() const { return inputs().form; }
  // Whether RolloutRequest::bf16 changes anything on the CPU.
  virtual bool HasBf16() const { return false; }
  // Returns the host's copy of the weights, which is authoritative. Call ParametersChanged after
  // changing it. If ParametersChanged, ScalarState or Restore fails, the state of the device is
  // undefined.
  virtual FlatParameters& parameters() = 0;
  virtual const FlatParameters& parameters() const = 0;
  virtual absl::Status ParametersChanged() = 0;

  // Decodes trajectories. Returns kUnimplemented if the engine has no kBeam, kCancelled or
  // kDeadlineExceeded if it was stopped, and kInvalidArgument if the request does not fit `batch`.
  // Returns kFailedPrecondition naming a customer that became unreachable (`instances[b]: ...`).
  virtual absl::StatusOr<Trajectories> Run(const NetworkBatch& batch,
                                           const RolloutRequest& request) const = 0;

  // Decodes, weighs the trajectories, and adds the gradient of sum(weight * log-likelihood) to
  // parameters().gradient(), which TrackGradient must have allocated. Refuses kBeam. On the CPU the
  // result is bitwise reproducible for the same arguments, instruction set and number of threads.
  // Returns kResourceExhausted if memory runs out. The gradient is then undefined; a smaller
  // micro_batch may succeed.
  virtual absl::StatusOr<GradientOutcome> AddGradient(const NetworkBatch& batch,
                                                      const GradientRequest& request,
                                                      WeighTrajectories weigh) = 0;

  // Whether MakeCapturedSteps may succeed. Callers check this first, because the request may be
  // slow to make.
  virtual bool can_capture_steps() const { return false; }
  // Makes captured steps that do the work of AddGradient and an optimiser on the engine's device.
  // Returns kUnimplemented with the reason if the engine has none for the request, and
  // kInvalidArgument for a wrong request.
  virtual absl::StatusOr<std::unique_ptr<CapturedSteps>> MakeCapturedSteps(
      const CapturedStepsRequest&) {
    return absl::UnimplementedError("captured steps: this engine does not support them");
  }

  // Returns the engine's further state for checkpoints by name (the scale of fp16's losses).
  // Restore loads it and ignores unknown names.
  virtual absl::StatusOr<std::map<std::string, double>> ScalarState() const {
    return std::map<std::string, double>();
  }
  virtual absl::Status Restore(const std::map<std::string, double>&) { return absl::OkStatus(); }
};

}  // namespace vrp
