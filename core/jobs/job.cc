#include "core/jobs/job.h"

#include <array>
#include <utility>

#include "core/base/text.h"

namespace vrp {
namespace {

constexpr std::array<std::pair<JobKind, std::string_view>, 4> kKindNames = {{
    {JobKind::kTraining, "training"},
    {JobKind::kSolve, "solve"},
    {JobKind::kSimulation, "simulation"},
    {JobKind::kSweep, "sweep"},
}};

constexpr std::array<std::pair<JobState, std::string_view>, 10> kStateNames = {{
    {JobState::kQueued, "QUEUED"},
    {JobState::kPreparing, "PREPARING"},
    {JobState::kRunning, "RUNNING"},
    {JobState::kPausing, "PAUSING"},
    {JobState::kPaused, "PAUSED"},
    {JobState::kCancelling, "CANCELLING"},
    {JobState::kStopping, "STOPPING"},
    {JobState::kSucceeded, "SUCCEEDED"},
    {JobState::kFailed, "FAILED"},
    {JobState::kCancelled, "CANCELLED"},
}};

constexpr std::array<std::pair<EventType, std::string_view>, 10> kEventTypeNames = {{
    {EventType::kState, "state"},
    {EventType::kLog, "log"},
    {EventType::kProgress, "progress"},
    {EventType::kCheckpoint, "checkpoint"},
    {EventType::kResumed, "resumed"},
    {EventType::kModel, "model"},
    {EventType::kCompacted, "compacted"},
    {EventType::kImprovement, "improvement"},
    {EventType::kPart, "part"},
    {EventType::kAnswer, "answer"},
}};

constexpr std::array<std::pair<TrainingEnd, std::string_view>, 6> kEndNames = {{
    {TrainingEnd::kUnknown, ""},
    {TrainingEnd::kAllEpochs, "all epochs"},
    {TrainingEnd::kNoImprovement, "no improvement"},
    {TrainingEnd::kEpochLimit, "epoch limit"},
    {TrainingEnd::kTimeLimit, "time limit"},
    {TrainingEnd::kStopped, "stopped"},
}};

template <typename Table, typename Value>
std::string_view NameOf(const Table& table, Value value) {
  for (const auto& [candidate, name] : table) {
    if (candidate == value) return name;
  }
  return "?";
}

template <typename Value, typename Table>
std::optional<Value> ValueOf(const Table& table, std::string_view name) {
  for (const auto& [value, candidate] : table) {
    if (candidate == name) return value;
  }
  return std::nullopt;
}

}  // namespace

std::string_view JobKindName(JobKind kind) { return NameOf(kKindNames, kind); }

std::optional<JobKind> ParseJobKind(std::string_view name) {
  return ValueOf<JobKind>(kKindNames, name);
}

std::string JobResourceName(JobKind kind, std::string_view id) {
  const bool is_job = kind == JobKind::kTraining || kind == JobKind::kSolve;
  return Concat(JobKindName(kind), is_job ? "Jobs/" : "s/", id);
}

std::string_view JobStateName(JobState state) { return NameOf(kStateNames, state); }

std::optional<JobState> ParseJobState(std::string_view name) {
  return ValueOf<JobState>(kStateNames, name);
}

bool IsFinal(JobState state) {
  return state == JobState::kSucceeded || state == JobState::kFailed ||
         state == JobState::kCancelled;
}

bool CanMove(JobState from, JobState to) {
  using enum JobState;
  switch (from) {
    case kQueued:
      return to == kPreparing || to == kPaused || to == kCancelled;
    case kPreparing:
      return to == kRunning || CanMove(kRunning, to);
    case kRunning:
      return to == kSucceeded || to == kFailed || to == kCancelling || to == kStopping ||
             to == kPausing || to == kQueued;
    case kPausing:
      return to == kPaused || to == kCancelling || to == kSucceeded || to == kFailed;
    case kPaused:
      return to == kQueued || to == kCancelled;
    case kCancelling:
      return to == kCancelled || to == kSucceeded;
    case kStopping:
      return to == kSucceeded || to == kFailed || to == kCancelled || to == kCancelling ||
             to == kQueued;
    case kSucceeded:
    case kFailed:
    case kCancelled:
      return false;
  }
  return false;
}

std::string_view TrainingEndName(TrainingEnd end) { return NameOf(kEndNames, end); }

std::optional<TrainingEnd> ParseTrainingEnd(std::string_view name) {
  return ValueOf<TrainingEnd>(kEndNames, name);
}

std::string_view EventTypeName(EventType type) { return NameOf(kEventTypeNames, type); }

std::optional<EventType> ParseEventType(std::string_view name) {
  return ValueOf<EventType>(kEventTypeNames, name);
}

}  // namespace vrp
