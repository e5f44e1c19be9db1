#include "server/service/dispatch_handler.h"

#include <memory>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "core/solve/solve_options.h"
#include "server/convert/status_convert.h"
#include "server/convert/time_convert.h"
#include "server/roads/road_input.h"
#include "server/service/dispatch_models.h"
#include "server/service/request_input.h"

namespace vrp {
namespace {

// Time of a decision outside of its searches, such as the last check of its routes.
constexpr absl::Duration kDecisionOverhead = absl::Milliseconds(1);
// The watchdog reports a decision that takes longer than twice its budget plus this time.
constexpr absl::Duration kDecisionSlack = absl::Seconds(5);

}  // namespace

// A request that has been read and checked.
struct DispatchHandler::Prepared {
  DispatchSite site;
  DispatchState state;
  DecideOptions options;
  std::unique_ptr<DispatchPolicy> policy;
  bool has_roads = false;
  absl::Duration road_time = {};  // time to get the matrices of road networks
};

absl::StatusOr<DispatchHandler::Prepared> DispatchHandler::Prepare(
    const v1::DecideRequest& request, const CallContext& context) const {
  VRP_ASSIGN_OR_RETURN(DecideOptions options, DecideOptionsFromProto(request, limits()));
  const absl::Time begun = SteadyNow();
  const RoadSources sources{.matrices = options_.matrices,
                            .roads = context.roads != nullptr ? context.roads : options_.roads,
                            .stop = context.stop()};
  VRP_ASSIGN_OR_RETURN(RoadInput input, InputOf(request, sources, options_.max_nodes));
  absl::StatusOr<DispatchSite> site = DispatchSite::Create(input.instance);
  if (!site.ok()) return ErrorOf(request, input.instance, site.status());
  VRP_ASSIGN_OR_RETURN(DispatchState state, StateFromProto(request, *site));
  if (!options.request_log.empty()) {
    VRP_ASSIGN_OR_RETURN(RequestLog log,
                         options_.logs->Read(options.request_log, *site, "request_log"));
    options.log = std::make_shared<const RequestLog>(std::move(log));
  }
  VRP_RETURN_IF_ERROR(CheckPlannedNodes(*site, state, options, options_.max_nodes));
  VRP_ASSIGN_OR_RETURN(options.policy, ResolvePolicy(*options_.registry, options.policy));
  std::optional<DispatchModel> model;
  if (options.policy.model.has_value()) {
    VRP_ASSIGN_OR_RETURN(model, options_.registry->LoadDispatch(*options.policy.model));
  }
  VRP_ASSIGN_OR_RETURN(std::unique_ptr<DispatchPolicy> policy, PolicyOf(*site, options, model));
  const bool has_roads = input.roads.any();
  return Prepared{.site = *std::move(site),
                  .state = std::move(state),
                  .options = options,
                  .policy = std::move(policy),
                  .has_roads = has_roads,
                  .road_time = has_roads ? SteadyNow() - begun : absl::ZeroDuration()};
}

absl::StatusOr<v1::DecideResponse> DispatchHandler::Decide(const v1::DecideRequest& request,
                                                           const CallContext& context) const {
  const absl::Duration queue = options_.clock->SteadyNow() - context.received;
  if (context.cancel->cancelled_by_parent_only()) return StoppingError();
  if (context.cancel->cancelled()) return absl::CancelledError("request cancelled in the queue");
  const auto decide = [&]() -> absl::StatusOr<v1::DecideResponse> {
    VRP_ASSIGN_OR_RETURN(const Prepared prepared, Prepare(request, context));
    return Run(request, prepared, context);
  };
  absl::StatusOr<v1::DecideResponse> response = decide();
  if (absl::IsCancelled(response.status()) && context.cancel->cancelled_by_parent_only()) {
    return StoppingError();
  }
  if (response.ok()) *response->mutable_times()->mutable_queue() = ToProto(queue);
  return response;
}

absl::StatusOr<v1::DecideResponse> DispatchHandler::Run(const v1::DecideRequest& request,
                                                        const Prepared& prepared,
                                                        const CallContext& context) const {
  const DecideOptions& options = prepared.options;
  const BusyThreads::Lease thread = options_.busy->Take(1);
  const Watchdog::Watch watch(
      *options_.watchdog,
      {.phase = "decide", .owner = {}, .limit = 2 * options.budget + kDecisionSlack});
  // Excludes the time of the road services from the budget, which is for the searches.
  const absl::Time received = context.received + prepared.road_time;
  const absl::Time end =
      SolveEndsBy(received, options.budget, context.deadline) - kDecisionOverhead;
  const absl::Time begun = SteadyNow();
  const absl::StatusOr<DispatchDecision> decision =
      prepared.policy->Decide(prepared.state, {.stop = StopCondition(end, context.cancel),
                                               .max_iterations = options.max_iterations,
                                               .seed = options.seed});
  if (!decision.ok()) {
    return ErrorOf(request, prepared.site.instance(), decision.status());
  }
  const absl::Time ended = SteadyNow();
  options_.metrics->RecordSolve(Concat("dispatch_", DispatchPolicyName(options.policy.kind)),
                                ended - begun);
  v1::DecideResponse response = ToProto(prepared.site, prepared.state, *decision);
  response.set_policy(ToProto(options.policy.kind));
  response.set_model(PolicyModelName(options.policy));
  response.set_seed(options.seed);
  *response.mutable_budget() = ToProto(options.budget);
  v1::TimeBreakdown& times = *response.mutable_times();
  *times.mutable_search() = ToProto(ended - begun);
  *times.mutable_total() = ToProto(SteadyNow() - received);
  if (prepared.has_roads) *times.mutable_roads() = ToProto(prepared.road_time);
  return response;
}

Forecast DispatchHandler::ForecastOf(const v1::DecideRequest& request,
                                     const CallContext& context) const {
  const absl::Time stop =
      SolveEndsBy(context.received, BudgetOf(request, limits()), context.deadline);
  // Searches of few iterations may end at any time.
  return {.end = request.max_iterations() > 0 ? context.received : stop,
          .latest_start = stop,
          .cancel = context.cancel};
}

}  // namespace vrp
