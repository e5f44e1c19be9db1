// The connection of a training's rank 0 to the daemon that started it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "core/base/steady_cond_var.h"
#include "core/base/stop.h"
#include "core/train/run/trainer.h"
#include "worker/worker.grpc.pb.h"

namespace vrp {

// An observer that reports to the daemon from a thread of its own, and takes the daemon's orders:
// stops and requests for live models. Thread-safe.
class LeaderLink final : public TrainingObserver {
 public:
  struct Options {
    std::string address;  // of the daemon's socket
    std::string token;
    // Called once if the daemon does not answer any more; the process must end.
    std::function<void()> on_lost;
  };
  explicit LeaderLink(Options options);
  ~LeaderLink() override;

  // Returns the training, which uses the link's flags and live models, and begins to report.
  absl::StatusOr<TrainingRequest> Start(int32_t ranks);
  // Reports the rest and how the training ended.
  absl::Status Finish(const absl::StatusOr<TrainingResult>& outcome);
  const std::shared_ptr<CancelFlag>& cancel() const { return cancel_; }

  void OnLog(std::string_view line) override;
  void OnProgress(const TrainingProgress& progress) override;
  void OnCheckpoint(int64_t step) override;
  void OnPhase(std::string_view phase) override;
  void OnEnd(const TrainingTotals& totals) override;

 private:
  void Add(worker::Event event);
  // Reports until the link ends.
  void ReportAll();
  // Sends the waiting events. Returns false if the daemon does not answer.
  bool Report();
  void Obey(const worker::Orders& orders);
  // Lets the training write a model, and blocks until the daemon has published it.
  void WriteLive(const std::string& directory);
  void Prepare(grpc::ClientContext& context, absl::Duration timeout) const;
  void EndReports();

  const Options options_;
  const std::unique_ptr<worker::WorkerService::Stub> stub_;
  const std::shared_ptr<CancelFlag> cancel_ = std::make_shared<CancelFlag>();
  const std::shared_ptr<CancelFlag> end_early_ = std::make_shared<CancelFlag>(cancel_);
  LiveModels live_;
  absl::Mutex mutex_;
  SteadyCondVar changed_;
  std::vector<worker::Event> events_ ABSL_GUARDED_BY(mutex_);
  bool closing_ ABSL_GUARDED_BY(mutex_) = false;
  int64_t live_number_ = 0;  // of the last request for a live model; used by reports_
  std::thread live_writer_;  // used by reports_ and after its end
  std::thread reports_;
};

}  // namespace vrp
