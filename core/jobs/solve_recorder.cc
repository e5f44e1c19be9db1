#include "core/jobs/solve_recorder.h"

#include <utility>

namespace vrp {

SolveRecorder::SolveRecorder(Options options)
    : options_(std::move(options)),
      begun_(options_.clock->SteadyNow()),
      progress_(options_.before),
      thread_([this] { Work(); }) {}

SolveRecorder::~SolveRecorder() {
  if (thread_.joinable()) Finish();
}

void SolveRecorder::Found(FoundPlan plan) {
  absl::MutexLock lock(&mutex_);
  progress_.searched = options_.before.searched + SearchedLately();
  ++progress_.improvements;
  progress_.cost = plan.cost;
  progress_.routes = plan.routes;
  progress_.unserved = plan.unserved;
  unstored_ = std::move(plan.text);
}

SolveProgress SolveRecorder::Finish() {
  ended_.Set();
  thread_.join();
  Store();
  absl::MutexLock lock(&mutex_);
  progress_.searched = options_.before.searched + SearchedLately();
  return progress_;
}

absl::Duration SolveRecorder::SearchedLately() const {
  return options_.clock->SteadyNow() - begun_;
}

void SolveRecorder::Work() {
  while (!ended_.WaitFor(options_.interval)) Store();
}

void SolveRecorder::Store() {
  SolveProgress progress;
  std::optional<std::string> plan;
  {
    absl::MutexLock lock(&mutex_);
    progress = progress_;
    plan = std::exchange(unstored_, std::nullopt);
  }
  const absl::Duration lately = SearchedLately();
  const absl::StatusOr<Job> stored =
      options_.store->Update(options_.job_id, Durability::kNormal, [&](JobChange& change) {
        if (plan.has_value()) change.Improved(progress, *plan);
        change.Searched(options_.before.searched + lately, lately);
        return absl::OkStatus();
      });
  if (stored.ok() || !plan.has_value()) return;
  absl::MutexLock lock(&mutex_);
  if (!unstored_.has_value()) unstored_ = std::move(plan);
}

}  // namespace vrp
