// The batches of a run in order, with the time that they take.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "core/train/data/batch_loader.h"
#include "core/train/data/batch_source.h"
#include "core/train/run/reporter.h"
#include "core/train/run/run_context.h"

namespace vrp {

// For the training thread.
class BatchFeed {
 public:
  // All arguments outlive it.
  BatchFeed(RunContext& context, BatchSource& source, Reporter& reporter)
      : context_(context), source_(source), reporter_(reporter) {}

  // Blocks until batch `number` (from 0) is made, in `parts` parts. Numbers and parts continue
  // those of the last call, or follow a call of Restart.
  absl::StatusOr<TrainingBatch> Next(int64_t number, int32_t parts);
  // Drops the batches made ahead.
  void Restart() { loader_.reset(); }

 private:
  RunContext& context_;
  BatchSource& source_;
  Reporter& reporter_;
  std::unique_ptr<BatchLoader> loader_;  // null before the first batch
};

}  // namespace vrp
