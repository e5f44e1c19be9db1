// A trainer without a network. It counts steps, writes a file as its checkpoint and calls the
// test's hooks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "core/train/run/trainer.h"

namespace vrp::test {

// Whether a request measures steps for `device: auto`.
bool IsTiming(const TrainingRequest& request);

// A fake trainer. Trains request.config.epochs epochs of request.config.batches_per_epoch steps.
// Thread-safe.
class FakeTrainer final : public Trainer {
 public:
  struct Options {
    int64_t checkpoint_every = 3;  // steps
    // Called before each step, in the training thread. Its error ends the training. Optional.
    std::function<absl::Status(const TrainingRequest&, int64_t step)> before_step = {};
    // Called after a checkpoint was stored and reported. Optional.
    std::function<void(int64_t step)> after_checkpoint = {};
    // Returns the validation cost of an epoch. Default: 6.5.
    std::function<double(const TrainingRequest&, int64_t epoch)> cost = {};
    // Returns the seconds of a step for the totals. Default: 0.
    std::function<double(const TrainingRequest&)> seconds_per_step = {};
    // Returns the result of CheckInputs. Default: no error.
    std::function<absl::Status(const TrainingRequest&)> check_inputs = {};
  };
  FakeTrainer() = default;
  explicit FakeTrainer(Options options) : options_(std::move(options)) {}

  absl::StatusOr<TrainingResult> Train(const TrainingRequest& request, const StopCondition& stop,
                                       TrainingObserver& observer) override;
  absl::Status CheckInputs(const TrainingRequest& request) const override {
    return options_.check_inputs == nullptr ? absl::OkStatus() : options_.check_inputs(request);
  }
  absl::StatusOr<int64_t> ResumeStep(const std::string& checkpoint_directory) override;

  // Makes every training job wait before step `step` until Release(), but not while its steps are
  // measured. A waiting training job polls
  // its stop condition.
  void HoldAt(int64_t step);
  void Release();
  // Blocks until this number of training jobs wait before the step of HoldAt. Returns false after
  // 60 s.
  bool AwaitHeld(int32_t jobs = 1);

  // Returns the requests so far, in order.
  std::vector<TrainingRequest> requests() const;

 private:
  absl::Status Hold(const TrainingRequest& request, int64_t step, const StopCondition& stop);
  static bool EndsEarly(const TrainingRequest& request);
  // Writes the model after `step` and returns the training job's result.
  absl::StatusOr<TrainingResult> End(const TrainingRequest& request, int64_t step,
                                     TrainingEnd end) const;
  double Cost(const TrainingRequest& request, int64_t epoch) const {
    return options_.cost == nullptr ? 6.5 : options_.cost(request, epoch);
  }
  static void ServeLive(const TrainingRequest& request, int64_t step);
  absl::Status Save(const TrainingRequest& request, int64_t step, TrainingObserver& observer) const;

  const Options options_;
  mutable absl::Mutex mutex_;
  int64_t hold_at_ ABSL_GUARDED_BY(mutex_) = -1;
  int32_t held_ ABSL_GUARDED_BY(mutex_) = 0;  // number of jobs that wait
  std::vector<TrainingRequest> requests_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace vrp::test
