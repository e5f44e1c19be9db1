// A keeper that saves a run's state as checkpoints and resumes from the newest one.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/model/weights/safetensors.h"
#include "core/train/learners/learner.h"
#include "core/train/run/checkpoint.h"
#include "core/train/run/reporter.h"
#include "core/train/run/run_context.h"
#include "core/train/run/step_source.h"
#include "core/train/run/trained_network.h"
#include "core/train/run/validator.h"

namespace vrp {

// The progress of a run.
struct RunPosition {
  int64_t step = 0;  // number of finished steps or, on the device, of started steps
  int64_t epochs_ended = 0;
};

// The checkpoints of one run. Used only by the training thread.
class CheckpointKeeper {
 public:
  // The parts of the run that a checkpoint holds. They must outlive the keeper.
  struct Parts {
    RunContext& context;
    RunPosition& position;
    TrainedNetwork& network;
    Learner& learner;
    StepSource& steps;
    Validator& validator;
    Reporter& reporter;
  };
  explicit CheckpointKeeper(const Parts& parts) : parts_(parts) {}

  // Writes a checkpoint of the current step. Ranks other than 0 write none. Only logs a failure of
  // the disk, because the next write may succeed. Returns kInternal if a scalar of the state is not
  // finite, and the errors of StepSource::Settle.
  absl::Status Save();
  // Resumes from the newest checkpoint, if there is one. Returns kFailedPrecondition if the
  // checkpoint belongs to another configuration or a newer program wrote it, and kDataLoss if it
  // lacks a value.
  absl::Status Resume();

  // Gives the state of rank 0 to the other ranks, which need no checkpoint of their own. All ranks
  // must call it. Returns the errors of RankGroup::Share and Resume.
  absl::Status ShareState();

  // Whether the last checkpoint is of the current step.
  bool IsSaved() const { return saved_step_ == parts_.position.step; }
  // Whether the current step was validated and its cost is among the best, so that a checkpoint
  // should keep the weights. False in ranks other than 0.
  bool IsOneOfTheBest() const;

 private:
  absl::StatusOr<std::map<std::string, double>> ScalarState() const;
  std::map<std::string, std::span<float>> TensorState();
  absl::Status CheckScalars(const Checkpoint& checkpoint, const std::string& where) const;
  absl::Status RestoreTensors(const Checkpoint& checkpoint, const std::string& where);
  absl::Status RestoreScalars(const std::map<std::string, double>& scalars);
  absl::StatusOr<Checkpoint> MakeCheckpoint();
  // Takes over the state of `checkpoint`, which errors call `where`.
  absl::Status Restore(const Checkpoint& checkpoint, const std::string& where);
  void LogFailure(const absl::Status& failure) const;

  const Parts parts_;
  int64_t saved_step_ = -1;
};

}  // namespace vrp
