// Records a trainer's reports in its job's event log.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "core/base/clock.h"
#include "core/jobs/job_store.h"
#include "core/jobs/state_quota.h"
#include "core/jobs/tensorboard_writer.h"
#include "core/train/run/trainer.h"

namespace vrp {

// An observer that stores progress at most once per interval and per step, but always ends of
// epochs and the last step. An event that cannot be stored (disk full) does not stop the training.
// The recorder counts lost events and logs their number once the store works again. Not
// thread-safe: only the training thread uses the recorder.
class JobRecorder final : public TrainingObserver {
 public:
  // The job, its environment and the interval between progress events.
  struct Options {
    JobStore* store = nullptr;     // outlives the recorder
    const Clock* clock = nullptr;  // outlives the recorder
    std::string job_id;
    absl::Duration progress_interval;
    absl::Duration run_time_before = absl::ZeroDuration();  // of the job's earlier attempts
    // The quota for which each checkpoint frees space (FreeSpace). Optional. Outlives the recorder.
    const StateQuota* quota = nullptr;
    // Called once a checkpoint has reset the job's count of crashes. Optional.
    std::function<void()> on_progress_kept = nullptr;
  };
  // Starts the clock of the attempt.
  explicit JobRecorder(Options options)
      : options_(std::move(options)), start_time_(options_.clock->SteadyNow()) {}

  void OnLog(std::string_view line) override;
  void OnProgress(const TrainingProgress& progress) override;
  void OnCheckpoint(int64_t step) override;
  void OnEnd(const TrainingTotals& totals) override { totals_ = totals; }

  // Records that the job resumes from the checkpoint of `step`.
  void RecordResume(int64_t step);
  // Makes the recorder write stored progress to a TensorBoard event file too, at most once a
  // second, and always at ends of epochs. If the file cannot be written, logs the error and stops
  // writing the file.
  void WriteTensorBoard(absl::StatusOr<std::unique_ptr<TensorBoardWriter>> writer);
  // Stores the last step and the totals of the run. Must be called when training has ended.
  void Finish();
  // Returns the job's run time over all attempts.
  absl::Duration RunTime() const;

 private:
  bool IsDue() const;
  void StoreProgress(const TrainingProgress& progress);
  void WriteTensorBoardEvent(const TrainingProgress& progress);
  void Append(absl::FunctionRef<void(JobChange&)> add);

  const Options options_;
  const absl::Time start_time_;
  absl::Time last_stored_time_ = absl::InfinitePast();
  int64_t last_stored_step_ = 0;
  std::optional<TrainingProgress> unstored_;  // the newest progress, if it was not due
  std::optional<TrainingTotals> totals_;      // totals of the finished run
  bool end_of_epoch_follows_ = false;         // whether unstored_ precedes its epoch's validation
  int64_t lost_ = 0;                          // number of lost events since the store last worked
  absl::Status lost_reason_;
  std::unique_ptr<TensorBoardWriter> tensorboard_;  // optional
  absl::Time tensorboard_time_ = absl::InfinitePast();
  TrainingTotals tensorboard_totals_;  // totals at the last event of tensorboard_
};

}  // namespace vrp
