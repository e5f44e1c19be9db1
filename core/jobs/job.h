// A job, training or solving: what was asked, where it stands, what happened to it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "core/jobs/solve_part.h"
#include "core/train/run/trainer.h"
#include "core/train/run/training_result.h"

namespace vrp {

// Jobs of all kinds have one store, one order of submission and the same states.
enum class JobKind { kTraining, kSolve };
std::string_view JobKindName(JobKind kind);  // "training", "solve"
std::optional<JobKind> ParseJobKind(std::string_view name);
// "trainingJobs/{id}", "solveJobs/{id}".
std::string JobResourceName(JobKind kind, std::string_view id);

enum class JobState {
  kQueued,
  kPreparing,
  kRunning,
  kPausing,
  kPaused,
  kCancelling,
  kStopping,  // asked to end now with what it has
  kSucceeded,
  kFailed,
  kCancelled,
};
std::string_view JobStateName(JobState state);  // "QUEUED", ...
std::optional<JobState> ParseJobState(std::string_view name);
bool IsFinal(JobState state);
// The table of legal transitions:
//   QUEUED     -> PREPARING (its turn), PAUSED, CANCELLED
//   PREPARING  -> RUNNING, and all that RUNNING may do
//   RUNNING    -> SUCCEEDED, FAILED, CANCELLING, STOPPING, PAUSING, QUEUED (its daemon stopped or
//                 died)
//   PAUSING    -> PAUSED, CANCELLING, SUCCEEDED (it was done already), FAILED
//   PAUSED     -> QUEUED, CANCELLED
//   CANCELLING -> CANCELLED, SUCCEEDED (its model was published already)
//   STOPPING   -> SUCCEEDED, FAILED, CANCELLED (it had nothing yet), CANCELLING, QUEUED (its daemon
//                 stopped or died)
bool CanMove(JobState from, JobState to);

struct JobSpec {
  std::string config_name;  // the file's name, for errors
  std::string config_yaml;
  std::vector<std::string> overrides;  // "training.epochs=3"
  std::string device = "auto";         // empty: the daemon's default
  int32_t priority = 0;                // of those that wait the highest goes first
  std::map<std::string, std::string> labels;
  absl::Duration time_limit = absl::InfiniteDuration();  // of Job::run_time
  int64_t epoch_limit = 0;                               // 0: none

  bool operator==(const JobSpec&) const = default;
};

// "", "all epochs", "no improvement", "epoch limit", "time limit", "stopped".
std::string_view TrainingEndName(TrainingEnd end);
std::optional<TrainingEnd> ParseTrainingEnd(std::string_view name);

// Which of its weights a training published at its end; fields as in TrainingResult.
struct PublishedWeights {
  int64_t epoch = 0;
  int64_t step = 0;
  PublishReason reason = PublishReason::kUnknown;
  double validation_cost = 0;

  bool operator==(const PublishedWeights&) const = default;
};

struct Job {
  std::string id;          // of the resource's name
  std::string request_id;  // may be empty
  JobKind kind = JobKind::kTraining;
  JobSpec spec;     // of a training job
  SolvePart solve;  // of a solve job
  JobState state = JobState::kQueued;
  int32_t attempt = 0;  // times that it was started; 1 in the first run
  absl::Time created;
  absl::Time started = absl::InfinitePast();
  absl::Time ended = absl::InfinitePast();
  absl::Status error;          // of a failed job
  int64_t queue_position = 0;  // of a queued job, 1: the next; of all others 0
  int64_t last_sequence = 0;
  // Of training jobs.
  std::optional<TrainingProgress> progress;   // the last stored
  std::optional<TrainingProgress> best;       // of the epoch with the lowest validation cost
  std::string model;                          // models/{name}/versions/{n}: the newest
  TrainingEnd end = TrainingEnd::kUnknown;    // of a job that succeeded
  std::optional<PublishedWeights> published;  // likewise
  // It was asked to end with a model: it does so as soon as it runs, across restarts.
  bool stop_requested = false;
  absl::Duration run_time = absl::ZeroDuration();  // prepared and run, over all attempts
};

enum class EventType {
  kState,
  kLog,
  kResumed,
  // Of training jobs.
  kProgress,
  kCheckpoint,
  kModel,
  kCompacted,  // is in no log: stands for events that were thinned out of it
  // Of solve jobs.
  kImprovement,
  kAnswer,
};
std::string_view EventTypeName(EventType type);  // "state", "log", ...
std::optional<EventType> ParseEventType(std::string_view name);

// One entry of a job's event log. Sequence numbers are gap-free from 1 for each job.
struct JobEvent {
  int64_t sequence = 0;
  int32_t attempt = 0;
  absl::Time time;
  EventType type = EventType::kState;
  JobState state = JobState::kQueued;  // kState
  std::string text;  // kLog: the line; kState of a failed job: its error; kModel: the model's name
  std::optional<TrainingProgress> progress;  // kProgress
  int64_t step = 0;  // kCheckpoint; kResumed: the step it goes on from; kModel: 0, or published
                     // live after this step
  int64_t first_left_out = 0;                 // kCompacted: from here to `sequence`
  std::optional<PublishedWeights> published;  // kModel, of a job's last model
  std::optional<SolveProgress> solve;         // kImprovement, kAnswer; kResumed: where it goes on
};

// Of any kind, for messages: "trainingJobs/{id}".
inline std::string ResourceName(const Job& job) { return JobResourceName(job.kind, job.id); }

}  // namespace vrp
