#include "server/service/sweep_handler.h"

#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/jobs/submission.h"
#include "server/convert/field_violation.h"
#include "server/convert/job_convert.h"
#include "server/convert/names.h"
#include "server/convert/sweep_convert.h"
#include "server/service/event_source.h"

namespace vrp {
namespace {

absl::StatusOr<std::string> SweepId(const std::string& name) {
  return ParseJobName(JobKind::kSweep, "name", name);
}

// Returns the core's errors in a sweep, one violation per line, with their places.
absl::Status SweepError(const absl::Status& status) {
  if (!absl::IsInvalidArgument(status) && !absl::IsUnimplemented(status)) return status;
  std::vector<FieldViolation> violations;
  for (const absl::string_view line : absl::StrSplit(status.message(), '\n', absl::SkipEmpty())) {
    violations.push_back({.field = "spec.sweep_yaml", .description = std::string(line)});
  }
  return WithViolations(status, violations);
}

}  // namespace

absl::StatusOr<v1::Sweep> SweepHandler::ToMessage(const Job& job) const {
  v1::Sweep message = SweepToProto(job);
  VRP_ASSIGN_OR_RETURN(const SweepState state, options_.sweeps->State(job));
  AddTrials(state, message);
  return message;
}

absl::StatusOr<v1::Sweep> SweepHandler::Create(const v1::CreateSweepRequest& request) const {
  VRP_RETURN_IF_ERROR(WithField(CheckRequestId(request.request_id())));
  VRP_ASSIGN_OR_RETURN(const SweepRequest sweep,
                       SweepRequestFromProto(request.spec(), options_.default_device));
  const absl::StatusOr<SweepPlan> plan =
      options_.sweeps->Plan(sweep, [this](const TrainingConfig& config) {
        return CheckTrainingFiles(config, options_.data_folders);
      });
  if (!plan.ok()) return SweepError(plan.status());
  v1::Sweep summary = SweepSummary(request.spec(), *plan);
  if (request.validate_only()) {
    for (size_t i = 0; i < plan->trials.size(); ++i) {
      *summary.add_trials() = ToProto(TrialResult{.trial = static_cast<int32_t>(i) + 1}, *plan);
    }
    return summary;
  }
  VRP_ASSIGN_OR_RETURN(
      const Job job,
      options_.sweeps->Start(sweep, *plan, summary.SerializeAsString(), request.request_id()));
  return ToMessage(job);
}

absl::StatusOr<v1::Sweep> SweepHandler::Get(const v1::GetSweepRequest& request) const {
  VRP_ASSIGN_OR_RETURN(const std::string id, SweepId(request.name()));
  VRP_ASSIGN_OR_RETURN(const Job job, options_.sweeps->Get(id));
  return ToMessage(job);
}

absl::StatusOr<v1::ListSweepsResponse> SweepHandler::List(
    const v1::ListSweepsRequest& request) const {
  const absl::StatusOr<JobPage> page =
      options_.sweeps->List({.page_size = request.page_size(), .page_token = request.page_token()});
  if (!page.ok()) return WithField(page.status());
  v1::ListSweepsResponse response;
  for (const Job& job : page->jobs) {
    v1::Sweep& sweep = *response.add_sweeps();
    sweep = SweepToProto(job);
    sweep.clear_spec();
  }
  response.set_next_page_token(page->next_page_token);
  return response;
}

absl::StatusOr<v1::Sweep> SweepHandler::Change(
    const std::string& name, absl::StatusOr<Job> (SweepManager::*change)(std::string_view)) const {
  VRP_ASSIGN_OR_RETURN(const std::string id, SweepId(name));
  VRP_ASSIGN_OR_RETURN(const Job job, (options_.sweeps->*change)(id));
  return ToMessage(job);
}

absl::StatusOr<v1::Sweep> SweepHandler::Stop(const v1::StopSweepRequest& request) const {
  return Change(request.name(), &SweepManager::Stop);
}

absl::StatusOr<v1::Sweep> SweepHandler::Pause(const v1::PauseSweepRequest& request) const {
  return Change(request.name(), &SweepManager::Pause);
}

absl::StatusOr<v1::Sweep> SweepHandler::Resume(const v1::ResumeSweepRequest& request) const {
  return Change(request.name(), &SweepManager::Resume);
}

absl::StatusOr<v1::DeleteSweepResponse> SweepHandler::Delete(
    const v1::DeleteSweepRequest& request) const {
  VRP_ASSIGN_OR_RETURN(const std::string id, SweepId(request.name()));
  VRP_RETURN_IF_ERROR(options_.sweeps->Delete(id));
  return v1::DeleteSweepResponse();
}

int32_t SweepHandler::QueuePosition(const std::string& name) const {
  const absl::StatusOr<std::string> id = SweepId(name);
  if (!id.ok()) return 0;
  const absl::StatusOr<Job> job = options_.sweeps->Get(*id);
  return job.ok() ? static_cast<int32_t>(job->queue_position) : 0;
}

absl::StatusOr<std::unique_ptr<StreamSource<v1::WatchSweepResponse>>> SweepHandler::Watch(
    const v1::WatchSweepRequest& request) const {
  VRP_ASSIGN_OR_RETURN(const std::string id, SweepId(request.name()));
  VRP_ASSIGN_OR_RETURN(const int64_t from, FirstSequence(request.from_sequence()));
  VRP_ASSIGN_OR_RETURN(std::shared_ptr<EventSubscription> events, options_.sweeps->Watch(id, from));
  VRP_ASSIGN_OR_RETURN(const Job job, options_.sweeps->Get(id));
  VRP_ASSIGN_OR_RETURN(SweepState state, options_.sweeps->State(job));
  const auto convert = [sweeps = options_.sweeps, id,
                        plan = std::move(state.plan)](const JobEvent& event) {
    v1::WatchSweepResponse message = SweepEventToProto(event);
    SetQueuePosition(
        event, [&] { return sweeps->Get(id); }, message);
    if (message.has_trial()) {
      const absl::StatusOr<TrialResult> part = sweeps->Part(id, event.step);
      if (part.ok()) *message.mutable_trial() = ToProto(*part, plan);
    } else if (message.has_result()) {
      const absl::StatusOr<Job> ended = sweeps->Get(id);
      if (!ended.ok()) return message;
      message.mutable_result()->set_model(ended->model);
      const absl::StatusOr<SweepState> result = sweeps->State(*ended);
      if (result.ok()) message.mutable_result()->set_best_trial(result->best);
    }
    return message;
  };
  return std::make_unique<EventSource<v1::WatchSweepResponse>>(std::move(events), convert);
}

}  // namespace vrp
