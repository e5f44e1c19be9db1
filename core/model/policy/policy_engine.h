// A routing network that can be run and trained: the one interface of all architectures and
// devices. No torch here; engines with torch inside stand behind it too.
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
#include "core/model/policy/network_batch.h"
#include "core/model/policy/network_inputs.h"
#include "core/model/policy/whole_steps.h"
#include "core/model/weights/flat_parameters.h"

namespace vrp {

// kBeam: the P trajectories that a beam search of width P ends with
// (core/kernels/decoder/beam_search.h), the likeliest first; the greedy one is among them. Where
// there are fewer tours, the rest have no choices, infinite costs and log-likelihoods of -inf.
enum class Choice { kGreedy, kSample, kForced, kBeam };

// Shapes: B instances, P trajectories of each, T steps (of the longest trajectory).
struct RolloutRequest {
  Choice choice = Choice::kGreedy;
  int32_t trajectories = 1;  // P
  // POMO (Kwon et al. 2020): trajectory p begins with the p-th of the nodes that may come first
  // (counted round when there are fewer than P); that choice is not the network's and has no
  // log-likelihood.
  bool distinct_starts = false;
  double temperature = 1;  // kSample divides the logits by it
  // kSample draws by counters: (seed, stream, (first_instance + b) * P + p, t).
  uint64_t seed = 1;
  uint64_t stream = 0;
  int64_t first_instance = 0;
  // kForced: the choices of each trajectory, [B * P].
  std::span<const std::vector<int32_t>> choices = {};
  // kForced, sequence models: the chance that the decoder reads the node chosen at the step before
  // and not the one that the network would have chosen itself (Bengio et al. 2015).
  double teacher_forcing = 1;
  StopCondition stop = {};  // polled between steps or instances, at least each millisecond
  CpuPool* pool = nullptr;  // null: on the calling thread alone
  // Products in bf16 where the device has it in hardware. CPU: those of the graph transformer's
  // encoder and projections and of the pointer network's LSTMs and projections; LibTorch: in
  // AddGradient alone.
  bool bf16 = false;
};

struct Trajectories {
  int32_t count = 0;                    // P
  int32_t steps = 0;                    // T
  std::vector<int32_t> choices;         // [B, P, T]; -1 after a trajectory's end
  std::vector<int32_t> lengths;         // [B, P]
  std::vector<double> costs;            // [B, P], the instance's unit
  std::vector<double> log_likelihoods;  // [B, P], of the network's own choices, temperature 1
  std::vector<int32_t> agreements;      // [B, P]: steps at which the choice was the likeliest one

  std::span<const int32_t> Choices(int64_t trajectory) const {
    return {choices.data() + trajectory * steps, static_cast<size_t>(lengths[trajectory])};
  }
};

// Where a step's time goes.
enum class Phase { kData, kCopy, kEncode, kRollout, kSecondPass, kBackward, kOptimiser, kLog };
inline constexpr std::array<std::string_view, 8> kPhaseNames = {
    "data", "copy", "encode", "rollout", "second_pass", "backward", "optimiser", "log"};
using PhaseSeconds = std::array<double, kPhaseNames.size()>;  // summed over threads

struct GradientRequest {
  RolloutRequest rollout;
  // kForced: each step's term is (1 - s) log p(choice) + s mean of log p over the nodes allowed.
  double label_smoothing = 0;
  bool dropout = false;     // by counters of (rollout.seed, rollout.stream)
  int32_t micro_batch = 0;  // instances at once, all threads together, one each at least; 0: the
                            // engine's
};

// The weights that trajectories' log-likelihoods get in the loss. `costs` [count, P] of instances
// first .. first + count - 1; fills `weights` [count, P]. Called from several threads at once.
using WeighTrajectories = absl::FunctionRef<void(int64_t first, std::span<const double> costs,
                                                 std::span<double> weights)>;

struct GradientOutcome {
  double loss = 0;             // sum of weight * log-likelihood
  Trajectories trajectories;   // as rolled out
  double pass_difference = 0;  // largest |second pass - rollout| of a log-likelihood, a choice
  PhaseSeconds seconds{};
  int64_t copied_bytes = 0;  // moved between host and device
  int64_t copies = 0;
  int64_t matrix_bytes = 0;  // of these, of distance matrices
  bool overflowed = false;   // in fp16: nothing was added, and the step is to be left out
};

// Thread-safe for Run while no parameter changes; AddGradient is for one thread at a time.
class PolicyEngine {
 public:
  virtual ~PolicyEngine() = default;

  virtual std::string_view architecture() const = 0;  // "ptrnet", "gt"
  virtual const NetworkInputs& inputs() const = 0;
  const BatchForm& batch_form() const { return inputs().form; }
  // On the CPU: whether RolloutRequest::bf16 changes anything.
  virtual bool HasBf16() const { return false; }
  // The host's copy of the weights is what counts: after changing it call ParametersChanged. It,
  // Numbers and Restore fail as the engine's device does; what that has is not known then.
  virtual FlatParameters& parameters() = 0;
  virtual const FlatParameters& parameters() const = 0;
  virtual absl::Status ParametersChanged() = 0;

  // kUnimplemented: kBeam, where the engine has none. kCancelled, kDeadlineExceeded;
  // kFailedPrecondition names a customer that cannot be reached any more (`instances[b]: ...`).
  virtual absl::StatusOr<Trajectories> Run(const NetworkBatch& batch,
                                           const RolloutRequest& request) const = 0;

  // Rolls out (kBeam is refused), weighs, and adds the gradient of sum(weight * log-likelihood) to
  // parameters().gradient(), which TrackGradient has made. On the CPU bit for bit the same for the
  // same arguments, instruction set and number of threads. kResourceExhausted: not enough memory;
  // what was added to the gradient by then is not known, a smaller micro_batch may succeed.
  virtual absl::StatusOr<GradientOutcome> AddGradient(const NetworkBatch& batch,
                                                      const GradientRequest& request,
                                                      WeighTrajectories weigh) = 0;

  // Whether there is a device for the next: what they have to be told may take long to find.
  virtual bool takes_whole_steps() const { return false; }
  // The same as whole steps that run on the engine's device by themselves. kUnimplemented says why
  // there are none.
  virtual absl::StatusOr<std::unique_ptr<WholeSteps>> MakeWholeSteps(const WholeStepsRequest&) {
    return absl::UnimplementedError("this engine takes them one after the other");
  }

  // What else of an engine a checkpoint keeps (the scale of fp16's losses), by name. Restore gets
  // what Numbers gave; what it does not know it leaves alone.
  virtual absl::StatusOr<std::map<std::string, double>> Numbers() const {
    return std::map<std::string, double>();
  }
  virtual absl::Status Restore(const std::map<std::string, double>&) { return absl::OkStatus(); }
};

}  // namespace vrp
