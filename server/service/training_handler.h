// TrainingService without gRPC.
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

// Thread-safe; methods block on the store. Codes and remedies: see training_service.proto.
class TrainingHandler {
 public:
  struct Options {
    JobManager* jobs = nullptr;           // outlives the handler
    std::string default_device = "auto";  // of specs that name none
    DataFolders data_folders;             // whose files configurations may name
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
  // Blocks until the job's step has ended.
  absl::StatusOr<v1::PublishTrainingJobResponse> Publish(
      const v1::PublishTrainingJobRequest& request) const;
  absl::StatusOr<v1::GetTrainingHistoryResponse> GetHistory(
      const v1::GetTrainingHistoryRequest& request) const;
  absl::StatusOr<std::unique_ptr<StreamSource<v1::WatchTrainingJobResponse>>> Watch(
      const v1::WatchTrainingJobRequest& request) const;
  // 0: the job is not queued, or there is none.
  int32_t QueuePosition(const std::string& name) const;

 private:
  v1::TrainingJob ToMessage(const Job& job) const;
  // Returns what validate_only promises: the resolved configuration, or all that is wrong.
  absl::StatusOr<v1::TrainingJob> Validate(const JobSpec& spec, bool config_only) const;
  // What `change` of the manager makes of the job of that name.
  absl::StatusOr<v1::TrainingJob> Change(
      const std::string& name, absl::StatusOr<Job> (JobManager::*change)(std::string_view)) const;

  const Options options_;
};

}  // namespace vrp
