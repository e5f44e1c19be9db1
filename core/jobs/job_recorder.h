// Records a trainer's reports in its job's event log.
#pragma once

#include <cstdint>
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

// An observer that stores progress at most once per interval and per step; ends of epochs and the
// last step always. An event that cannot be stored (disk full) does not stop the training: it is
// counted and reported by a log line once the store works again. Not thread-safe: used by the
// training thread only.
class JobRecorder final : public TrainingObserver {
 public:
  struct Options {
    JobStore* store = nullptr;     // outlives the recorder
    const Clock* clock = nullptr;  // outlives the recorder
    std::string job_id;
    absl::Duration progress_interval;
    absl::Duration run_time_before = absl::ZeroDuration();  // of the job's earlier attempts
    // Enforced at each checkpoint; outlives the recorder. Optional.
    const StateQuota* quota = nullptr;
  };
  // Starts the clock of the attempt.
  explicit JobRecorder(Options options)
      : options_(std::move(options)), began_(options_.clock->SteadyNow()) {}

  void OnLog(std::string_view line) override;
  void OnProgress(const TrainingProgress& progress) override;
  void OnCheckpoint(int64_t step) override;
  void OnEnd(const TrainingTotals& totals) override { totals_ = totals; }

  void Resumed(int64_t step);
  // Also writes stored progress to an event file from now on, at most once a second, ends of epochs
  // always. A file that cannot be written is reported once and then abandoned.
  void WriteTensorBoard(absl::StatusOr<std::unique_ptr<TensorBoardWriter>> writer);
  // Stores the last step and the totals of the run. Call it when training has ended.
  void Finish();
  // Returns the job's run time over all attempts.
  absl::Duration RunTime() const;

 private:
  bool IsDue() const;
  void StoreProgress(const TrainingProgress& progress);
  void AddToCurves(const TrainingProgress& progress);
  void Append(absl::FunctionRef<void(JobChange&)> add);

  const Options options_;
  const absl::Time began_;
  absl::Time last_stored_time_ = absl::InfinitePast();
  int64_t last_stored_step_ = 0;
  std::optional<TrainingProgress> unstored_;  // the newest, if it was not due
  std::optional<TrainingTotals> totals_;      // of the finished run
  bool end_of_epoch_follows_ = false;  // unstored_ is an epoch's last step, before its validation
  int64_t lost_ = 0;                   // events since the store last worked
  absl::Status lost_why_;
  std::unique_ptr<TensorBoardWriter> curves_;  // optional
  absl::Time curves_time_ = absl::InfinitePast();
  TrainingTotals curves_totals_;  // at the last event of curves_
};

}  // namespace vrp
