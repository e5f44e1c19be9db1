#include "core/jobs/job_runner.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace vrp {
namespace {

// Wait after the store failed to start a job.
constexpr absl::Duration kStoreRetry = absl::Seconds(1);

}  // namespace

JobRunner::JobRunner(const Options& options, Run run) : options_(options), run_(std::move(run)) {
  for (int32_t i = 0; i < options.threads; ++i) threads_.emplace_back([this] { Work(); });
}

JobRunner::~JobRunner() {
  options_.stopping->Set();
  {
    absl::MutexLock lock(&mutex_);
    wake_ = true;
    for (const auto& [id, cancel] : running_) cancel->Cancel();
  }
  for (std::thread& thread : threads_) thread.join();
}

void JobRunner::Wake() {
  absl::MutexLock lock(&mutex_);
  wake_ = true;
}

bool JobRunner::Cancel(std::string_view id) {
  absl::MutexLock lock(&mutex_);
  const auto found = running_.find(id);
  if (found == running_.end()) return false;
  found->second->Cancel();
  return true;
}

bool JobRunner::WaitForWork() {
  absl::MutexLock lock(&mutex_);
  mutex_.Await(absl::Condition(&wake_));
  // When the runner ends, the flag stays set for the other threads.
  if (options_.stopping->IsSet()) return false;
  wake_ = false;
  return true;
}

absl::StatusOr<std::optional<Job>> JobRunner::StartNext() {
  if (options_.gate == nullptr) return options_.store->StartNext(options_.kind);
  std::string reserved;
  absl::StatusOr<std::optional<Job>> job =
      options_.store->StartNext(options_.kind, [&](const JobRecord& record) {
        const QueueDecision decision = options_.gate->Reserve(record);
        if (decision == QueueDecision::kStart) reserved = record.job.id;
        return decision;
      });
  if (!job.ok() && !reserved.empty()) options_.gate->Release(reserved);
  return job;
}

void JobRunner::Work() {
  // Linux has a nice value per thread. If the system refuses the change, jobs run at normal
  // priority.
  if (options_.niceness > 0) (void)!nice(options_.niceness);
  while (WaitForWork()) {
    const absl::StatusOr<std::optional<Job>> job = StartNext();
    if (!job.ok()) {
      // Waits before the next attempt, since the disk may be full.
      options_.stopping->WaitFor(kStoreRetry);
      Wake();
    } else if (job->has_value()) {
      Wake();  // more jobs may be waiting
      RunOne(**job);
    }
  }
}

void JobRunner::RunOne(const Job& job) {
  const auto cancel = std::make_shared<CancelFlag>();
  {
    absl::MutexLock lock(&mutex_);
    running_[job.id] = cancel;
    if (options_.stopping->IsSet()) cancel->Cancel();
  }
  run_(job, cancel);
  if (options_.gate != nullptr) options_.gate->Release(job.id);
  absl::MutexLock lock(&mutex_);
  running_.erase(job.id);
  wake_ = true;  // the gate may let another job start
}

}  // namespace vrp
