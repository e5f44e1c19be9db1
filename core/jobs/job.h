// Jobs: their specifications, states and events.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "core/jobs/job_kind.h"
#include "core/jobs/job_spec.h"
#include "core/jobs/solve_part.h"
#include "core/train/run/trainer.h"
#include "core/train/run/training_result.h"

namespace vrp {

// The state of a job. CanMove defines the transitions.
enum class JobState {
  kQueued,
  kPreparing,
  kRunning,
  kPausing,
  kPaused,
  kCancelling,
  kStopping,  // asked to end now with the current result
  kSucceeded,
  kFailed,
  kCancelled,
};
// Returns "QUEUED", "RUNNING" and so on.
std::string_view JobStateName(JobState state);
std::optional<JobState> ParseJobState(std::string_view name);
// Whether a job in this state has ended.
bool IsFinal(JobState state);
// Whether a job may move from state `from` to state `to`:
//   QUEUED     -> PREPARING (its turn), PAUSED, CANCELLED
//   PREPARING  -> RUNNING, and all transitions of RUNNING
//   RUNNING    -> SUCCEEDED, FAILED, CANCELLING, STOPPING, PAUSING, QUEUED (its daemon stopped or
//                 died)
//   PAUSING    -> PAUSED, CANCELLING, SUCCEEDED (it was finished already), FAILED
//   PAUSED     -> QUEUED, CANCELLED
//   CANCELLING -> CANCELLED, SUCCEEDED (its model was published already)
//   STOPPING   -> SUCCEEDED, FAILED, CANCELLED (it had no result yet), CANCELLING,
//                 QUEUED (its daemon stopped or died)
bool CanMove(JobState from, JobState to);

// Returns "", "all epochs", "no improvement", "epoch limit", "time limit" or "stopped".
std::string_view TrainingEndName(TrainingEnd end);
std::optional<TrainingEnd> ParseTrainingEnd(std::string_view name);

// The weights that a training job published at its end. The fields are those of TrainingResult.
struct PublishedWeights {
  int64_t epoch = 0;
  int64_t step = 0;
  PublishReason reason = PublishReason::kUnknown;
  double validation_cost = 0;

  bool operator==(const PublishedWeights&) const = default;
};

// A job of any kind.
struct Job {
  std::string id;          // last part of the resource name
  std::string request_id;  // may be empty
  JobKind kind = JobKind::kTraining;
  JobSpec spec;     // training jobs only
  SolvePart solve;  // if HasRequest(kind)
  JobState state = JobState::kQueued;
  int32_t attempt = 0;  // number of starts; 1 in the first run
  absl::Time created;
  absl::Time started = absl::InfinitePast();  // first start; InfinitePast: not started yet
  absl::Time ended = absl::InfinitePast();    // InfinitePast: not ended yet
  absl::Status error;                         // set if the job failed
  int64_t queue_position = 0;                 // 1 is the next to start; 0 unless queued
  int64_t last_sequence = 0;                  // sequence number of the newest event
  // Fields of training jobs only.
  std::optional<TrainingProgress> progress;  // the last stored progress
  std::optional<TrainingProgress> best;     // progress at the epoch with the lowest validation cost
  std::string model;                        // models/{name}/versions/{n}, the newest version
  TrainingEnd end = TrainingEnd::kUnknown;  // set once the job has succeeded
  std::optional<PublishedWeights> published;  // set once the job has succeeded
  // Whether the job was asked to end with a model. The job ends as soon as it runs, also after
  // restarts.
  bool stop_requested = false;
  absl::Duration run_time = absl::ZeroDuration();  // preparing and running, all attempts
  RunPlace place = {};
};

// The type of an event.
enum class EventType {
  kState,
  kLog,
  kResumed,
  kProgress,  // of training jobs, and of the running trials of a sweep
  // Events of training jobs only.
  kCheckpoint,
  kModel,
  kCompacted,  // not in the log; replaces thinned events in reads
  // Events of solve jobs, simulations and sweeps.
  kImprovement,
  kPart,  // one of several results; `step` is its number, from 1
  kAnswer,
};
// Returns "state", "log" and so on.
std::string_view EventTypeName(EventType type);
std::optional<EventType> ParseEventType(std::string_view name);

// One entry of a job's event log. Each job's sequence numbers count from 1 without gaps.
struct JobEvent {
  int64_t sequence = 0;
  int32_t attempt = 0;
  absl::Time time;
  EventType type = EventType::kState;
  JobState state = JobState::kQueued;  // the job's state after the event
  // kLog: the line; kState: a failed job's error; kModel: the model's name; kProgress of a sweep:
  // the trial's number
  std::string text;
  std::optional<TrainingProgress> progress;  // kProgress
  // kProgress, kCheckpoint; kResumed: the step from which a training job resumes; kModel: the step
  // of a live publication, or 0; kPart: the number of the part.
  int64_t step = 0;
  int64_t first_sequence = 0;  // kCompacted: first thinned event; `sequence` is the last
  std::optional<PublishedWeights> published;  // kModel: set for a job's last model
  // kImprovement, kPart, kAnswer; kResumed: the stored progress
  std::optional<SolveProgress> solve;
};

// Returns the name of a job of any kind, as JobResourceName does.
inline std::string ResourceName(const Job& job) { return JobResourceName(job.kind, job.id); }

}  // namespace vrp
