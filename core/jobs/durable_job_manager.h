// A job manager whose jobs survive the daemon.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "core/base/stop_signal.h"
#include "core/jobs/job_manager.h"
#include "core/jobs/job_run.h"
#include "core/jobs/job_runner.h"
#include "core/jobs/live_runs.h"

namespace vrp {

// A manager that stores its jobs in a job book. Thread-safe.
class DurableJobManager final : public JobManager {
 public:
  // Starts the runner's threads. The book's jobs must be recovered already.
  explicit DurableJobManager(const Options& options);

  int32_t places() const override { return places_.Count(); }
  absl::StatusOr<Job> Submit(const JobSpec& spec, const std::string& request_id) override;
  absl::StatusOr<TrainingConfig> Validate(const JobSpec& spec) const override;
  absl::StatusOr<DeviceId> CheckStart(const JobSpec& spec,
                                      const TrainingConfig& config) const override;
  absl::StatusOr<Job> Get(std::string_view id) const override;
  std::string TensorBoardFolder(std::string_view id) const override;
  absl::StatusOr<JobPage> List(const JobFilter& filter) const override;
  absl::StatusOr<History> ReadHistory(std::string_view id,
                                      const HistoryRange& range) const override;
  absl::StatusOr<Job> Cancel(std::string_view id) override;
  absl::StatusOr<Job> Stop(std::string_view id) override;
  absl::StatusOr<Job> Pause(std::string_view id) override;
  absl::StatusOr<Job> Resume(std::string_view id) override;
  absl::StatusOr<Job> ContinueTrial(std::string_view id, int64_t pause_epoch) override;
  absl::Status Delete(std::string_view id) override;
  absl::StatusOr<LivePublication> Publish(std::string_view id) override;
  absl::StatusOr<DatasetDeletion> DeleteDataset(std::string_view name) override;
  void StopPublishing() override { live_.CloseAll(); }
  absl::StatusOr<std::shared_ptr<EventSubscription>> Watch(std::string_view id,
                                                           int64_t from) override;

 private:
  // Checks the configuration's `name`. Returns kFailedPrecondition if the name has versions of
  // another architecture.
  absl::Status CheckName(const TrainingConfig& config) const;
  // Applies one durable change to a training job.
  absl::StatusOr<Job> Change(std::string_view id,
                             absl::FunctionRef<absl::Status(JobChange&)> change);
  // Has `live` write the job's weights, publishes them and loads the version. Returns the new or,
  // if the step was published already, the existing version.
  absl::StatusOr<LivePublication> PublishWeights(const Job& job, LiveModels& live);

  const std::shared_ptr<JobBook> book_;
  const int32_t max_queued_;
  DatasetStore* const datasets_;
  StopSignal stopping_;
  LiveRuns live_;
  TrainingPlaces places_;
  const JobRunContext context_;
  JobRunner runner_;  // last, because the runner uses the other members
};

}  // namespace vrp
