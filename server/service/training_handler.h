// TrainingService without gRPC.
#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/jobs/job_manager.h"
#include "server/service/stream_source.h"
#include "vrp/v1/training_service.pb.h"

namespace vrp {

// Thread-safe; methods block on the store. Codes and remedies: see training_service.proto.
class TrainingHandler {
 public:
  struct Options {
    JobManager* jobs = nullptr;           // outlives the handler
    std::string default_device = "auto";  // of specs that name none
  };
  explicit TrainingHandler(Options options) : options_(std::move(options)) {}

  absl::StatusOr<v1::TrainingJob> Create(const v1::CreateTrainingJobRequest& request) const;
  absl::StatusOr<v1::TrainingJob> Get(const v1::GetTrainingJobRequest& request) const;
  absl::StatusOr<v1::ListTrainingJobsResponse> List(
      const v1::ListTrainingJobsRequest& request) const;
  absl::StatusOr<v1::TrainingJob> Cancel(const v1::CancelTrainingJobRequest& request) const;
  absl::StatusOr<std::unique_ptr<StreamSource<v1::WatchTrainingJobResponse>>> Watch(
      const v1::WatchTrainingJobRequest& request) const;

 private:
  v1::TrainingJob ToMessage(const Job& job) const;

  const Options options_;
};

}  // namespace vrp
