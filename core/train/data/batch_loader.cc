#include "core/train/data/batch_loader.h"

#include <utility>

#include "core/base/guard_memory.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"

namespace vrp {

BatchLoader::BatchLoader(BatchSource& source, const BatchLoaderOptions& options)
    : source_(source), options_(options), next_wanted_(options.first), next_made_(options.first) {
  for (int32_t i = 0; i < options_.workers; ++i) workers_.emplace_back([this] { Work(); });
}

BatchLoader::~BatchLoader() {
  {
    const absl::MutexLock lock(&mu_);
    closing_ = true;
  }
  for (std::thread& worker : workers_) worker.join();
}

bool BatchLoader::MayBegin() const {
  return next_made_ < options_.end && next_made_ < next_wanted_ + options_.prefetch;
}

absl::StatusOr<TrainingBatch> BatchLoader::Make(int64_t number, CpuPool* pool) {
  absl::StatusOr<TrainingBatch> batch;
  if (!GuardMemory([&] { batch = source_.Make(number, options_.parts, pool); }).ok()) {
    return absl::ResourceExhaustedError(Concat(
        "batches[", number, "]: out of memory; reduce training.batch_size or loader.prefetch"));
  }
  return batch;
}

void BatchLoader::Work() {
  while (true) {
    int64_t number = 0;
    {
      const absl::MutexLock lock(&mu_);
      const auto due = [this]()
                           ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) { return closing_ || MayBegin(); };
      mu_.Await(absl::Condition(&due));
      if (closing_) return;
      number = next_made_++;
    }
    const absl::Time start = SteadyNow();
    absl::StatusOr<TrainingBatch> batch = Make(number, nullptr);
    const absl::MutexLock lock(&mu_);
    work_time_ += SteadyNow() - start;
    ready_.emplace(number, std::move(batch));
  }
}

absl::Duration BatchLoader::TakeWorkTime() {
  const absl::MutexLock lock(&mu_);
  return std::exchange(work_time_, absl::ZeroDuration());
}

absl::StatusOr<TrainingBatch> BatchLoader::Next() {
  if (options_.workers == 0) {
    const absl::MutexLock lock(&mu_);
    return Make(next_wanted_++, options_.pool);
  }
  const absl::MutexLock lock(&mu_);
  const auto made = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    return ready_.contains(next_wanted_);
  };
  mu_.Await(absl::Condition(&made));
  auto found = ready_.find(next_wanted_);
  absl::StatusOr<TrainingBatch> batch = std::move(found->second);
  ready_.erase(found);
  ++next_wanted_;
  return batch;
}

}  // namespace vrp
