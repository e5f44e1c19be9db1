// The sequence transformer under training.
#pragma once

#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model/habits/sequence_transformer.h"
#include "core/model/weights/flat_parameters.h"
#include "core/train/habits/sequence_data.h"
#include "core/train/optimiser/adamw.h"
#include "core/train/run/run_context.h"

namespace vrp {

// The figures of one step.
struct SequenceStep {
  double loss = 0;           // mean of -log(probability) of the next stop
  double accuracy = 0;       // share of next stops that were the likeliest
  double gradient_norm = 0;  // before clipping
  int64_t routes = 0;
};

// The network, its optimiser and the feed of its batches: another thread makes the next batch while
// a step is taken. Not thread-safe.
class SequenceLearner {
 public:
  // Makes a network with random weights by training.seed, which begins as the distances of
  // CountParameters with the power `distance_power`. `context` and `data` must outlive it. Returns
  // the errors of SequenceTransformer::Create.
  static absl::StatusOr<std::unique_ptr<SequenceLearner>> Create(RunContext& context,
                                                                 const SequenceData& data,
                                                                 double distance_power);

  // Takes the step number `step` (from 0). Returns kInternal if the gradient is not finite.
  absl::StatusOr<SequenceStep> Step(int64_t step);
  // Returns the mean of -log(probability) and the hits of the validation's next stops.
  absl::StatusOr<SequenceOutcome> Validate();

  FlatParameters& parameters() { return parameters_; }
  const FlatParameters& parameters() const { return parameters_; }

  // Returns the state for checkpoints.
  std::map<std::string, double> ScalarState() const;
  std::map<std::string, std::span<float>> TensorState();
  // Restores the numbers of a checkpoint, after its tensors.
  void Restore(const std::map<std::string, double>& scalars);

 private:
  SequenceLearner(RunContext& context, const SequenceData& data, double distance_power,
                  std::unique_ptr<SequenceTransformer<float>> engine);

  // Returns the batch of a step, and begins to make the next one.
  const SequenceBuffers& BatchOf(int64_t step);

  RunContext& context_;
  const SequenceData& data_;
  const std::unique_ptr<SequenceTransformer<float>> engine_;
  FlatParameters parameters_;
  AdamW adamw_;
  SequenceBuffers validation_;
  SequenceBuffers buffers_[2];  // of even and odd steps
  int64_t next_step_ = -1;      // the step whose batch `next_` makes
  std::future<void> next_;      // joined before the buffers are destroyed
};

}  // namespace vrp
