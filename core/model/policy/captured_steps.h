// Training steps that are captured once as a graph and then replayed on an engine's device. A step
// runs REINFORCE (instances, rollout, baseline, second pass) or learns from labels (forced
// decoding, one pass). Both end with backward, clipping and the optimiser. The host does not
// wait for a step; the step's report arrives some steps later. Needs no torch.
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

// The baseline of a step. kShared: the mean of an instance's own trajectories. kAverage: a moving
// average of all costs, with one trajectory per instance. kGreedy: greedy costs by the baseline
// engine, also with one trajectory. kBest: no baseline; the step maximises the log-likelihood per
// choice of each instance's cheapest trajectory.
enum class StepBaseline { kShared, kAverage, kGreedy, kBest };

// A moving average of costs, in units of RoutingProblem::scale.
struct MovingAverage {
  double value = 0;
  bool known = false;  // whether a step has set it; before that, a greedy rollout's mean is used
};

// The settings of captured steps.
struct CapturedStepsRequest {
  int32_t instances = 0;  // B, per step; with labels the maximum
  int32_t nodes = 0;      // N, of the largest instance
  bool tsp = false;       // whether some instances may be a TSP
  bool matrices = false;  // whether some instances may have distance or duration matrices
  // Distribution from which the device draws instances: step k (from 1) gets the instances from
  // number (k - 1) * B on. None: the host gives the instances.
  std::optional<UniformInstances> drawn = {};
  // Number of parts (PartOf, at most B) in which a step processes its instances, one after the
  // other. Only the largest part must fit into memory. Draws, the loss's weights, the average
  // baseline and the report still belong to the whole batch.
  int32_t parts = 1;
  // P, with kShared and kBest. 0: the number of nodes that may come first in a batch's instances.
  int32_t trajectories = 1;
  bool distinct_starts = false;            // as in RolloutRequest, with kShared only
  uint64_t seed = 1;                       // draws depend on (seed, step from 1, b * P + p, t)
  bool bf16 = false;                       // whether products are in bf16
  double average_decay = 0.8;              // decay of the kAverage baseline
  const PolicyEngine* baseline = nullptr;  // for kGreedy; must outlive the steps
  // Whether the steps learn from labels. They then have neither a baseline nor trajectories of
  // their own.
  bool labels = false;
  double label_smoothing = 0;
  bool dropout = false;  // whether units are dropped; with labels only
  AdamWOptions adamw = {};
  double gradient_clip = 1;
  double weight_average = 0;                // decay of the weights' moving average; 0: no average
  std::vector<double> learning_rates = {};  // one per step of the run
  int32_t report_every = 16;  // steps; a report arrives after at most twice this number
};

// The host's copy of the state between steps, besides the engine's parameters.
struct CapturedStepsState {
  int64_t steps = 0;                     // finished steps
  int64_t updates = 0;                   // steps that changed the weights
  std::span<float> mean = {};            // Adam's first moment, one value per parameter
  std::span<float> square = {};          // Adam's second moment
  std::span<float> weight_average = {};  // empty unless one is kept
  MovingAverage average = {};
};

// The figures of one step.
struct CapturedStepReport {
  int64_t step = 0;  // from 1
  double loss = 0;
  double cost = 0;           // mean over the gradient's trajectories, or StepLabels::cost
  double gradient_norm = 0;  // norm before clipping
  double pass_difference = 0;
  int64_t instances = 0;
  double accuracy = 0;   // share of labels' choices that were the likeliest; NaN without labels
  int64_t stuck = 0;     // trajectories that no vehicle can complete, and forbidden labels
  bool applied = false;  // whether the weights changed; not if loss or norm was not finite
};

// The labels of a step's instances.
struct StepLabels {
  std::span<const std::vector<int32_t>> choices = {};  // [B]: choices that make the label's plan
  int64_t steps = 0;                                   // total number of choices
  double cost = 0;                                     // mean, for the report
  double teacher_forcing = 1;                          // as in RolloutRequest
};

// Returns the number of choices of the longest label.
inline int64_t MaxChoices(const StepLabels& labels) {
  int64_t longest = 0;
  for (const std::vector<int32_t>& one : labels.choices)
    longest = std::max(longest, std::ssize(one));
  return longest;
}

// A sequence of captured steps. Not thread-safe: use it from one thread.
class CapturedSteps {
 public:
  virtual ~CapturedSteps() = default;

  // Loads the host's `state` and the engine's host parameters.
  virtual absl::Status Load(const CapturedStepsState& state) = 0;
  // Blocks until the next step has a free slot for its report. The step functions call
  // WaitForReportSlot themselves. Callers that share the device also call WaitForReportSlot before
  // their turn on the device begins.
  virtual absl::Status WaitForReportSlot() = 0;
  // Starts the next step without waiting for its end. Returns kResourceExhausted or kInternal if
  // the step could not start; nothing has changed then. Returns kUnavailable if the device is lost.
  // Returns kInvalidArgument if the batch does not fit the request (its instances, nodes, kinds,
  // matrices or features) or the device draws the instances. Returns kUnimplemented if these steps
  // learn from labels.
  virtual absl::Status Step(StepBaseline, const NetworkBatch&) {
    return absl::UnimplementedError("step: got a baseline, wanted labels");
  }
  // Starts the next step with instances that the device draws. Returns kInvalidArgument if the
  // device does not draw them.
  virtual absl::Status Step(StepBaseline) {
    return absl::UnimplementedError("step: got a baseline, wanted labels");
  }
  // Starts the next step, which learns from labels, without waiting for its end. Returns the errors
  // of Step. Returns kUnimplemented if these steps have a baseline, or for a teacher_forcing below
  // 1 if the network is no sequence model.
  virtual absl::Status StepOnLabels(const StepLabels&, const NetworkBatch&) {
    return absl::UnimplementedError("step: got labels, wanted a baseline");
  }
  // Returns the reports that have arrived since the last call, in order.
  virtual std::vector<CapturedStepReport> TakeReports() = 0;
  // Waits for all steps. Then fills the spans of `state` and updates the engine's host parameters.
  // TakeReports returns the last step's report afterwards.
  virtual absl::Status Save(CapturedStepsState& state) = 0;
  // Returns the bytes moved to the device for the last step.
  virtual int64_t batch_bytes() const = 0;
  virtual int64_t matrix_bytes() const = 0;  // part of batch_bytes(): the matrices
};

}  // namespace vrp
