// The changes of a job in one transaction: its new state and the events that report them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "core/jobs/job.h"

namespace vrp {

// A job with the fields that only the store and the recovery need.
struct JobRecord {
  int64_t number = 0;  // order of submission
  Job job;
  int32_t crashes = 0;      // crashes of the daemon during this job, since the job's last progress
  int32_t all_crashes = 0;  // crashes of the daemon during this job
  int64_t checkpoint_step = 0;  // highest step of the job's checkpoints
};

// A change under construction. Each call changes the record and adds the event, so that both stay
// consistent. Not thread-safe.
class JobChange {
 public:
  JobChange(JobRecord record, absl::Time now) : record_(std::move(record)), now_(now) {}

  const JobRecord& record() const { return record_; }
  JobState state() const { return record_.job.state; }
  const std::vector<JobEvent>& events() const { return events_; }

  // Adds the first event of a new job.
  void RecordSubmission();
  // Moves to another state. If CanMove forbids the move, changes nothing and returns
  // kFailedPrecondition naming both states.
  absl::Status MoveTo(JobState to);
  // Moves to PREPARING and counts the next attempt.
  absl::Status Start();
  // Moves to FAILED. Stores the error's text, shortened and made valid for messages.
  absl::Status Fail(const absl::Status& error);
  // Counts a crash of the daemon while the job ran. Adds no event; the store writes the count only
  // if this change is not empty.
  void CountCrash();
  // Whether there is nothing to store.
  bool empty() const { return events_.empty() && !search_time_set_ && !totals_set_; }

  void RecordLog(std::string_view line);
  void RecordProgress(const TrainingProgress& progress);
  // Records a checkpoint. Resets the count of crashes if `step` is after all earlier checkpoints.
  void RecordCheckpoint(int64_t step);
  void RecordResume(int64_t step);
  // Stores the totals of the attempt that has just ended. Keeps the totals of the previous attempt
  // if the ended one took no step. Adds no event.
  void SetTotals(const TrainingTotals& totals);
  // Records the final model, "models/{name}/versions/{n}".
  void RecordModel(const std::string& model, TrainingEnd end, const PublishedWeights& weights);
  // Records the end of a trial, whose model stays in its folder.
  void RecordTrialEnd(TrainingEnd end, const PublishedWeights& weights);
  // Lets a trial that waits for a selection train up to `pause_epoch`; 0: to its end. The caller
  // then moves the job to QUEUED.
  void SetPauseEpoch(int64_t pause_epoch);
  // Sets the place of the job's runs. Adds no event; the store writes the place only if this change
  // is not empty.
  void SetPlace(const RunPlace& place) { record_.job.place = place; }
  // Records a model that was published while the job runs, with the weights after `step`.
  void RecordLiveModel(const std::string& model, int64_t step);
  // Asks the job to end with a model. Adds `line` to the log.
  void RequestStop(std::string_view line);
  // Sets the total time of preparing and running. Adds no event; the store writes the time only if
  // this change is not empty.
  void SetRunTime(absl::Duration run_time) { record_.job.run_time = run_time; }

  // Records that a solve job or simulation resumes from its stored plan or parts.
  void RecordSearchResume();
  // Sets the total search time. Resets the count of crashes if this attempt has searched for at
  // least a minute. Adds no event.
  void SetSearchTime(absl::Duration total, absl::Duration attempt);
  // Records a better plan, serialised by the server. Resets the count of crashes.
  void RecordPlan(const SolveProgress& progress, std::string plan);
  // Records the next part of the result, serialised by the server. Resets the count of crashes.
  void RecordPart(absl::Duration search_time, std::string part);
  // Records the progress of a running trial of a sweep.
  void RecordTrialProgress(int32_t trial, const TrainingProgress& progress);
  // Records the model that a sweep published.
  void SetModel(const std::string& model) { record_.job.model = model; }
  // Records the answer. The caller then moves the job to SUCCEEDED.
  void RecordAnswer(const SolveProgress& progress, std::string answer);
  // Returns the large texts of this change.
  const std::map<SolveContent, std::string>& contents() const { return contents_; }
  // Returns the new parts of the result by number.
  const std::map<int64_t, std::string>& parts() const { return parts_; }

 private:
  JobEvent& Add(EventType type);

  JobRecord record_;
  const absl::Time now_;
  std::vector<JobEvent> events_;
  bool search_time_set_ = false;  // whether SetSearchTime was called
  bool totals_set_ = false;       // whether SetTotals stored totals
  std::map<SolveContent, std::string> contents_;
  std::map<int64_t, std::string> parts_;
};

}  // namespace vrp
