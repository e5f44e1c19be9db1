#include "core/jobs/solve_recorder.h"

#include <utility>

#include "core/base/status_macros.h"
#include "core/jobs/update_with_retries.h"

namespace vrp {

SolveRecorder::SolveRecorder(Options options)
    : options_(std::move(options)),
      start_time_(options_.clock->SteadyNow()),
      progress_(options_.before),
      thread_([this] { Work(); }) {}

SolveRecorder::~SolveRecorder() {
  if (thread_.joinable()) Finish();
}

void SolveRecorder::ReportPlan(FoundPlan plan) {
  {
    absl::MutexLock lock(&mutex_);
    progress_.search_time = progress_.improved_at = options_.before.search_time + SearchTime();
    ++progress_.improvements;
    progress_.cost = plan.cost;
    progress_.routes = plan.routes;
    progress_.unserved = plan.unserved;
    unstored_ = std::move(plan.text);
  }
  changed_.NotifyAll();
}

absl::Status SolveRecorder::ReportPart(std::string part) {
  VRP_ASSIGN_OR_RETURN(const Job stored,
                       UpdateWithRetries(*options_.store, *options_.stopping, options_.job_id,
                                         [&](JobChange& change) {
                                           change.RecordPart(
                                               options_.before.search_time + SearchTime(), part);
                                           return absl::OkStatus();
                                         }));
  absl::MutexLock lock(&mutex_);
  progress_.parts = stored.solve.progress.parts;
  return absl::OkStatus();
}

SolveProgress SolveRecorder::Finish() {
  {
    absl::MutexLock lock(&mutex_);
    ended_ = true;
  }
  changed_.NotifyAll();
  thread_.join();
  Store();
  absl::MutexLock lock(&mutex_);
  progress_.search_time = options_.before.search_time + SearchTime();
  return progress_;
}

absl::Duration SolveRecorder::SearchTime() const {
  return options_.clock->SteadyNow() - start_time_;
}

void SolveRecorder::Work() {
  bool has_plan = options_.before.has_result();
  while (!AwaitEnd(/*or_plan=*/!has_plan)) has_plan = Store() || has_plan;
}

bool SolveRecorder::AwaitEnd(bool or_plan) {
  absl::MutexLock lock(&mutex_);
  const auto due = [this, or_plan] {
    mutex_.AssertHeld();
    return ended_ || (or_plan && unstored_.has_value());
  };
  changed_.WaitFor(&mutex_, options_.interval, due);
  return ended_;
}

bool SolveRecorder::Store() {
  SolveProgress progress;
  std::optional<std::string> plan;
  {
    absl::MutexLock lock(&mutex_);
    progress = progress_;
    plan = std::exchange(unstored_, std::nullopt);
  }
  const absl::Duration search_time = SearchTime();
  const absl::StatusOr<Job> stored =
      options_.store->Update(options_.job_id, Durability::kNormal, [&](JobChange& change) {
        if (plan.has_value()) change.RecordPlan(progress, *plan);
        change.SetSearchTime(options_.before.search_time + search_time, search_time);
        return absl::OkStatus();
      });
  if (!plan.has_value()) return false;
  if (!stored.ok()) {
    absl::MutexLock lock(&mutex_);
    if (!unstored_.has_value()) unstored_ = std::move(plan);
  }
  return true;
}

}  // namespace vrp
