// Requests for the current weights of a training run.
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

// The requests to one run. Thread-safe: any thread may send a request, and the training thread
// serves requests between two steps.
class LiveModels {
 public:
  using Publish = absl::FunctionRef<absl::Status(const TrainingResult& written)>;
  // Blocks until the run has written the weights after its current step, with their card, into
  // `directory`, and has called `publish`. This happens before the next step, so that live weights
  // are never published after the run's last ones. Returns kDeadlineExceeded if Serve does not take
  // the request within `timeout`; the caller may then use `directory` again. Also returns the
  // errors of the run, `publish` and Close, and kResourceExhausted if memory runs out.
  absl::StatusOr<TrainingResult> WriteAndPublish(const std::string& directory,
                                                 absl::Duration timeout, Publish publish);

  using Write = absl::FunctionRef<absl::StatusOr<TrainingResult>(const std::string& directory)>;
  // Calls `write` and, if it succeeds, the request's `publish` for each waiting request.
  void Serve(Write write);
  // Whether a request waits for Serve.
  bool Waits();
  // Ends the service: all waiting and later requests get `reason`, which must not be OK.
  void Close(const absl::Status& reason);

 private:
  struct Request {
    std::string directory;
    Publish publish;  // valid until the caller gets the answer
    std::optional<absl::StatusOr<TrainingResult>> answer = {};
  };

  static absl::StatusOr<TrainingResult> Answer(const Request& request, Write write);

  absl::Mutex mutex_;
  SteadyCondVar changed_;
  std::deque<std::shared_ptr<Request>> requests_ ABSL_GUARDED_BY(mutex_);
  absl::Status closed_ ABSL_GUARDED_BY(mutex_);  // OK while the run lasts
};

}  // namespace vrp
