// Asking a training that is under way for its weights.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "core/base/steady_cond_var.h"
#include "core/train/run/training_result.h"

namespace vrp {

// Of one run. Thread-safe: any thread asks, the training thread serves between two steps.
class LiveModels {
 public:
  using Publish = absl::FunctionRef<absl::Status()>;
  // Blocks until the run has written weights and card into `directory`, as they are after its
  // current step, and `publish` was called by the training thread: before the next step, so that
  // weights published live never come after the run's last ones. kDeadlineExceeded: its step takes
  // longer than `patience`; `directory` is the caller's again. Errors of the
  // run, of `publish` and of Close otherwise; kResourceExhausted: one of them found no memory.
  absl::StatusOr<TrainingResult> Ask(const std::string& directory, absl::Duration patience,
                                     Publish publish);

  using Write = absl::FunctionRef<absl::StatusOr<TrainingResult>(const std::string& directory)>;
  // Calls `write` for each that asks, if any.
  void Serve(Write write);
  // The run is over: who asks gets `why`, which is not OK, now and later.
  void Close(const absl::Status& why);

 private:
  struct Wish {
    std::string directory;
    Publish publish;  // the caller's, who waits for the answer once it is being made
    std::optional<absl::StatusOr<TrainingResult>> answer = {};
  };

  static absl::StatusOr<TrainingResult> Grant(const Wish& wish, Write write);

  absl::Mutex mutex_;
  SteadyCondVar changed_;
  std::deque<std::shared_ptr<Wish>> wishes_ ABSL_GUARDED_BY(mutex_);
  absl::Status closed_ ABSL_GUARDED_BY(mutex_);  // OK: it runs
};

}  // namespace vrp
