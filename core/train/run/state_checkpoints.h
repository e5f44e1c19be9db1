// The checkpoints of a training of a model that plans no routes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/train/run/best_weights.h"
#include "core/train/run/checkpoint.h"
#include "core/train/run/checkpoint_keeper.h"
#include "core/train/run/run_context.h"

namespace vrp {

// A saver of the state of a run, which resumes from the newest checkpoint. Used only by the
// training thread.
class StateCheckpoints {
 public:
  // The state beside the position and the best weights.
  struct State {
    std::function<std::map<std::string, double>()> scalars;
    std::function<std::map<std::string, std::span<float>>()> tensors;
    // Integers of any number. A checkpoint without any has none in its file.
    std::function<std::vector<int32_t>()> integers;
    // Takes over the scalars and integers of a checkpoint, after its tensors.
    std::function<absl::Status(const std::map<std::string, double>&, std::span<const int32_t>)>
        restore;
    // Returns the validation cost of the weights after a step; NaN: not validated.
    std::function<double(int64_t step)> cost;
    int64_t parameters = 0;  // of the network
  };
  // All arguments must outlive the object.
  StateCheckpoints(RunContext& context, RunPosition& position, BestWeights& best, State state)
      : context_(context), position_(position), best_(best), state_(std::move(state)) {}

  // Writes a checkpoint of the current step. Only logs a failure of the disk, because the next
  // write may succeed. Returns kInternal if a scalar of the state is not finite.
  absl::Status Save();
  // Resumes from the newest checkpoint, if there is one. Returns kFailedPrecondition if the
  // checkpoint belongs to another configuration or a newer program wrote it, and kDataLoss if it
  // lacks a value.
  absl::Status Resume();
  // Saves the step at which a run was cancelled, unless it is saved. Only logs errors: the job can
  // resume from an earlier checkpoint.
  void SaveLast();

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
  BestWeights& best_;
  const State state_;
  int64_t saved_step_ = -1;
};

}  // namespace vrp
