#include "core/jobs/job_recorder.h"

#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "core/jobs/progress_scalars.h"

namespace vrp {
namespace {

// Minimum time between two events in a TensorBoard file, except ends of epochs.
constexpr absl::Duration kCurveInterval = absl::Seconds(1);

bool IsLastOfEpoch(const TrainingProgress& progress) {
  if (progress.epochs <= 0 || progress.steps < progress.epochs) return false;
  return progress.step % (progress.steps / progress.epochs) == 0;
}

}  // namespace

void JobRecorder::OnLog(std::string_view line) {
  Append([line](JobChange& change) { change.RecordLog(line); });
}

void JobRecorder::OnProgress(const TrainingProgress& progress) {
  // The report of a step may be followed by its epoch's report, which has the same step number and
  // the validation. Stores only the latter.
  if (end_of_epoch_follows_ && unstored_->step != progress.step) StoreProgress(*unstored_);
  unstored_ = progress;
  end_of_epoch_follows_ = !progress.end_of_epoch && IsLastOfEpoch(progress);
  if (progress.end_of_epoch || (IsDue() && !end_of_epoch_follows_)) StoreProgress(progress);
}

void JobRecorder::OnCheckpoint(int64_t step) {
  bool kept = false;
  Append([step, &kept](JobChange& change) {
    change.RecordCheckpoint(step);
    kept = change.record().crashes == 0;
  });
  if (kept && options_.on_progress_kept != nullptr) options_.on_progress_kept();
  if (options_.quota != nullptr) options_.quota->FreeSpace();
}

void JobRecorder::RecordResume(int64_t step) {
  Append([step](JobChange& change) { change.RecordResume(step); });
}

void JobRecorder::WriteTensorBoard(absl::StatusOr<std::unique_ptr<TensorBoardWriter>> writer) {
  if (writer.ok()) {
    tensorboard_ = *std::move(writer);
  } else {
    OnLog(Concat("no TensorBoard events are written: ", FromAbsl(writer.status().message())));
  }
}

void JobRecorder::Finish() {
  if (unstored_) StoreProgress(*unstored_);
  if (totals_) Append([this](JobChange& change) { change.SetTotals(*totals_); });
}

absl::Duration JobRecorder::RunTime() const {
  return options_.run_time_before + (options_.clock->SteadyNow() - start_time_);
}

bool JobRecorder::IsDue() const {
  return options_.clock->SteadyNow() - last_stored_time_ >= options_.progress_interval;
}

void JobRecorder::StoreProgress(const TrainingProgress& progress) {
  const TrainingProgress copy = progress;  // a copy, because `progress` may refer to unstored_
  unstored_.reset();
  end_of_epoch_follows_ = false;
  if (copy.step <= last_stored_step_) return;  // only one event per attempt and step
  last_stored_step_ = copy.step;
  last_stored_time_ = options_.clock->SteadyNow();
  Append([&copy](JobChange& change) { change.RecordProgress(copy); });
  WriteTensorBoardEvent(copy);
}

void JobRecorder::WriteTensorBoardEvent(const TrainingProgress& progress) {
  if (tensorboard_ == nullptr) return;
  const absl::Time now = options_.clock->SteadyNow();
  if (now - tensorboard_time_ < kCurveInterval && !progress.end_of_epoch) return;
  const absl::Status added = tensorboard_->Add(options_.clock->Now(), progress.step,
                                               ProgressScalars(progress, tensorboard_totals_));
  tensorboard_time_ = now;
  tensorboard_totals_ = progress.totals;
  if (added.ok()) return;
  tensorboard_ = nullptr;
  OnLog(Concat("no more TensorBoard events are written: ", FromAbsl(added.message())));
}

void JobRecorder::Append(absl::FunctionRef<void(JobChange&)> add) {
  const absl::StatusOr<Job> stored =
      options_.store->Update(options_.job_id, Durability::kNormal, [this, add](JobChange& change) {
        if (lost_ > 0) {
          change.RecordLog(Concat(lost_, " events before this one could not be stored: ",
                                  FromAbsl(lost_reason_.message())));
        }
        add(change);
        change.SetRunTime(RunTime());
        return absl::OkStatus();
      });
  if (stored.ok()) {
    lost_ = 0;
  } else {
    ++lost_;
    lost_reason_ = stored.status();
  }
}

}  // namespace vrp
