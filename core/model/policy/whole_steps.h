// Whole training steps that run on an engine's device by themselves: those of REINFORCE (instances,
// rollout, baseline, second pass) or along labels (what they show, and the pass over it), then
// backward, clipping and optimiser, with nothing that the host waits for. What a step came to is
// told some steps later. No torch here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/kernels/optimiser/adamw.h"
#include "core/model/policy/network_batch.h"
#include "core/problem/generate/instance_draws.h"

namespace vrp {

class PolicyEngine;

// kShared: the mean of an instance's own trajectories. kAverage: a moving average of all costs, one
// trajectory an instance. kGreedy: greedy costs by the baseline engine, one likewise. kBest: none;
// the cheapest of an instance's trajectories becomes its label, whose log-likelihood a choice
// grows.
enum class StepBaseline { kShared, kAverage, kGreedy, kBest };

// Of costs, in sides of the instances' squares.
struct MovingAverage {
  double value = 0;
  bool known = false;  // before the first step that uses it: a greedy rollout's mean stands for it
};

struct WholeStepsRequest {
  int32_t instances = 0;  // B, of each step; along labels at most
  int32_t nodes = 0;      // N, of the largest instance
  bool tsp = false;       // some may be a TSP
  bool matrices = false;  // some may have distance or duration matrices
  // Drawn by the device: of step k (from 1) numbers (k - 1) * B and on. None: by the host.
  std::optional<UniformInstances> drawn = {};
  // In how many parts, one after the other, a step takes its instances (PartOf, up to B): it needs
  // memory for the largest alone. The step remains one of all of them: draws, the loss's weights,
  // the average baseline and the report are those of the whole batch.
  int32_t parts = 1;
  // P, with kShared and kBest. 0: as many as nodes may come first in a batch's instances.
  int32_t trajectories = 1;
  bool distinct_starts = false;
  uint64_t seed = 1;  // draws are by (seed, step from 1, b * P + p, t)
  bool bf16 = false;
  double average_decay = 0.8;
  const PolicyEngine* baseline = nullptr;  // kGreedy's, which outlives the steps
  // Steps along labels, without baseline and trajectories of their own; as in GradientRequest.
  bool labels = false;
  double label_smoothing = 0;
  bool dropout = false;
  AdamWOptions adamw = {};
  double gradient_clip = 1;
  double weight_average = 0;                // decay of the weights' moving average; 0: none is kept
  std::vector<double> learning_rates = {};  // of each step of the run
  int32_t report_every = 16;                // steps; they are told up to twice as many later
};

// What lasts from step to step besides the engine's parameters, on the host.
struct WholeStepsState {
  int64_t steps = 0;           // done
  int64_t updates = 0;         // of these not left out
  std::span<float> mean = {};  // Adam's moments
  std::span<float> square = {};
  std::span<float> weight_average = {};  // where one is kept
  MovingAverage average = {};
};

// What a step came to.
struct WholeStepReport {
  int64_t step = 0;  // from 1
  double loss = 0;
  double cost = 0;           // mean
  double gradient_norm = 0;  // before clipping
  double pass_difference = 0;
  int64_t instances = 0;
  double accuracy = 0;   // of labels' choices; not a number where there are none
  int64_t stuck = 0;     // trajectories with customers that no vehicle can serve, forbidden labels
  bool applied = false;  // not: loss or norm is no finite number
};

// The labels of a step's instances.
struct StepLabels {
  std::span<const std::vector<int32_t>> choices = {};  // [B] that lead to their plans
  int64_t steps = 0;                                   // choices of all
  double cost = 0;                                     // mean, as it is to be told
  double teacher_forcing = 1;                          // as in RolloutRequest
};

inline int64_t LongestOf(const StepLabels& labels) {
  int64_t longest = 0;
  for (const std::vector<int32_t>& one : labels.choices)
    longest = std::max(longest, std::ssize(one));
  return longest;
}

// One thread.
class WholeSteps {
 public:
  virtual ~WholeSteps() = default;

  // The host's state and the engine's parameters count from here on.
  virtual absl::Status Load(const WholeStepsState& state) = 0;
  // Blocks until what earlier steps came to leaves room for the next one's. Step does it too; who
  // shares the device with others calls it before its turn.
  virtual absl::Status WaitForRoom() = 0;
  // The next step, which is only begun. kResourceExhausted, kInternal: it could not be, and nothing
  // has changed. kInvalidArgument: a batch that is larger than those that were asked for, or any
  // where the device draws them. kUnimplemented: these steps are of another kind.
  virtual absl::Status Step(StepBaseline, const NetworkBatch&) {
    return absl::UnimplementedError("step: got a baseline, wanted labels");
  }
  // The same where the device draws the instances; kInvalidArgument where it does not.
  virtual absl::Status Step(StepBaseline) {
    return absl::UnimplementedError("step: got a baseline, wanted labels");
  }
  virtual absl::Status StepAlong(const StepLabels&, const NetworkBatch&) {
    return absl::UnimplementedError("step: got labels, wanted a baseline");
  }
  // Those that have come since, in order.
  virtual std::vector<WholeStepReport> TakeReports() = 0;
  // Waits for all steps. The engine's host parameters and `state`, whose spans are filled, are then
  // those after the last one, whose report can be taken.
  virtual absl::Status Save(WholeStepsState& state) = 0;
  // Moved to the device for the last step.
  virtual int64_t batch_bytes() const = 0;
  virtual int64_t matrix_bytes() const = 0;  // of these, of matrices
};

}  // namespace vrp
