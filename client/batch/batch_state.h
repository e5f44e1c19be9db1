// The state of a run over many instances: what waits, what the daemons have, what is answered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "client/batch/answer_file.h"
#include "client/batch/batch_input.h"
#include "client/output/solve_tally.h"
#include "google/rpc/status.pb.h"
#include "vrp/v1/solve.pb.h"

namespace vrp::client {

// The progress of a run.
struct BatchProgress {
  int64_t answers = 0;  // of this run, including failures
  int64_t failed = 0;   // instances whose answer is an error
  int64_t infeasible = 0;
  int64_t bytes = 0;  // of the inputs' lines that have answers, including those of earlier runs
};

// Gives instances to daemons and writes the answers in the order of the instances. The number of
// instances in memory is bounded: none is read while too many later ones wait for the answer of an
// earlier one. Thread-safe.
class BatchState {
 public:
  // Gives out the instances of `input`, and writes to `files`, by BatchItem::file_number. `daemons`
  // is their number, `window` the largest number of instances in memory.
  BatchState(BatchInput& input, std::vector<AnswerFile>& files, size_t daemons, int64_t window);

  // Sets the largest number of instances that a daemon has at a time.
  void SetInFlight(size_t daemon, int64_t in_flight);
  // Blocks until there is an instance for the daemon, and returns it. Returns null once the run has
  // ended or the daemon's stream has.
  std::shared_ptr<const BatchItem> Take(size_t daemon);
  // Records an answer of the daemon.
  void Answer(size_t daemon, int64_t number, const v1::SolveResponse& response);
  void Fail(size_t daemon, int64_t number, const absl::Status& error);
  // Gives an instance that the daemon cannot take now to the next one that can.
  void Refuse(size_t daemon, int64_t number);

  // Begins and ends the daemon's stream. At the end, others get the instances that it still has.
  void Connect(size_t daemon);
  void Disconnect(size_t daemon);
  // Ends the run with `error` if no daemon has answered for long and none has an instance.
  void GiveUpAfterLoss(const absl::Status& error);

  // Ends the run. Only the first call counts.
  void End(const absl::Status& reason);
  bool ended() const;
  // Returns the reason for the end; OK if all instances have answers.
  absl::Status status() const;
  BatchProgress progress() const;
  SolveTally tally() const;

 private:
  struct Daemon {
    std::map<int64_t, std::shared_ptr<BatchItem>> items;  // by number
    int64_t in_flight = 1;
    bool is_connected = false;
  };
  struct Written {
    size_t file_number;
    std::string answer;
  };

  // Reads the next instance if the window has place. Records those that cannot be read.
  void ReadAhead() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::shared_ptr<BatchItem> Remove(Daemon& daemon, int64_t number)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Lets another daemon try, or records an error after too many.
  void Return(std::shared_ptr<BatchItem> item) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RecordError(const BatchItem& item, const absl::Status& error)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Writes the answer once all earlier ones are there.
  void Record(const BatchItem& item, std::string answer) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Write(const Written& written) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Completes the files before number `end`.
  absl::Status CompleteFiles(size_t end) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EndLocked(const absl::Status& reason) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const int64_t window_;
  mutable absl::Mutex mutex_;
  absl::CondVar changed_;
  BatchInput& input_ ABSL_GUARDED_BY(mutex_);
  std::vector<AnswerFile>& files_ ABSL_GUARDED_BY(mutex_);
  std::vector<Daemon> daemons_ ABSL_GUARDED_BY(mutex_);
  std::deque<std::shared_ptr<BatchItem>> waiting_ ABSL_GUARDED_BY(mutex_);
  std::map<int64_t, Written> unwritten_ ABSL_GUARDED_BY(mutex_);  // by number
  int64_t read_ ABSL_GUARDED_BY(mutex_) = 0;                      // number of instances
  int64_t written_ ABSL_GUARDED_BY(mutex_) = 0;                   // the same
  size_t completed_ ABSL_GUARDED_BY(mutex_) = 0;                  // number of files
  bool read_all_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<absl::Status> end_ ABSL_GUARDED_BY(mutex_);
  absl::Time last_answer_ ABSL_GUARDED_BY(mutex_);  // the begin of the run before the first
  BatchProgress progress_ ABSL_GUARDED_BY(mutex_);
  SolveTally tally_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace vrp::client
