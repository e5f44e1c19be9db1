#include "server/service/solve_job_handler.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "core/jobs/submission.h"
#include "core/problem/formats/formats.h"
#include "server/convert/field_violation.h"
#include "server/convert/job_convert.h"
#include "server/convert/names.h"
#include "server/convert/solve_job_convert.h"
#include "server/convert/time_convert.h"
#include "server/roads/road_record.h"
#include "server/service/event_source.h"

namespace vrp {
namespace {

// Bounds the time to repair a request's initial plan during the check of the request.
constexpr absl::Duration kCheckTime = absl::Seconds(10);

absl::StatusOr<std::string> SolveJobId(const std::string& name) {
  return ParseJobName(JobKind::kSolve, "name", name);
}

bool Uses(const v1::SolveRequest& request, const std::string& matrices) {
  const v1::Instance& instance = request.instance();
  return RefersToMatrices(request.file().content(), matrices) || instance.matrices() == matrices ||
         std::any_of(instance.vehicles().begin(), instance.vehicles().end(),
                     [&](const v1::Vehicle& type) { return type.matrices() == matrices; });
}

// Returns bytes to append to a serialised SolveRequest, so that all attempts of the job follow the
// habits of this version. Empty without a habit model.
std::string HabitModelAttachment(const SolverHandler::Prepared& prepared) {
  if (prepared.options.habits == nullptr) return "";
  v1::SolveRequest version;
  version.set_model(prepared.model);
  return version.SerializeAsString();
}

}  // namespace

absl::Status SolveJobHandler::CheckUnused(const std::string& matrices) const {
  VRP_ASSIGN_OR_RETURN(const std::vector<SolveJobManager::UnfinishedRequest> open,
                       jobs_.ListUnfinishedRequests());
  for (const SolveJobManager::UnfinishedRequest& job : open) {
    v1::SolveRequest request;
    if (!request.ParseFromString(job.request) || !Uses(request, matrices)) continue;
    const std::string name = JobResourceName(JobKind::kSolve, job.id);
    return absl::FailedPreconditionError(Concat("name: ", matrices, " are in use by ", name,
                                                ", which has not ended: vrpctl solve-jobs stop ",
                                                name, " ends it with its best plan"));
  }
  return absl::OkStatus();
}

absl::StatusOr<v1::SolveJob> SolveJobHandler::ToMessage(const Job& job) const {
  v1::SolveJob message = SolveJobToProto(job);
  if (job.state != JobState::kSucceeded) return message;
  VRP_ASSIGN_OR_RETURN(const std::optional<std::string> answer, jobs_.Answer(job.id));
  if (answer.has_value() && !message.mutable_response()->ParseFromString(*answer)) {
    return absl::DataLossError(message.name() +
                               ": its stored response is damaged; create the job again");
  }
  return message;
}

absl::StatusOr<v1::SolveJob> SolveJobHandler::Create(const v1::CreateSolveJobRequest& request,
                                                     const CallContext& context) const {
  VRP_RETURN_IF_ERROR(WithField(CheckRequestId(request.request_id())));
  RoadRecord roads(solver_.roads());
  VRP_RETURN_IF_ERROR(solver_.LoadRoads(request.solve(), roads, context.stop()));
  const absl::Time now = SteadyNow();
  const CallContext check{.received = now,
                          .deadline = now + kCheckTime,
                          .cancel = std::make_shared<CancelFlag>(),
                          .roads = &roads};
  VRP_ASSIGN_OR_RETURN(const SolverHandler::Prepared prepared,
                       solver_.Prepare(request.solve(), solver_.job_limits(), check));
  v1::SolveRequest solve = request.solve();
  RemoveRoadAttachment(solve);
  *solve.mutable_budget() = ToProto(prepared.options.budget);
  SolveSpec spec = SolveSpecOf(solve, prepared.instance);
  spec.attachment = Concat(roads.Attachment(), HabitModelAttachment(prepared));
  if (request.validate_only()) {
    v1::SolveJob job;
    job.ParseFromString(spec.summary);
    *job.mutable_budget() = solve.budget();
    return job;
  }
  VRP_ASSIGN_OR_RETURN(const Job job, jobs_.Submit(spec, request.request_id()));
  return ToMessage(job);
}

absl::StatusOr<v1::SolveJob> SolveJobHandler::Get(const v1::GetSolveJobRequest& request) const {
  VRP_ASSIGN_OR_RETURN(const std::string id, SolveJobId(request.name()));
  VRP_ASSIGN_OR_RETURN(const Job job, jobs_.Get(id));
  return ToMessage(job);
}

absl::StatusOr<v1::ListSolveJobsResponse> SolveJobHandler::List(
    const v1::ListSolveJobsRequest& request) const {
  const absl::StatusOr<JobPage> page = jobs_.List(request.page_size(), request.page_token());
  if (!page.ok()) return WithField(page.status());
  v1::ListSolveJobsResponse response;
  for (const Job& job : page->jobs) *response.add_solve_jobs() = SolveJobToProto(job);
  response.set_next_page_token(page->next_page_token);
  return response;
}

absl::StatusOr<v1::SolveJob> SolveJobHandler::Stop(const v1::StopSolveJobRequest& request) const {
  VRP_ASSIGN_OR_RETURN(const std::string id, SolveJobId(request.name()));
  VRP_ASSIGN_OR_RETURN(const Job job, jobs_.Stop(id));
  return ToMessage(job);
}

absl::StatusOr<v1::DeleteSolveJobResponse> SolveJobHandler::Delete(
    const v1::DeleteSolveJobRequest& request) const {
  VRP_ASSIGN_OR_RETURN(const std::string id, SolveJobId(request.name()));
  VRP_RETURN_IF_ERROR(jobs_.Delete(id));
  return v1::DeleteSolveJobResponse();
}

int32_t SolveJobHandler::QueuePosition(const std::string& name) const {
  const absl::StatusOr<std::string> id = SolveJobId(name);
  if (!id.ok()) return 0;
  const absl::StatusOr<Job> job = jobs_.Get(*id);
  return job.ok() ? static_cast<int32_t>(job->queue_position) : 0;
}

absl::StatusOr<std::unique_ptr<StreamSource<v1::WatchSolveJobResponse>>> SolveJobHandler::Watch(
    const v1::WatchSolveJobRequest& request) const {
  VRP_ASSIGN_OR_RETURN(const std::string id, SolveJobId(request.name()));
  VRP_ASSIGN_OR_RETURN(const int64_t from, FirstSequence(request.from_sequence()));
  VRP_ASSIGN_OR_RETURN(std::shared_ptr<EventSubscription> events, jobs_.Watch(id, from));
  const auto convert = [&jobs = jobs_, id](const JobEvent& event) {
    v1::WatchSolveJobResponse message = SolveEventToProto(event);
    SetQueuePosition(
        event, [&] { return jobs.Get(id); }, message);
    if (!message.has_response()) return message;
    const absl::StatusOr<std::optional<std::string>> answer = jobs.Answer(id);
    if (answer.ok() && answer->has_value()) message.mutable_response()->ParseFromString(**answer);
    return message;
  };
  return std::make_unique<EventSource<v1::WatchSolveJobResponse>>(std::move(events), convert);
}

}  // namespace vrp
