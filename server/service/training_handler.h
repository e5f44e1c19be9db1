// Implements TrainingService without gRPC.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/jobs/job_manager.h"
#include "server/service/stream_source.h"
#include "server/service/training_files.h"
#include "vrp/v1/training_service.pb.h"

namespace vrp {

// A handler of the RPCs. Thread-safe. Methods block on the store. See training_service.proto for
// the errors.
class TrainingHandler {
 public:
  struct Options {
    JobManager* jobs = nullptr;           // outlives the handler
    std::string default_device = "auto";  // for specifications that name no device
    DataFolders data_folders;             // folders of the files that configurations may name
  };
  explicit TrainingHandler(Options options) : options_(std::move(options)) {}

  absl::StatusOr<v1::TrainingJob> Create(const v1::CreateTrainingJobRequest& request) const;
  absl::StatusOr<v1::TrainingJob> Get(const v1::GetTrainingJobRequest& request) const;
  absl::StatusOr<v1::ListTrainingJobsResponse> List(
      const v1::ListTrainingJobsRequest& request) const;
  absl::StatusOr<v1::TrainingJob> Cancel(const v1::CancelTrainingJobRequest& request) const;
  absl::StatusOr<v1::TrainingJob> Stop(const v1::StopTrainingJobRequest& request) const;
  absl::StatusOr<v1::TrainingJob> Pause(const v1::PauseTrainingJobRequest& request) const;
  absl::StatusOr<v1::TrainingJob> Resume(const v1::ResumeTrainingJobRequest& request) const;
  absl::StatusOr<v1::DeleteTrainingJobResponse> Delete(
      const v1::DeleteTrainingJobRequest& request) const;
  // Publishes a job's weights. Blocks until the job's current step ends and the new version is
  // loaded.
  absl::StatusOr<v1::PublishTrainingJobResponse> Publish(
      const v1::PublishTrainingJobRequest& request) const;
  absl::StatusOr<v1::GetTrainingHistoryResponse> GetHistory(
      const v1::GetTrainingHistoryRequest& request) const;
  absl::StatusOr<std::unique_ptr<StreamSource<v1::WatchTrainingJobResponse>>> Watch(
      const v1::WatchTrainingJobRequest& request) const;
  // Returns the queue position, or 0 if the job is not queued or does not exist.
  int32_t QueuePosition(const std::string& name) const;

 private:
  v1::TrainingJob ToMessage(const Job& job) const;
  // Returns the resolved configuration, or the errors of the first check that fails.
  absl::StatusOr<v1::TrainingJob> Validate(const JobSpec& spec, bool config_only) const;
  // Applies the manager's `change` to a job and returns the job.
  absl::StatusOr<v1::TrainingJob> Change(
      const std::string& name, absl::StatusOr<Job> (JobManager::*change)(std::string_view)) const;

  const Options options_;
};

}  // namespace vrp
