#include "tests/jobs/fake_trainer.h"

#include <limits>
#include <utility>

#include "core/base/file.h"
#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "tests/registry/fake_model.h"

namespace vrp::test {
namespace {

constexpr absl::Duration kTimeout = absl::Seconds(60);  // limit for AwaitHeld

std::string CheckpointFile(const std::string& directory) { return directory + "/step"; }

}  // namespace

bool IsTiming(const TrainingRequest& request) {
  return request.checkpoint_directory.ends_with("/timing/checkpoint");
}

absl::StatusOr<int64_t> FakeTrainer::ResumeStep(const std::string& checkpoint_directory) {
  const absl::StatusOr<std::string> text = ReadFile(CheckpointFile(checkpoint_directory));
  if (absl::IsNotFound(text.status())) return 0;
  VRP_RETURN_IF_ERROR(text.status());
  return ParseInteger(*text).value_or(0);
}

absl::Status FakeTrainer::Save(const TrainingRequest& request, int64_t step,
                               TrainingObserver& observer) const {
  VRP_RETURN_IF_ERROR(AtomicWriteFile(CheckpointFile(request.checkpoint_directory), Concat(step)));
  observer.OnCheckpoint(step);
  if (options_.after_checkpoint) options_.after_checkpoint(step);
  return absl::OkStatus();
}

absl::StatusOr<TrainingResult> FakeTrainer::Train(const TrainingRequest& request,
                                                  const StopCondition& stop,
                                                  TrainingObserver& observer) {
  {
    absl::MutexLock lock(&mutex_);
    requests_.push_back(request);
  }
  VRP_ASSIGN_OR_RETURN(const int64_t done, ResumeStep(request.checkpoint_directory));
  observer.OnLog(Concat("begins after step ", done));
  const int64_t per_epoch = request.config.batches_per_epoch;
  const int64_t steps = request.config.epochs * per_epoch;
  for (int64_t step = done + 1; step <= steps; ++step) {
    VRP_RETURN_IF_ERROR(Hold(request, step, stop));
    if (options_.before_step) VRP_RETURN_IF_ERROR(options_.before_step(request, step));
    if (stop.ShouldStop()) {
      VRP_RETURN_IF_ERROR(Save(request, step - 1, observer));
      return absl::CancelledError("stopped");
    }
    if (EndsEarly(request)) {
      if (step == 1) return absl::CancelledError("ended before its first step");
      return End(request, step - 1, TrainingEnd::kStopped);
    }
    TrainingProgress progress{.epoch = (step - 1) / per_epoch + 1,
                              .epochs = request.config.epochs,
                              .step = step,
                              .steps = steps,
                              .loss = 1.0 / static_cast<double>(step),
                              .validation_cost = std::numeric_limits<double>::quiet_NaN()};
    if (options_.seconds_per_step) {
      progress.totals.steps = step - done;
      progress.totals.seconds =
          static_cast<double>(step - done) * options_.seconds_per_step(request);
    }
    observer.OnProgress(progress);
    if (step % per_epoch == 0) {
      progress.validation_cost = Cost(request, progress.epoch);
      progress.end_of_epoch = true;
      observer.OnProgress(progress);
    }
    if (step % options_.checkpoint_every == 0) VRP_RETURN_IF_ERROR(Save(request, step, observer));
    if (request.live != nullptr) ServeLive(request, step);
  }
  return End(request, steps, TrainingEnd::kAllEpochs);
}

bool FakeTrainer::EndsEarly(const TrainingRequest& request) {
  return request.end_early != nullptr && request.end_early->cancelled();
}

absl::StatusOr<TrainingResult> FakeTrainer::End(const TrainingRequest& request, int64_t step,
                                                TrainingEnd end) const {
  VRP_RETURN_IF_ERROR(WriteFakeModel(request.model_directory, request.job_name));
  const int64_t epoch = (step - 1) / request.config.batches_per_epoch + 1;
  return TrainingResult{.steps = step,
                        .epoch = epoch,
                        .reason = PublishReason::kBestValidation,
                        .validation_cost = Cost(request, epoch),
                        .validation_reference = 7,
                        .end = end};
}

void FakeTrainer::ServeLive(const TrainingRequest& request, int64_t step) {
  request.live->Serve([&](const std::string& folder) -> absl::StatusOr<TrainingResult> {
    VRP_RETURN_IF_ERROR(WriteFakeModel(folder, LiveJobName(request.job_name, step)));
    return TrainingResult{.steps = step};
  });
}

absl::Status FakeTrainer::Hold(const TrainingRequest& request, int64_t step,
                               const StopCondition& stop) {
  absl::MutexLock lock(&mutex_);
  if (step != hold_at_ || IsTiming(request)) return absl::OkStatus();
  ++held_;
  while (step == hold_at_ && !stop.ShouldStop() && !EndsEarly(request)) {
    // Polls, because a stop condition's flag wakes no waiter. Real trainers poll too.
    mutex_.AwaitWithTimeout(absl::Condition(
                                +[](int64_t* hold_at) { return *hold_at < 0; }, &hold_at_),
                            absl::Milliseconds(1));
  }
  --held_;
  return absl::OkStatus();
}

void FakeTrainer::HoldAt(int64_t step) {
  absl::MutexLock lock(&mutex_);
  hold_at_ = step;
}

void FakeTrainer::Release() { HoldAt(-1); }

bool FakeTrainer::AwaitHeld(int32_t jobs) {
  const auto enough = [this, jobs]()
                          ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return held_ >= jobs; };
  absl::MutexLock lock(&mutex_);
  return mutex_.AwaitWithTimeout(absl::Condition(&enough), kTimeout);
}

std::vector<TrainingRequest> FakeTrainer::requests() const {
  absl::MutexLock lock(&mutex_);
  return requests_;
}

}  // namespace vrp::test
