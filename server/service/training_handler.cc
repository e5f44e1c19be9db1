#include "server/service/training_handler.h"

#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/jobs/submission.h"
#include "server/convert/field_violation.h"
#include "server/convert/job_convert.h"
#include "server/convert/names.h"
#include "server/service/event_source.h"

namespace vrp {
namespace {

absl::StatusOr<std::string> TrainingJobId(const std::string& name) {
  return ParseJobName(JobKind::kTraining, "name", name);
}

// Returns the core's errors in a specification, one per line, with their fields.
absl::Status SpecError(const absl::Status& status) {
  if (!absl::IsInvalidArgument(status) && !absl::IsUnimplemented(status)) return status;
  std::vector<FieldViolation> violations;
  for (const absl::string_view line : absl::StrSplit(status.message(), '\n', absl::SkipEmpty())) {
    const FieldViolation violation = FromLine(FromAbsl(line));
    const bool device = violation.field == "device";
    violations.push_back(device ? FieldViolation{"spec.device", violation.description}
                                : FieldViolation{"spec.config_yaml", std::string(line)});
  }
  return WithViolations(status, violations);
}

}  // namespace

v1::TrainingJob TrainingHandler::ToMessage(const Job& job) const {
  v1::TrainingJob message = ToProto(job);
  message.set_tensorboard_folder(options_.jobs->TensorBoardFolder(job.id));
  return message;
}

absl::StatusOr<v1::TrainingJob> TrainingHandler::Create(
    const v1::CreateTrainingJobRequest& request) const {
  VRP_RETURN_IF_ERROR(WithField(CheckRequestId(request.request_id())));
  if (request.config_only() && !request.validate_only()) {
    return InvalidField("config_only", "got true, wanted validate_only with it");
  }
  VRP_ASSIGN_OR_RETURN(const JobSpec spec,
                       JobSpecFromProto(request.spec(), options_.default_device));
  if (request.validate_only()) return Validate(spec, request.config_only());
  const absl::StatusOr<TrainingConfig> config = options_.jobs->Validate(spec);
  if (!config.ok()) return SpecError(config.status());
  VRP_RETURN_IF_ERROR(SpecError(CheckTrainingFiles(*config, options_.data_folders)));
  const absl::StatusOr<Job> job = options_.jobs->Submit(spec, request.request_id());
  if (!job.ok()) return SpecError(job.status());
  return ToMessage(*job);
}

absl::StatusOr<v1::TrainingJob> TrainingHandler::Validate(const JobSpec& spec,
                                                          bool config_only) const {
  const absl::StatusOr<TrainingConfig> config = options_.jobs->Validate(spec);
  if (!config.ok()) return SpecError(config.status());
  v1::TrainingJob job;
  *job.mutable_spec() = ToProto(spec);
  if (!config_only) {
    VRP_RETURN_IF_ERROR(SpecError(CheckTrainingFiles(*config, options_.data_folders)));
    const absl::StatusOr<DeviceId> device = options_.jobs->CheckStart(spec, *config);
    if (!device.ok()) return SpecError(device.status());
    job.set_resolved_device(device->ToString());
  }
  VRP_ASSIGN_OR_RETURN(const ResolvedConfig resolved,
                       ResolveTrainingConfig(spec.config_yaml, spec.config_name, spec.overrides));
  job.set_resolved_config_yaml(resolved.yaml);
  job.mutable_resolved_settings()->insert(resolved.settings.begin(), resolved.settings.end());
  return job;
}

absl::StatusOr<v1::TrainingJob> TrainingHandler::Get(
    const v1::GetTrainingJobRequest& request) const {
  VRP_ASSIGN_OR_RETURN(const std::string id, TrainingJobId(request.name()));
  VRP_ASSIGN_OR_RETURN(const Job job, options_.jobs->Get(id));
  v1::TrainingJob message = ToMessage(job);
  const JobSpec& spec = job.spec;
  const absl::StatusOr<std::map<std::string, std::string>> settings =
      TrainingSettings(spec.config_yaml, spec.config_name, spec.overrides);
  // The configuration was readable when the job was created, so it still is.
  if (settings.ok()) message.mutable_settings()->insert(settings->begin(), settings->end());
  return message;
}

absl::StatusOr<v1::ListTrainingJobsResponse> TrainingHandler::List(
    const v1::ListTrainingJobsRequest& request) const {
  VRP_ASSIGN_OR_RETURN(auto labels, LabelsFromProto(request.labels()));
  const absl::StatusOr<JobPage> page = options_.jobs->List({.page_size = request.page_size(),
                                                            .page_token = request.page_token(),
                                                            .labels = std::move(labels)});
  if (!page.ok()) return WithField(page.status());
  v1::ListTrainingJobsResponse response;
  for (const Job& job : page->jobs) *response.add_training_jobs() = ToMessage(job);
  response.set_next_page_token(page->next_page_token);
  return response;
}

absl::StatusOr<v1::TrainingJob> TrainingHandler::Change(
    const std::string& name, absl::StatusOr<Job> (JobManager::*change)(std::string_view)) const {
  VRP_ASSIGN_OR_RETURN(const std::string id, TrainingJobId(name));
  VRP_ASSIGN_OR_RETURN(const Job job, (options_.jobs->*change)(id));
  return ToMessage(job);
}

absl::StatusOr<v1::TrainingJob> TrainingHandler::Cancel(
    const v1::CancelTrainingJobRequest& request) const {
  return Change(request.name(), &JobManager::Cancel);
}

absl::StatusOr<v1::TrainingJob> TrainingHandler::Stop(
    const v1::StopTrainingJobRequest& request) const {
  return Change(request.name(), &JobManager::Stop);
}

absl::StatusOr<v1::TrainingJob> TrainingHandler::Pause(
    const v1::PauseTrainingJobRequest& request) const {
  return Change(request.name(), &JobManager::Pause);
}

absl::StatusOr<v1::TrainingJob> TrainingHandler::Resume(
    const v1::ResumeTrainingJobRequest& request) const {
  return Change(request.name(), &JobManager::Resume);
}

absl::StatusOr<v1::DeleteTrainingJobResponse> TrainingHandler::Delete(
    const v1::DeleteTrainingJobRequest& request) const {
  VRP_ASSIGN_OR_RETURN(const std::string id, TrainingJobId(request.name()));
  VRP_RETURN_IF_ERROR(options_.jobs->Delete(id));
  return v1::DeleteTrainingJobResponse();
}

absl::StatusOr<v1::PublishTrainingJobResponse> TrainingHandler::Publish(
    const v1::PublishTrainingJobRequest& request) const {
  VRP_ASSIGN_OR_RETURN(const std::string id, TrainingJobId(request.name()));
  VRP_ASSIGN_OR_RETURN(const LivePublication published, options_.jobs->Publish(id));
  v1::PublishTrainingJobResponse response;
  response.set_model(published.model);
  response.set_step(published.step);
  return response;
}

absl::StatusOr<v1::GetTrainingHistoryResponse> TrainingHandler::GetHistory(
    const v1::GetTrainingHistoryRequest& request) const {
  VRP_ASSIGN_OR_RETURN(const std::string id, TrainingJobId(request.name()));
  const absl::StatusOr<History> history =
      options_.jobs->ReadHistory(id, {.first_step = request.from_step(),
                                      .last_step = request.to_step(),
                                      .max_points = request.max_points(),
                                      .epochs_only = request.epochs_only()});
  if (!history.ok()) return WithField(history.status());
  v1::GetTrainingHistoryResponse response;
  for (const JobEvent& point : history->points) *response.add_points() = HistoryPointToProto(point);
  response.set_stored_points(history->stored);
  return response;
}

int32_t TrainingHandler::QueuePosition(const std::string& name) const {
  const absl::StatusOr<std::string> id = TrainingJobId(name);
  if (!id.ok()) return 0;
  const absl::StatusOr<Job> job = options_.jobs->Get(*id);
  return job.ok() ? static_cast<int32_t>(job->queue_position) : 0;
}

absl::StatusOr<std::unique_ptr<StreamSource<v1::WatchTrainingJobResponse>>> TrainingHandler::Watch(
    const v1::WatchTrainingJobRequest& request) const {
  VRP_ASSIGN_OR_RETURN(const std::string id, TrainingJobId(request.name()));
  VRP_ASSIGN_OR_RETURN(const int64_t from, FirstSequence(request.from_sequence()));
  VRP_ASSIGN_OR_RETURN(std::shared_ptr<EventSubscription> events, options_.jobs->Watch(id, from));
  return std::make_unique<EventSource<v1::WatchTrainingJobResponse>>(
      std::move(events), [jobs = options_.jobs, id](const JobEvent& event) {
        v1::WatchTrainingJobResponse message = ToProto(event);
        SetQueuePosition(
            event, [&] { return jobs->Get(id); }, message);
        return message;
      });
}

}  // namespace vrp
