#include "server/service/simulation_handler.h"

#include <optional>
#include <utility>
#include <vector>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/jobs/submission.h"
#include "server/convert/dispatch_convert.h"
#include "server/convert/field_violation.h"
#include "server/convert/instance_convert.h"
#include "server/convert/job_convert.h"
#include "server/convert/names.h"
#include "server/convert/simulation_convert.h"
#include "server/service/dispatch_models.h"
#include "server/service/event_source.h"
#include "server/service/simulated_site.h"

namespace vrp {
namespace {

absl::StatusOr<std::string> SimulationId(const std::string& name) {
  return ParseJobName(JobKind::kSimulation, "name", name);
}

// Adds the stored day or summary to its event.
void FillEvent(const SolveJobManager& jobs, const std::string& id, int64_t part,
               v1::WatchSimulationResponse& message) {
  if (message.has_day()) {
    const absl::StatusOr<std::vector<std::string>> parts = jobs.Parts(id, part, part);
    if (parts.ok() && !parts->empty()) message.mutable_day()->ParseFromString(parts->front());
  } else if (message.has_summary()) {
    const absl::StatusOr<std::optional<std::string>> answer = jobs.Answer(id);
    if (answer.ok() && answer->has_value()) message.mutable_summary()->ParseFromString(**answer);
  }
}

// States the policies and versions of models of `spec` that it leaves open, so that a later attempt
// uses the same ones.
absl::Status ResolvePolicies(const Registry& registry, v1::SimulationSpec& spec) {
  VRP_ASSIGN_OR_RETURN(const SimulationSettings settings, SimulationSettingsFromProto(spec));
  if (spec.policies().empty()) spec.add_policies();
  for (int i = 0; i < spec.policies_size(); ++i) {
    VRP_ASSIGN_OR_RETURN(const DispatchPolicySettings policy,
                         ResolvePolicy(registry, settings.policies[i].settings));
    spec.mutable_policies(i)->set_policy(ToProto(policy.kind));
    spec.mutable_policies(i)->set_model(PolicyModelName(policy));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<SolveSpec> SimulationHandler::Check(v1::SimulationSpec spec) const {
  VRP_RETURN_IF_ERROR(ResolvePolicies(registry_, spec));
  VRP_ASSIGN_OR_RETURN(SimulationSettings settings, SimulationSettingsFromProto(spec));
  VRP_RETURN_IF_ERROR(LoadModels(registry_, settings));
  std::vector<std::string> names;
  for (int i = 0; i < spec.sites_size(); ++i) {
    VRP_ASSIGN_OR_RETURN(const SimulatedSite site,
                         SimulatedSite::Create(spec, i, {.settings = settings, .logs = logs_}));
    VRP_RETURN_IF_ERROR(
        CheckNodes(Concat("sites[", i, "]"), site.site().instance().num_nodes(), max_nodes_));
    VRP_RETURN_IF_ERROR(site.Check(max_nodes_));
    names.push_back(site.site().instance().name());
    spec.set_days(site.day_count());
  }
  return SolveSpecOf(spec, names);
}

absl::StatusOr<v1::Simulation> SimulationHandler::ToMessage(const Job& job) const {
  v1::Simulation message = SimulationToProto(job);
  const absl::Status damaged =
      absl::DataLossError(message.name() + ": its stored results are damaged; create it again");
  VRP_ASSIGN_OR_RETURN(const std::vector<std::string> days, jobs_.Parts(job.id, 1, INT64_MAX));
  for (const std::string& day : days) {
    if (!message.add_days()->ParseFromString(day)) return damaged;
  }
  if (job.state != JobState::kSucceeded) return message;
  VRP_ASSIGN_OR_RETURN(const std::optional<std::string> answer, jobs_.Answer(job.id));
  if (answer.has_value() && !message.mutable_summary()->ParseFromString(*answer)) return damaged;
  return message;
}

absl::StatusOr<v1::Simulation> SimulationHandler::Create(
    const v1::CreateSimulationRequest& request) const {
  VRP_RETURN_IF_ERROR(WithField(CheckRequestId(request.request_id())));
  const absl::StatusOr<SolveSpec> spec = Check(request.spec());
  if (!spec.ok()) return WithPrefix(spec.status(), "spec");
  if (request.validate_only()) {
    v1::Simulation simulation;
    simulation.ParseFromString(spec->summary);
    return simulation;
  }
  VRP_ASSIGN_OR_RETURN(const Job job, jobs_.Submit(*spec, request.request_id()));
  return ToMessage(job);
}

absl::StatusOr<v1::Simulation> SimulationHandler::Get(
    const v1::GetSimulationRequest& request) const {
  VRP_ASSIGN_OR_RETURN(const std::string id, SimulationId(request.name()));
  VRP_ASSIGN_OR_RETURN(const Job job, jobs_.Get(id));
  return ToMessage(job);
}

absl::StatusOr<v1::ListSimulationsResponse> SimulationHandler::List(
    const v1::ListSimulationsRequest& request) const {
  const absl::StatusOr<JobPage> page = jobs_.List(request.page_size(), request.page_token());
  if (!page.ok()) return WithField(page.status());
  v1::ListSimulationsResponse response;
  for (const Job& job : page->jobs) *response.add_simulations() = SimulationToProto(job);
  response.set_next_page_token(page->next_page_token);
  return response;
}

absl::StatusOr<v1::Simulation> SimulationHandler::Stop(
    const v1::StopSimulationRequest& request) const {
  VRP_ASSIGN_OR_RETURN(const std::string id, SimulationId(request.name()));
  VRP_ASSIGN_OR_RETURN(const Job job, jobs_.Stop(id));
  return ToMessage(job);
}

absl::StatusOr<v1::DeleteSimulationResponse> SimulationHandler::Delete(
    const v1::DeleteSimulationRequest& request) const {
  VRP_ASSIGN_OR_RETURN(const std::string id, SimulationId(request.name()));
  VRP_RETURN_IF_ERROR(jobs_.Delete(id));
  return v1::DeleteSimulationResponse();
}

int32_t SimulationHandler::QueuePosition(const std::string& name) const {
  const absl::StatusOr<std::string> id = SimulationId(name);
  if (!id.ok()) return 0;
  const absl::StatusOr<Job> job = jobs_.Get(*id);
  return job.ok() ? static_cast<int32_t>(job->queue_position) : 0;
}

absl::StatusOr<std::unique_ptr<StreamSource<v1::WatchSimulationResponse>>> SimulationHandler::Watch(
    const v1::WatchSimulationRequest& request) const {
  VRP_ASSIGN_OR_RETURN(const std::string id, SimulationId(request.name()));
  VRP_ASSIGN_OR_RETURN(const int64_t from, FirstSequence(request.from_sequence()));
  VRP_ASSIGN_OR_RETURN(std::shared_ptr<EventSubscription> events, jobs_.Watch(id, from));
  VRP_ASSIGN_OR_RETURN(const Job job, jobs_.Get(id));
  const int32_t days = SimulationProgressToProto(job).day_count();
  const auto convert = [&jobs = jobs_, id, days](const JobEvent& event) {
    v1::WatchSimulationResponse message = SimulationEventToProto(event, days);
    SetQueuePosition(
        event, [&] { return jobs.Get(id); }, message);
    FillEvent(jobs, id, event.step, message);
    return message;
  };
  return std::make_unique<EventSource<v1::WatchSimulationResponse>>(std::move(events), convert);
}

}  // namespace vrp
