// A loader that makes batches ahead of the training thread.
#pragma once

#include <cstdint>
#include <map>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "core/train/data/batch_source.h"

namespace vrp {

struct BatchLoaderOptions {
  int64_t first = 0;        // number of the first batch wanted
  int64_t end = INT64_MAX;  // number after the last batch wanted
  int32_t parts = 1;        // number of parts of each batch, see BatchSource
  int32_t workers = 1;      // threads; 0: Next makes the batch itself, with `pool`
  int32_t prefetch = 2;     // largest number of batches that are ready or being made
  CpuPool* pool = nullptr;  // may be null; used only if `workers` is 0
};

// A queue of batches that worker threads fill. Batches come in the order of their numbers, for any
// number of workers. Only one thread may call the methods.
class BatchLoader {
 public:
  // Starts the workers. `source` must outlive the loader.
  BatchLoader(BatchSource& source, const BatchLoaderOptions& options);
  // Blocks until the workers have finished the batches that they are making.
  ~BatchLoader();
  BatchLoader(const BatchLoader&) = delete;
  BatchLoader& operator=(const BatchLoader&) = delete;

  // Blocks until the next batch is made and returns it. Returns the source's errors, and
  // kResourceExhausted if memory runs out. Must not be called beyond the end.
  absl::StatusOr<TrainingBatch> Next();
  // Returns the time that workers spent on the batches finished since the last call, summed over
  // the workers.
  absl::Duration TakeWorkTime();

 private:
  absl::StatusOr<TrainingBatch> Make(int64_t number, CpuPool* pool);
  void Work();
  bool MayBegin() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  BatchSource& source_;
  const BatchLoaderOptions options_;

  absl::Mutex mu_;
  std::map<int64_t, absl::StatusOr<TrainingBatch>> ready_ ABSL_GUARDED_BY(mu_);
  int64_t next_wanted_ ABSL_GUARDED_BY(mu_);
  int64_t next_made_ ABSL_GUARDED_BY(mu_);  // number of the first batch that no worker has begun
  absl::Duration work_time_ ABSL_GUARDED_BY(mu_);
  bool closing_ ABSL_GUARDED_BY(mu_) = false;
  std::vector<std::thread> workers_;  // started by the constructor, joined by the destructor
};

}  // namespace vrp
