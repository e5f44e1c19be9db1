// Writes the models of a training of a dispatch model.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "core/model/dispatch/dispatch_settings.h"
#include "core/train/dispatch/prize_learner.h"
#include "core/train/dispatch/shift_validator.h"
#include "core/train/run/run_context.h"
#include "core/train/run/training_result.h"

namespace vrp {

// The publisher of one run. Used only by the training thread.
class DispatchPublisher {
 public:
  // `settings` are those of the model, without its shift. `context`, `learner` and `validator` must
  // outlive the object.
  DispatchPublisher(RunContext& context, const PrizeLearner& learner,
                    const ShiftValidator& validator, DispatchSettings settings)
      : context_(context),
        learner_(learner),
        validator_(validator),
        settings_(std::move(settings)) {}

  // Writes the model of a run that ended after step `step` for the reason `end`. Waits while the
  // disk is full. Returns kCancelled if the run was stopped while it waited.
  absl::StatusOr<TrainingResult> Publish(int64_t step, TrainingEnd end) const;

  // Serves the requests for live models after step `step`. `validate` scores the current weights.
  // Returns the error of `validate`, which ends the run. If a model cannot be written, only its
  // request fails.
  absl::Status ServeLive(int64_t step,
                         absl::FunctionRef<absl::StatusOr<ShiftScore>()> validate) const;

 private:
  TrainingResult ResultOf(int64_t step, const ValidationScore& score, PublishReason reason) const;
  // Chooses the weights to publish, and gives the reason.
  TrainingResult ChooseWeights(int64_t step) const;
  // `parameters` are in the form of DispatchLayout and include the shift.
  absl::Status WriteModel(const std::string& directory, const std::string& job_name,
                          std::span<const float> parameters, const TrainingResult& result) const;

  RunContext& context_;
  const PrizeLearner& learner_;
  const ShiftValidator& validator_;
  const DispatchSettings settings_;
};

}  // namespace vrp
