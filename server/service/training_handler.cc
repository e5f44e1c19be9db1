#include "server/service/training_handler.h"

#include <utility>

#include "core/base/status_macros.h"
#include "server/convert/field_violation.h"
#include "server/convert/job_convert.h"
#include "server/convert/names.h"
#include "server/service/event_source.h"

namespace vrp {
v1::TrainingJob TrainingHandler::ToMessage(const Job& job) const {
  v1::TrainingJob message = ToProto(job);
  message.set_tensorboard_folder(options_.jobs->TensorBoardFolder(job.id));
  return message;
}

absl::StatusOr<v1::TrainingJob> TrainingHandler::Create(
    const v1::CreateTrainingJobRequest& request) const {
  VRP_RETURN_IF_ERROR(CheckRequestId(request.request_id()));
  VRP_ASSIGN_OR_RETURN(const JobSpec spec,
                       JobSpecFromProto(request.spec(), options_.default_device));
  if (request.validate_only()) {
    const absl::StatusOr<TrainingConfig> config = options_.jobs->Validate(spec);
    if (!config.ok()) return WithField(config.status(), "spec.config_yaml");
    v1::TrainingJob job;
    *job.mutable_spec() = ToProto(spec);
    return job;
  }
  const absl::StatusOr<Job> job = options_.jobs->Submit(spec, request.request_id());
  if (!job.ok()) return WithField(job.status(), "spec.config_yaml");
  return ToMessage(*job);
}

absl::StatusOr<v1::TrainingJob> TrainingHandler::Get(
    const v1::GetTrainingJobRequest& request) const {
  VRP_ASSIGN_OR_RETURN(const std::string id,
                       ParseJobName(JobKind::kTraining, "name", request.name()));
  VRP_ASSIGN_OR_RETURN(const Job job, options_.jobs->Get(id));
  return ToMessage(job);
}

absl::StatusOr<v1::ListTrainingJobsResponse> TrainingHandler::List(
    const v1::ListTrainingJobsRequest& request) const {
  VRP_RETURN_IF_ERROR(CheckPageSize(request.page_size()));
  const absl::StatusOr<JobPage> page =
      options_.jobs->List(request.page_size(), request.page_token());
  if (!page.ok()) return WithField(page.status(), "page_token");
  v1::ListTrainingJobsResponse response;
  for (const Job& job : page->jobs) *response.add_training_jobs() = ToMessage(job);
  response.set_next_page_token(page->next_page_token);
  return response;
}

absl::StatusOr<v1::TrainingJob> TrainingHandler::Cancel(
    const v1::CancelTrainingJobRequest& request) const {
  VRP_ASSIGN_OR_RETURN(const std::string id,
                       ParseJobName(JobKind::kTraining, "name", request.name()));
  VRP_ASSIGN_OR_RETURN(const Job job, options_.jobs->Cancel(id));
  return ToMessage(job);
}

absl::StatusOr<std::unique_ptr<StreamSource<v1::WatchTrainingJobResponse>>> TrainingHandler::Watch(
    const v1::WatchTrainingJobRequest& request) const {
  VRP_ASSIGN_OR_RETURN(const std::string id,
                       ParseJobName(JobKind::kTraining, "name", request.name()));
  VRP_ASSIGN_OR_RETURN(const int64_t from, FirstSequence(request.from_sequence()));
  VRP_ASSIGN_OR_RETURN(std::shared_ptr<EventSubscription> events, options_.jobs->Watch(id, from));
  return std::make_unique<EventSource<v1::WatchTrainingJobResponse>>(
      std::move(events), [](const JobEvent& event) { return ToProto(event); });
}

}  // namespace vrp
