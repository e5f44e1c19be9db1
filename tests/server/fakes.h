// A fake trainer and a fake policy without networks, for daemons of tests.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/numbers.h"
#include "absl/synchronization/mutex.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/model/policy/policy.h"
#include "core/search/build/construct.h"
#include "core/train/run/trainer.h"
#include "tests/registry/fake_model.h"

namespace vrp::test {

// A trainer of one epoch with `steps` steps. It waits at step `hold_at` (0: at none) until
// Release(), the stop condition or an early end. After a stop, the next run resumes from the last
// complete step. Thread-safe.
class FakeTrainer final : public Trainer {
 public:
  explicit FakeTrainer(int64_t steps = 5, int64_t hold_at = 0) : steps_(steps), hold_at_(hold_at) {}

  void Release() {
    absl::MutexLock lock(&mutex_);
    released_ = true;
  }

  absl::StatusOr<TrainingResult> Train(const TrainingRequest& request, const StopCondition& stop,
                                       TrainingObserver& observer) override {
    VRP_ASSIGN_OR_RETURN(const int64_t first, ResumeStep(request.checkpoint_directory));
    observer.OnLog("fake training");
    for (int64_t step = first + 1; step <= steps_; ++step) {
      if (step == hold_at_) WaitFor(request, step, stop);
      if (stop.ShouldStop()) return Stop(request, step - 1, observer);
      if (EndsEarly(request)) return End(request, step - 1, TrainingEnd::kStopped);
      if (!step_log_.empty()) observer.OnLog(step_log_);
      observer.OnProgress({.epoch = 1,
                           .epochs = 1,
                           .step = step,
                           .steps = steps_,
                           .loss = 1.0 / step,
                           .validation_cost = 6,
                           .end_of_epoch = true});
    }
    return End(request, steps_, TrainingEnd::kAllEpochs);
  }

  absl::Status CheckInputs(const TrainingRequest&) const override { return inputs_; }
  // Sets the result of CheckInputs. Call this before the daemon starts.
  void set_inputs(absl::Status inputs) { inputs_ = std::move(inputs); }
  // Makes the trainer log `line` at each step. Call this before the daemon starts.
  void set_step_log(std::string line) { step_log_ = std::move(line); }

  absl::StatusOr<int64_t> ResumeStep(const std::string& checkpoint_directory) override {
    const absl::StatusOr<std::string> text = ReadFile(checkpoint_directory + "/step");
    int64_t step = 0;
    if (text.ok() && !absl::SimpleAtoi(*text, &step)) {
      return absl::DataLossError(Concat(checkpoint_directory, "/step: wanted an integer"));
    }
    return step;
  }

 private:
  static bool EndsEarly(const TrainingRequest& request) {
    return request.end_early != nullptr && request.end_early->cancelled();
  }
  static absl::StatusOr<TrainingResult> End(const TrainingRequest& request, int64_t step,
                                            TrainingEnd end) {
    VRP_RETURN_IF_ERROR(WriteFakeModel(request.model_directory, request.job_name));
    return TrainingResult{.steps = step,
                          .epoch = 1,
                          .reason = PublishReason::kBestValidation,
                          .validation_cost = 6,
                          .validation_reference = 7,
                          .end = end};
  }
  // Waits at a step. Meanwhile serves live models, as the real trainer does between two steps.
  void WaitFor(const TrainingRequest& request, int64_t step, const StopCondition& stop) {
    absl::MutexLock lock(&mutex_);
    while (!released_ && !stop.ShouldStop() && !EndsEarly(request)) {
      mutex_.AwaitWithTimeout(absl::Condition(&released_), absl::Milliseconds(1));
      ServeLive(request, step - 1 + served_);
    }
  }
  // Serves the live model as if each call were one step later, so that each call publishes a new
  // version.
  void ServeLive(const TrainingRequest& request, int64_t step) {
    if (request.live == nullptr) return;
    request.live->Serve([&](const std::string& folder) -> absl::StatusOr<TrainingResult> {
      ++served_;
      VRP_RETURN_IF_ERROR(WriteFakeModel(folder, LiveJobName(request.job_name, step)));
      return TrainingResult{.steps = step};
    });
  }
  static absl::Status Stop(const TrainingRequest& request, int64_t step,
                           TrainingObserver& observer) {
    VRP_RETURN_IF_ERROR(AtomicWriteFile(request.checkpoint_directory + "/step", Concat(step)));
    observer.OnCheckpoint(step);
    return absl::CancelledError("stopped");
  }

  absl::Status inputs_;
  std::string step_log_;
  const int64_t steps_;
  const int64_t hold_at_;
  absl::Mutex mutex_;
  bool released_ ABSL_GUARDED_BY(mutex_) = false;
  int64_t served_ = 0;  // used only by training threads that wait, which hold mutex_
};

// A policy that decodes nearest-neighbour plans.
class NearestNeighbourPolicy final : public Policy {
 public:
  NearestNeighbourPolicy() {
    info_.architecture = "fake";
    info_.kinds = {ProblemKind::kCvrp};
    info_.parameters = 12;  // equals the number in ACard
  }
  const PolicyInfo& info() const override { return info_; }
  absl::Status Supports(const Instance&) const override { return absl::OkStatus(); }
  absl::StatusOr<std::vector<DecodedPlan>> Decode(std::span<const Instance> batch,
                                                  const DecodeOptions&) override {
    std::vector<DecodedPlan> plans;
    for (const Instance& instance : batch)
      plans.push_back({.plan = NearestNeighbourPlan(instance)});
    return plans;
  }

 private:
  PolicyInfo info_;
};

inline PolicyLoader FakeLoader() {
  return [](const std::string&, DeviceId) -> absl::StatusOr<std::unique_ptr<Policy>> {
    return std::make_unique<NearestNeighbourPolicy>();
  };
}

}  // namespace vrp::test
