// The job manager whose jobs survive the daemon: store, queue and the thread that runs them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/base/stop.h"
#include "core/jobs/event_topic.h"
#include "core/jobs/job_manager.h"
#include "core/jobs/job_run.h"
#include "core/jobs/job_store.h"
#include "core/jobs/state_folder.h"
#include "core/jobs/stop_signal.h"

namespace vrp {

class DurableJobManager final : public JobManager {
 public:
  // `store` is recovered already and tells `topics`. Starts the runner thread.
  DurableJobManager(const Options& options, std::unique_ptr<StateFolder> folder,
                    std::shared_ptr<JobStore> store, std::shared_ptr<EventTopics> topics);
  ~DurableJobManager() override;

  absl::StatusOr<Job> Submit(const JobSpec& spec, const std::string& request_id) override;
  absl::StatusOr<TrainingConfig> Validate(const JobSpec& spec) const override;
  absl::StatusOr<Job> Get(std::string_view id) const override;
  std::string TensorBoardFolder(std::string_view id) const override;
  absl::StatusOr<JobPage> List(int32_t page_size, const std::string& page_token) const override;
  absl::StatusOr<Job> Cancel(std::string_view id) override;
  absl::StatusOr<std::shared_ptr<EventSubscription>> Watch(std::string_view id,
                                                           int64_t from) override;

 private:
  // The runner thread: jobs one after the other, in the order of their submission.
  void RunJobs();
  // Blocks until a job may wait; false: the daemon stops.
  bool WaitForWork();
  void RunOne(const Job& job);
  void Wake();

  const std::unique_ptr<StateFolder> folder_;
  const std::shared_ptr<JobStore> store_;
  const std::shared_ptr<EventTopics> topics_;
  const int32_t max_queued_;
  const JobRunContext context_;
  StopSignal stopping_;

  absl::Mutex mutex_;
  bool wake_ ABSL_GUARDED_BY(mutex_) = true;  // a job may wait, or the daemon stops
  std::string running_id_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<CancelFlag> running_cancel_ ABSL_GUARDED_BY(mutex_);
  std::thread runner_;  // last: it uses the others
};

}  // namespace vrp
