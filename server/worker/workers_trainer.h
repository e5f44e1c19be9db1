// A trainer that gives trainings with several workers to processes of their own.
#pragma once

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "core/train/run/trainer.h"

namespace vrp {

// The programs of the workers and the limit of their silence.
struct WorkersOptions {
  // The command that starts the ranks; `{workers}` stands for their number. The program and its
  // arguments are appended.
  std::string launcher;
  std::string program;  // path of vrp_worker
  // The longest time without a sign of a rank before the ranks are started again.
  absl::Duration patience;
};

// A trainer that starts `training.workers` processes if there are more than one, and passes the
// reports of the first one on. If a process dies or hangs, it starts all again, and they resume
// from the newest checkpoint. Gives up after kMaxWorkerStarts starts without a new checkpoint
// between them. Other trainings are those of another trainer.
class WorkersTrainer final : public Trainer {
 public:
  // `trainer` must outlive this one.
  WorkersTrainer(Trainer& trainer, WorkersOptions options)
      : trainer_(trainer), options_(std::move(options)) {}

  absl::StatusOr<TrainingResult> Train(const TrainingRequest& request, const StopCondition& stop,
                                       TrainingObserver& observer) override;
  absl::Status CheckInputs(const TrainingRequest& request) const override;
  absl::StatusOr<int64_t> ResumeStep(const std::string& checkpoint_directory) override {
    return trainer_.ResumeStep(checkpoint_directory);
  }

 private:
  // Returns kInvalidArgument if workers cannot train as `request` asks.
  absl::Status CheckWorkers(const TrainingRequest& request) const;
  std::vector<std::string> Command(int32_t workers) const;

  Trainer& trainer_;
  const WorkersOptions options_;
};

inline constexpr int kMaxWorkerStarts = 4;

// Returns the path of vrp_worker beside the running program.
std::string WorkerProgramPath();

}  // namespace vrp
