// The job manager whose jobs survive the daemon.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/jobs/job_manager.h"
#include "core/jobs/job_run.h"
#include "core/jobs/job_runner.h"
#include "core/jobs/stop_signal.h"

namespace vrp {

class DurableJobManager final : public JobManager {
 public:
  // The book's jobs are recovered already. Starts the runner's thread.
  explicit DurableJobManager(const Options& options);

  absl::StatusOr<Job> Submit(const JobSpec& spec, const std::string& request_id) override;
  absl::StatusOr<TrainingConfig> Validate(const JobSpec& spec) const override;
  absl::StatusOr<Job> Get(std::string_view id) const override;
  std::string TensorBoardFolder(std::string_view id) const override;
  absl::StatusOr<JobPage> List(int32_t page_size, const std::string& page_token) const override;
  absl::StatusOr<Job> Cancel(std::string_view id) override;
  absl::StatusOr<std::shared_ptr<EventSubscription>> Watch(std::string_view id,
                                                           int64_t from) override;

 private:
  const std::shared_ptr<JobBook> book_;
  const int32_t max_queued_;
  StopSignal stopping_;
  const JobRunContext context_;
  JobRunner runner_;  // last: it uses the others
};

}  // namespace vrp
