// Gives the batches of a run in order, and reports the time that they take.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "core/train/data/batch_loader.h"
#include "core/train/data/batch_source.h"
#include "core/train/run/reporter.h"
#include "core/train/run/run_context.h"

namespace vrp {

// A feed of batches for the training thread. Not thread-safe.
class BatchFeed {
 public:
  // Makes a feed. All arguments must outlive it.
  BatchFeed(RunContext& context, BatchSource& source, Reporter& reporter)
      : context_(context), source_(source), reporter_(reporter) {}

  // Blocks until batch `number` (from 0) is made, in `parts` parts, and returns it. Unless Restart
  // was called, `number` must be the one after that of the last call, and `parts` the same.
  absl::StatusOr<TrainingBatch> Next(int64_t number, int32_t parts);
  // Drops the batches that were made ahead.
  void Restart() { loader_.reset(); }

 private:
  RunContext& context_;
  BatchSource& source_;
  Reporter& reporter_;
  std::unique_ptr<BatchLoader> loader_;  // null before the first batch and after Restart
};

}  // namespace vrp
