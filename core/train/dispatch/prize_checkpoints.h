// The checkpoints of a training of a dispatch model.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "core/train/dispatch/prize_learner.h"
#include "core/train/dispatch/shift_validator.h"
#include "core/train/run/checkpoint.h"
#include "core/train/run/checkpoint_keeper.h"
#include "core/train/run/run_context.h"

namespace vrp {

// Saves the state of a run and resumes from the newest checkpoint. Used only by the training
// thread.
class PrizeCheckpoints {
 public:
  // All arguments must outlive the object.
  PrizeCheckpoints(RunContext& context, RunPosition& position, PrizeLearner& learner,
                   ShiftValidator& validator)
      : context_(context), position_(position), learner_(learner), validator_(validator) {}

  // Writes a checkpoint of the current step. Only logs a failure of the disk, because the next
  // write may succeed. Returns kInternal if a scalar of the state is not finite.
  absl::Status Save();
  // Resumes from the newest checkpoint, if there is one. Returns kFailedPrecondition if the
  // checkpoint belongs to another configuration or a newer program wrote it, and kDataLoss if it
  // lacks a value.
  absl::Status Resume();

  // Whether the last checkpoint is of the current step.
  bool IsSaved() const { return saved_step_ == position_.step; }
  // Whether the current step was validated and its cost is among the best.
  bool IsOneOfTheBest() const;

 private:
  std::map<std::string, double> ScalarState() const;
  std::map<std::string, std::span<float>> TensorState();
  Checkpoint MakeCheckpoint();
  absl::Status Restore(const Checkpoint& checkpoint, const std::string& where);

  RunContext& context_;
  RunPosition& position_;
  PrizeLearner& learner_;
  ShiftValidator& validator_;
  int64_t saved_step_ = -1;
};

}  // namespace vrp
