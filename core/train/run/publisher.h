// A writer of a run's models: one at the run's end, and live ones on request.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/train/run/run_context.h"
#include "core/train/run/trained_network.h"
#include "core/train/run/training_result.h"
#include "core/train/run/validator.h"

namespace vrp {

// The publisher of one run. Used only by the training thread.
class Publisher {
 public:
  // Makes a publisher. All arguments must outlive it.
  Publisher(RunContext& context, const TrainedNetwork& network, const Validator& validator)
      : context_(context), network_(network), validator_(validator) {}

  // Writes the model of a run that ended after step `step` for the reason `end`. Waits while the
  // disk is full, because days of steps must not be lost. Returns kCancelled if the run was stopped
  // while it waited.
  absl::StatusOr<TrainingResult> Publish(int64_t step, TrainingEnd end) const;

  // Serves the requests for live models after step `step`. `validate` scores the current weights.
  // Returns the error of `validate`, which ends the run as after an epoch. If a model cannot be
  // written, only its request fails.
  absl::Status ServeLive(int64_t step,
                         absl::FunctionRef<absl::StatusOr<ValidationScore>()> validate) const;

 private:
  // Chooses the weights to publish, and gives the reason.
  TrainingResult ChooseWeights(int64_t step, TrainingEnd end) const;
  std::string ChoiceText(const TrainingResult& result, int64_t step) const;
  absl::StatusOr<TrainingResult> PublishLive(int64_t step, const std::string& directory,
                                             const ValidationScore& score) const;
  // A model's folder and the job named in its card.
  struct Target {
    std::string directory;
    std::string job_name;
  };
  absl::Status WriteModel(const Target& target, std::span<const float> weights,
                          const TrainingResult& result) const;

  RunContext& context_;
  const TrainedNetwork& network_;
  const Validator& validator_;
};

}  // namespace vrp
