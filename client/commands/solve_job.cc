#include "client/commands/solve_job.h"

#include <nlohmann/json.hpp>

#include "client/commands/follow_solve.h"
#include "client/commands/submit.h"
#include "client/output/json.h"
#include "client/output/tables.h"
#include "vrp/v1/solver_service.grpc.pb.h"

namespace vrp::client {

ExitCode RunSolveJob(CommandContext& context, const v1::SolveRequest& request,
                     const SolveJobFlags& flags) {
  v1::CreateSolveJobRequest create;
  *create.mutable_solve() = request;
  // Someone may request the solution file long after this call.
  create.mutable_solve()->set_render_solution_file(true);
  create.set_request_id(flags.request_id.empty() ? NewRequestId() : flags.request_id);
  const absl::StatusOr<v1::SolveJob> job = Submit(context, [&] {
    return context.client().Call(&v1::SolverService::Stub::CreateSolveJob, create,
                                 kInstanceTimeout);
  });
  if (!job.ok()) {
    WarnIfSubmissionUnknown(context, create.request_id());
    return context.Fail(job.status(), flags.where);
  }
  if (flags.detach && context.json()) WriteJsonLine(context.out(), SolveJobJson(*job));
  if (!context.json()) {
    context.out() << job->name() << " " << StateText(job->state(), job->queue_position())
                  << std::endl;
  }
  if (flags.detach) return kExitDone;
  return FollowSolveJob(context, {.name = job->name(), .was_reachable = true}, flags.files);
}

}  // namespace vrp::client
