// One run of a training job: the loop over steps and epochs, checkpoints, the model at the end.
// Needs torch.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/model/pointer_network.h"
#include "core/train/adam.h"
#include "core/train/checkpoint.h"
#include "core/train/learner.h"
#include "core/train/trainer.h"

namespace vrp {

class TrainingRun {
 public:
  TrainingRun(const TrainingRequest& request, const StopCondition& stop,
              TrainingObserver& observer);

  absl::StatusOr<TrainingResult> Run();

 private:
  absl::Status Prepare();
  absl::Status Loop();
  absl::Status OneStep();
  absl::Status EndEpoch();
  absl::Status Validate();
  absl::Status CountBadStep(const std::string& why);
  void Report(const StepOutcome& outcome, double gradient_norm);
  double LearningRate() const;

  absl::Status Resume();
  // What the checkpoint holds of Tensors(); kDataLoss where something is missing.
  absl::StatusOr<std::map<std::string, at::Tensor>> ReadTensors(const Checkpoint& checkpoint,
                                                                const std::string& where);
  absl::Status Save();
  absl::StatusOr<TrainingResult> Publish() const;
  void Banner();

  std::map<std::string, double> Numbers() const;
  std::map<std::string, at::Tensor> Tensors();

  const TrainingRequest& request_;
  const TrainingConfig& config_;
  const StopCondition& stop_;
  TrainingObserver& observer_;
  const int64_t steps_per_epoch_;
  bool amp_ = false;

  PointerNetwork network_;
  Adam adam_;
  std::unique_ptr<Learner> learner_;
  std::vector<NetworkInput> validation_;
  double validation_reference_ = 0;

  int64_t step_ = 0;  // whole steps done
  int64_t epochs_ended_ = 0;
  int64_t saved_step_ = -1;
  int64_t bad_steps_ = 0;       // in a row
  double validation_cost_;      // NaN before the first
  double pass_difference_ = 0;  // the largest of the epoch
  TrainingProgress progress_;
  absl::Time last_report_;
};

}  // namespace vrp
