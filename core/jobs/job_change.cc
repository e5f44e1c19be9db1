#include "core/jobs/job_change.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {
namespace {

// Maximum size of a log line or an error, before escapes.
constexpr size_t kMaxTextBytes = 16 << 10;

// Search time of an attempt after which earlier crashes of the daemon no longer count.
constexpr absl::Duration kCrashResetTime = absl::Minutes(1);

// Whether `progress` ends an epoch with a better validation than all earlier epochs.
bool IsBetter(const TrainingProgress& progress, const std::optional<TrainingProgress>& best) {
  if (!progress.end_of_epoch || !std::isfinite(progress.validation_cost)) return false;
  return !best || progress.validation_cost < best->validation_cost;
}

// Returns the first kMaxTextBytes of `text` as valid, printable UTF-8, with their line breaks.
std::string SafeText(std::string_view text) {
  std::vector<std::string> lines;
  for (const absl::string_view line : absl::StrSplit(ToAbsl(text.substr(0, kMaxTextBytes)), '\n')) {
    lines.push_back(Escaped(FromAbsl(line)));
  }
  return absl::StrJoin(lines, "\n");
}

}  // namespace

JobEvent& JobChange::Add(EventType type) {
  JobEvent event;
  event.sequence = ++record_.job.last_sequence;
  event.attempt = record_.job.attempt;
  event.time = now_;
  event.type = type;
  event.state = record_.job.state;
  events_.push_back(std::move(event));
  return events_.back();
}

void JobChange::RecordSubmission() { Add(EventType::kState); }

absl::Status JobChange::MoveTo(JobState to) {
  Job& job = record_.job;
  if (!CanMove(job.state, to)) {
    return absl::FailedPreconditionError(Concat(ResourceName(job), ": is ", JobStateName(job.state),
                                                ", which cannot become ", JobStateName(to)));
  }
  job.state = to;
  if (to == JobState::kPreparing && job.started == absl::InfinitePast()) job.started = now_;
  if (IsFinal(to)) job.ended = now_;
  job.queue_position = 0;  // computed by the store
  Add(EventType::kState);
  return absl::OkStatus();
}

absl::Status JobChange::Start() {
  ++record_.job.attempt;
  return MoveTo(JobState::kPreparing);
}

absl::Status JobChange::Fail(const absl::Status& error) {
  VRP_RETURN_IF_ERROR(MoveTo(JobState::kFailed));
  const std::string text = SafeText(FromAbsl(error.message()));
  record_.job.error = absl::Status(error.code(), text);
  events_.back().text = text;
  return absl::OkStatus();
}

void JobChange::CountCrash() {
  ++record_.crashes;
  ++record_.all_crashes;
}

void JobChange::RecordLog(std::string_view line) { Add(EventType::kLog).text = SafeText(line); }

void JobChange::RecordProgress(const TrainingProgress& progress) {
  JobEvent& event = Add(EventType::kProgress);
  event.progress = progress;
  event.step = progress.step;
  record_.job.progress = progress;
  if (IsBetter(progress, record_.job.best)) record_.job.best = progress;
}

void JobChange::RecordCheckpoint(int64_t step) {
  Add(EventType::kCheckpoint).step = step;
  if (step <= record_.checkpoint_step) return;
  // Resets the count of crashes, because the job has made progress.
  record_.checkpoint_step = step;
  record_.crashes = 0;
}

void JobChange::SetTotals(const TrainingTotals& totals) {
  // An attempt that ended before its first step has no totals.
  if (!record_.job.progress.has_value() || totals.steps == 0) return;
  record_.job.progress->totals = totals;
  totals_set_ = true;
}

void JobChange::RecordResume(int64_t step) { Add(EventType::kResumed).step = step; }

void JobChange::RecordSearchResume() {
  Add(EventType::kResumed).solve = record_.job.solve.progress;
}

void JobChange::SetSearchTime(absl::Duration total, absl::Duration attempt) {
  record_.job.solve.progress.search_time = total;
  search_time_set_ = true;
  if (attempt >= kCrashResetTime) record_.crashes = 0;
}

void JobChange::RecordPlan(const SolveProgress& progress, std::string plan) {
  Add(EventType::kImprovement).solve = progress;
  record_.job.solve.progress = progress;
  record_.crashes = 0;
  contents_[SolveContent::kPlan] = std::move(plan);
}

void JobChange::RecordPart(absl::Duration search_time, std::string part) {
  SolveProgress& progress = record_.job.solve.progress;
  progress.search_time = search_time;
  ++progress.parts;
  JobEvent& event = Add(EventType::kPart);
  event.step = progress.parts;
  event.solve = progress;
  record_.crashes = 0;
  parts_[progress.parts] = std::move(part);
}

void JobChange::RecordAnswer(const SolveProgress& progress, std::string answer) {
  Add(EventType::kAnswer).solve = progress;
  record_.job.solve.progress = progress;
  contents_[SolveContent::kAnswer] = std::move(answer);
}

void JobChange::RecordModel(const std::string& model, TrainingEnd end,
                            const PublishedWeights& weights) {
  record_.job.model = model;
  record_.job.end = end;
  record_.job.published = weights;
  JobEvent& event = Add(EventType::kModel);
  event.text = model;
  event.published = weights;
}

void JobChange::RecordTrialEnd(TrainingEnd end, const PublishedWeights& weights) {
  record_.job.end = end;
  record_.job.published = weights;
  RecordLog(Concat("the trial keeps its model until ", record_.job.spec.sweep, " has ended"));
}

void JobChange::SetPauseEpoch(int64_t pause_epoch) {
  record_.job.spec.pause_epoch = pause_epoch;
  RecordLog(Concat(record_.job.spec.sweep, " continues the trial",
                   pause_epoch > 0 ? Concat(" up to epoch ", pause_epoch) : ""));
}

void JobChange::RecordTrialProgress(int32_t trial, const TrainingProgress& progress) {
  JobEvent& event = Add(EventType::kProgress);
  event.progress = progress;
  // Sequence numbers are unique in each attempt, as steps must be.
  event.step = event.sequence;
  event.text = Concat(trial);
}

void JobChange::RequestStop(std::string_view line) {
  record_.job.stop_requested = true;
  RecordLog(line);
}

void JobChange::RecordLiveModel(const std::string& model, int64_t step) {
  record_.job.model = model;
  JobEvent& event = Add(EventType::kModel);
  event.text = model;
  event.step = step;
}

}  // namespace vrp
