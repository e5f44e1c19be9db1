// What happens to a job in one transaction: its new state and the events that tell of it.
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

// A job with what only the store and the recovery need.
struct JobRecord {
  int64_t number = 0;  // order of submission
  Job job;
  int32_t crashes = 0;          // daemons that died in it since it last got on
  int32_t all_crashes = 0;      // daemons that ever died in it
  int64_t checkpoint_step = 0;  // of its newest checkpoint
};

// Keeps record and events consistent: each call changes the record and adds the event. Not
// thread-safe.
class JobChange {
 public:
  JobChange(JobRecord record, absl::Time now) : record_(std::move(record)), now_(now) {}

  const JobRecord& record() const { return record_; }
  JobState state() const { return record_.job.state; }
  const std::vector<JobEvent>& events() const { return events_; }

  // The first event of a new job.
  void Submitted();
  // kFailedPrecondition, naming both states, when the table of transitions forbids it; nothing is
  // changed then.
  absl::Status MoveTo(JobState to);
  // PREPARING, as the next attempt.
  absl::Status Start();
  // FAILED, with the error's text made fit for messages.
  absl::Status Fail(const absl::Status& error);
  // The daemon died while the job ran.
  void CountCrash();
  // Whether there is anything to store.
  bool empty() const { return events_.empty() && !searched_ && !measured_; }

  void Log(std::string_view line);
  void Progress(const TrainingProgress& progress);
  void Checkpoint(int64_t step);
  void Resumed(int64_t step);
  // Stores the totals of the attempt that has just ended. Keeps those of the attempt before if
  // this one took no step. Adds no event.
  void Measured(const TrainingTotals& totals);
  // `model`: "models/{name}/versions/{n}".
  void Published(const std::string& model, TrainingEnd end, const PublishedWeights& weights);
  // While the job runs, with the weights after `step`.
  void PublishedLive(const std::string& model, int64_t step);
  // It is to end with a model. Adds a log line with `note`.
  void RequestStop(std::string_view note);
  // It has been prepared and run for so long in all; no event, and stored with the next one.
  void Ran(absl::Duration run_time) { record_.job.run_time = run_time; }

  // A solve job goes on from its stored plan.
  void ResumedSearch();
  // `searched` in all, of it `lately` since the job was started; no event.
  void Searched(absl::Duration searched, absl::Duration lately);
  // A better plan, as the server wrote it.
  void Improved(const SolveProgress& progress, std::string plan);
  // The end of the search; what SUCCEEDED follows.
  void Answered(const SolveProgress& progress, std::string answer);
  // Large texts that the change brings.
  const std::map<SolveContent, std::string>& contents() const { return contents_; }

 private:
  JobEvent& Add(EventType type);

  JobRecord record_;
  const absl::Time now_;
  std::vector<JobEvent> events_;
  bool searched_ = false;
  bool measured_ = false;
  std::map<SolveContent, std::string> contents_;
};

}  // namespace vrp
