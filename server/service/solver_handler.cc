#include "server/service/solver_handler.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "core/problem/formats/vrplib/vrplib_solution.h"
#include "core/search/search.h"
#include "core/solve/network_time.h"
#include "core/solve/solver.h"
#include "server/convert/initial_solution.h"
#include "server/convert/instance_convert.h"
#include "server/convert/names.h"
#include "server/convert/plan_formats.h"
#include "server/convert/solution_convert.h"
#include "server/convert/solve_convert.h"
#include "server/convert/status_convert.h"
#include "server/convert/time_convert.h"
#include "server/service/guarded.h"
#include "server/service/request_input.h"

namespace vrp {
namespace {

constexpr size_t kMaxBatchIdBytes = 256;
// Bounds the share of the budget for the repair of a given plan.
constexpr double kRepairShare = 0.2;
// Shortest delay that a full queue asks a client to wait.
constexpr absl::Duration kMinRetry = absl::Milliseconds(100);
// Time outside the search: to read the request, pass it between threads, and write and send the
// response. Measured by tests/bench/serving_bench overhead.
constexpr absl::Duration kOverhead = absl::Microseconds(800);
constexpr absl::Duration kOverheadPerNode = absl::Nanoseconds(500);
// Duration of a search that begins at its own deadline.
constexpr absl::Duration kShortestSearch = absl::Milliseconds(1);
constexpr absl::Duration kShortestSearchPerNode = absl::Microseconds(30);
// The watchdog reports a solve that takes longer than twice its budget plus this time.
constexpr absl::Duration kSolveSlack = absl::Seconds(5);

// Whether a request may use its whole budget. Searches may, unless a message has only one customer.
// The number of customers in a file is not known yet.
bool UsesBudget(const v1::SolveRequest& request) {
  const v1::Strategy strategy = request.strategy();
  const bool decodes = strategy == v1::STRATEGY_GREEDY || strategy == v1::STRATEGY_SAMPLE ||
                       strategy == v1::STRATEGY_BEAM || strategy == v1::STRATEGY_MULTI_START ||
                       strategy == v1::STRATEGY_IMPROVED;
  return !decodes && (request.has_file() || request.instance().customers_size() > 1);
}

// Adds the reason to a network's error. If a queue is full, the error states a retry delay; if
// memory is exhausted, it does not. BUDGET_TOO_SHORT distinguishes a short budget from a slow
// daemon.
absl::Status WithNetworkReason(absl::Status status) {
  if (IsBudgetTooShort(status)) return WithReason(std::move(status), "BUDGET_TOO_SHORT");
  if (const std::optional<absl::Duration> delay = RetryDelayOf(status); delay.has_value()) {
    return WithReason(WithRetry(std::move(status), std::max(*delay, kMinRetry)), "QUEUE_FULL");
  }
  return status;
}

// Returns the error of a model that cannot plan, or one that names the strategies that can use it
// if it is a habit model.
absl::Status WithHabitsReason(const Registry& registry, const ModelReference& name,
                              Strategy strategy, const absl::Status& status) {
  if (!absl::IsFailedPrecondition(status)) return status;
  const absl::StatusOr<ModelVersion> version = registry.Resolve(name);
  if (!version.ok() || !IsHabitModel(*version)) return status;
  return InvalidField("strategy", Concat("got ", StrategyName(strategy), ", but ",
                                         ModelVersionName(version->name, version->version),
                                         " is a habit model, which guides a search and plans no "
                                         "routes by itself; wanted auto or search"));
}

}  // namespace

// A running call of the solver, with its threads and its watch.
struct SolverHandler::Running {
  Running(const v1::SolveRequest& solve_request, Prepared ready, const SolverHandler& handler)
      : request(solve_request),
        threads(handler.TakeThreads(ready)),
        prepared(std::move(ready)),
        watch(*handler.options_.watchdog,
              {.phase = "solve", .owner = {}, .limit = 2 * prepared.options.budget + kSolveSlack}) {
  }

  const v1::SolveRequest& request;
  const BusyThreads::Lease threads;
  const Prepared prepared;
  const Watchdog::Watch watch;
  const absl::Time begun = SteadyNow();
};

absl::StatusOr<v1::SolveResponse> SolverHandler::Solve(const v1::SolveRequest& request,
                                                       const CallContext& context,
                                                       const ImprovementFn& on_improvement) const {
  VRP_ASSIGN_OR_RETURN(Prepared prepared, PrepareCall(request, context, DecodeClass::kInteractive));
  prepared.options.on_improvement = [&, instance = prepared.instance](const Plan& plan, Cost) {
    on_improvement(instance, plan);
  };
  return Run(request, std::move(prepared));
}

void SolverHandler::SolveLater(const v1::SolveRequest& request, const CallContext& context,
                               AnswerFn on_answer) const {
  SolveAs(DecodeClass::kInteractive, request, context, std::move(on_answer));
}

void SolverHandler::SolveAs(DecodeClass importance, const v1::SolveRequest& request,
                            const CallContext& context, AnswerFn on_answer) const {
  const auto prepare = [&] { return PrepareCall(request, context, importance); };
  absl::StatusOr<Prepared> prepared = CallGuarded(prepare);
  if (!prepared.ok()) return on_answer(prepared.status());
  // The answer of a network alone comes on a thread that must not wait for streets.
  if (!IsPolicyAlone(prepared->options.strategy) || request.include_geometry()) {
    const auto run = [&] { return Run(request, *std::move(prepared)); };
    return on_answer(CallGuarded(run));
  }
  const auto running = std::make_shared<const Running>(request, *std::move(prepared), *this);
  vrp::SolveLater(running->prepared.instance, running->prepared.options,
                  [this, running,
                   on_answer = std::move(on_answer)](absl::StatusOr<SolveAnswer> answer) mutable {
                    const auto respond = [&] { return Respond(*running, answer); };
                    on_answer(CallGuarded(respond));
                  });
}

SolveLimits SolverHandler::limits() const {
  return {.max_threads = options_.max_threads,
          .max_budget = options_.max_budget,
          .default_budget = std::min(kDefaultBudget, options_.max_budget)};
}

absl::Duration SolverHandler::ExpectedWork(const v1::SolveRequest& request) const {
  return UsesBudget(request)
             ? MinSearchTimeOf(request, request.instance().customers_size(), limits())
             : options_.batcher->ExpectedTime(NodesOf(request));
}

BusyThreads::Lease SolverHandler::TakeThreads(Prepared& prepared) const {
  SolveOptions& options = prepared.options;
  // A network that decodes on one thread joins a batch, so it holds no thread for long.
  const bool joins =
      options.strategy == Strategy::kGreedy || options.strategy == Strategy::kImproved;
  if (joins) options.threads = 1;
  if (joins || (IsPolicyAlone(options.strategy) && options.threads == 1)) return {};
  BusyThreads::Lease lease = prepared.idle_threads ? options_.busy->TakeIdle(options.threads)
                                                   : options_.busy->Take(options.threads);
  options.threads = lease.threads();
  return lease;
}

Forecast SolverHandler::ForecastOf(const v1::SolveRequest& request,
                                   const CallContext& context) const {
  const absl::Time stop =
      SolveEndsBy(context.received, BudgetOf(request, limits()), context.deadline);
  if (UsesBudget(request)) {
    return {.work = kShortestSearch + kShortestSearchPerNode * NodesOf(request),
            .end = std::min(
                stop, context.received +
                          MinSearchTimeOf(request, request.instance().customers_size(), limits())),
            .latest_start = stop,
            .cancel = context.cancel};
  }
  return {.work = options_.batcher->ExpectedTime(NodesOf(request)),
          .wait_after_start = options_.batcher->ExpectedWait(),
          .latest_start = stop,
          .cancel = context.cancel};
}

absl::StatusOr<SolverHandler::Prepared> SolverHandler::PrepareCall(const v1::SolveRequest& request,
                                                                   const CallContext& context,
                                                                   DecodeClass importance) const {
  const absl::Duration queue = options_.clock->SteadyNow() - context.received;
  if (context.cancel->cancelled_by_parent_only()) return StoppingError();
  if (context.cancel->cancelled()) return absl::CancelledError("request cancelled in the queue");
  CallContext call = context;
  // The automatic budget starts here, not at the arrival of the request.
  if (HasAutomaticBudget(request)) call.received = SteadyNow();
  absl::StatusOr<Prepared> ready = Prepare(request, limits(), call);
  if (absl::IsCancelled(ready.status()) && context.cancel->cancelled_by_parent_only()) {
    return StoppingError();
  }
  if (!ready.ok()) return ready.status();
  Prepared& prepared = *ready;
  prepared.queue = queue;
  prepared.options.batcher = options_.batcher;
  prepared.options.reserve = kOverhead + kOverheadPerNode * prepared.instance.num_nodes();
  prepared.options.importance = importance;
  return ready;
}

absl::StatusOr<SolverHandler::Prepared> SolverHandler::Prepare(const v1::SolveRequest& request,
                                                               const SolveLimits& limits,
                                                               const CallContext& context) const {
  VRP_ASSIGN_OR_RETURN(SolveOptions options, SolveOptionsFromProto(request, limits));
  const absl::Time begun = SteadyNow();
  const RoadSources sources{.matrices = options_.matrices,
                            .roads = context.roads != nullptr ? context.roads : options_.roads,
                            .stop = context.stop()};
  VRP_ASSIGN_OR_RETURN(RoadInput input, InputOf(request, sources, options_.max_nodes));
  // Excludes the time of the road services from the budget, which is for the search.
  const absl::Duration road_time = input.roads.any() ? SteadyNow() - begun : absl::ZeroDuration();
  const absl::Time received = context.received + road_time;
  Instance& instance = input.instance;
  VRP_RETURN_IF_ERROR(CheckRender(instance, request.render()));
  VRP_RETURN_IF_ERROR(CheckGeometry(request, input.roads));
  VRP_RETURN_IF_ERROR(SetStop(request, instance, options));
  VRP_ASSIGN_OR_RETURN(Models models, UseModel(request, options.strategy));
  options.policy = std::move(models.policy);
  options.policy_named = !models.name.empty() && models.habits == nullptr;
  options.received = received;
  options.deadline = context.deadline;
  options.cancel = context.cancel;
  const StopCondition repair_until(
      std::min(received + options.budget * kRepairShare, context.deadline), context.cancel);
  VRP_ASSIGN_OR_RETURN(Start start, StartOf(request, instance, repair_until));
  if (start.initial.has_value()) {
    instance = start.initial->instance;
    options.initial = {std::move(start.initial->plan)};
  }
  if (models.habits != nullptr) {
    const double weight = request.has_habit_weight() ? request.habit_weight() : kDefaultHabitWeight;
    VRP_ASSIGN_OR_RETURN(options.habits, GuideBy(*models.habits, models.name, instance, weight));
  }
  const absl::Status valid = CheckSolveOptions(options);
  if (!valid.ok()) return WithField(valid);
  return Prepared{.instance = std::move(instance),
                  .options = std::move(options),
                  .model = std::move(models.name),
                  .initial_report = start.initial.has_value()
                                        ? std::optional(std::move(start.initial->report))
                                        : std::nullopt,
                  .similar_day = std::move(start.similar_day),
                  .queue = {},
                  .idle_threads = request.idle_threads(),
                  .roads = std::move(input.roads),
                  .sources = sources,
                  .road_time = road_time};
}

absl::StatusOr<SolverHandler::Start> SolverHandler::StartOf(const v1::SolveRequest& request,
                                                            const Instance& instance,
                                                            const StopCondition& stop) const {
  Start start;
  VRP_ASSIGN_OR_RETURN(start.initial, InitialSolutionFromProto(request, instance, stop));
  if (!request.has_similar_day()) return start;
  VRP_ASSIGN_OR_RETURN(PastStart past,
                       options_.histories->StartOf(request.similar_day(), instance, stop));
  return Start{.initial = std::move(past.initial), .similar_day = std::move(past.report)};
}

absl::StatusOr<SolverHandler::Models> SolverHandler::UseModel(const v1::SolveRequest& request,
                                                              Strategy strategy) const {
  Models models;
  if (request.model().empty()) return models;
  VRP_ASSIGN_OR_RETURN(const ModelReference name, ParseModelName("model", request.model()));
  if (NeedsPolicy(strategy)) {
    absl::StatusOr<LoadedModel> loaded = options_.registry->Use(name);
    if (!loaded.ok()) return WithHabitsReason(*options_.registry, name, strategy, loaded.status());
    models.policy = std::move(loaded->policy);
    models.name = ModelVersionName(loaded->version->name, loaded->version->version);
    return models;
  }
  VRP_ASSIGN_OR_RETURN(const ModelVersion version, options_.registry->Resolve(name));
  models.name = ModelVersionName(version.name, version.version);
  if (IsHabitModel(version)) {
    VRP_ASSIGN_OR_RETURN(models.habits, habits_->Use(version));
    return models;
  }
  VRP_RETURN_IF_ERROR(CheckPlansRoutes(version));
  if (!request.has_habit_weight()) return models;
  return InvalidField("habit_weight", Concat("given, but ", models.name,
                                             " is no habit model; wanted one, or no weight"));
}

absl::Status SolverHandler::LoadRoads(const v1::SolveRequest& request, RoadSource& roads,
                                      const StopCondition& stop) const {
  if (!MayNameRoadsIn(request)) return absl::OkStatus();
  const RoadSources sources{.matrices = options_.matrices, .roads = &roads, .stop = stop};
  return InputOf(request, sources, options_.max_nodes).status();
}

absl::StatusOr<v1::SolveResponse> SolverHandler::Run(const v1::SolveRequest& request,
                                                     Prepared prepared) const {
  const Running running(request, std::move(prepared), *this);
  return Respond(running, vrp::Solve(running.prepared.instance, running.prepared.options));
}

absl::StatusOr<v1::SolveResponse> SolverHandler::Respond(
    const Running& running, const absl::StatusOr<SolveAnswer>& answer) const {
  const v1::SolveRequest& request = running.request;
  const Prepared& prepared = running.prepared;
  const Instance& instance = prepared.instance;
  const bool stopping = prepared.options.cancel->cancelled_by_parent_only();
  if (stopping && absl::IsCancelled(answer.status())) return StoppingError();
  if (!answer.ok()) return ErrorOf(request, instance, WithNetworkReason(answer.status()));
  const SolveTimes& times = answer->times;
  options_.metrics->RecordSolve(StrategyName(answer->strategy),
                                SteadyNow() - running.begun - times.batch_wait);
  v1::SolveResponse response = ToProto(instance, *answer);
  if (stopping && answer->ended_by == SolveEnd::kCancelled) {
    response.set_end_reason(v1::END_REASON_SHUTDOWN);
  }
  *response.mutable_times()->mutable_queue() =
      ToProto(prepared.queue.value_or(times.queue) + times.batch_wait);
  const HabitGuide* const habits = prepared.options.habits.get();
  if (answer->strategy != Strategy::kSearch || habits != nullptr) {
    response.set_model(prepared.model);
  }
  if (habits != nullptr) *response.mutable_habits() = ToProto(*habits, *answer->habits);
  const absl::Duration no_improvement = prepared.options.stop.no_improvement;
  if (!IsPolicyAlone(answer->strategy) && no_improvement < absl::InfiniteDuration()) {
    *response.mutable_no_improvement() = ToProto(no_improvement);
  }
  if (prepared.initial_report.has_value())
    *response.mutable_initial_solution() = *prepared.initial_report;
  if (prepared.similar_day.has_value()) *response.mutable_similar_day() = *prepared.similar_day;
  if (request.render_solution_file()) {
    response.set_solution_file(WriteVrplibSolution(instance, PlanOf(instance, answer->solution)));
  }
  if (prepared.roads.any()) {
    *response.mutable_times()->mutable_roads() = ToProto(prepared.road_time);
  }
  AddDrawings(request, {.instance = instance, .roads = prepared.roads}, answer->solution,
              prepared.sources, response);
  return response;
}

void SolverHandler::SolveBatchItem(
    const v1::BatchSolveRequest& request, const CallContext& context,
    absl::AnyInvocable<void(v1::BatchSolveResponse)> on_answer) const {
  auto respond = [id = request.id().substr(0, kMaxBatchIdBytes), on_answer = std::move(on_answer)](
                     absl::StatusOr<v1::SolveResponse> answer) mutable {
    v1::BatchSolveResponse response;
    response.set_id(std::move(id));
    if (answer.ok()) {
      *response.mutable_response() = *std::move(answer);
    } else {
      *response.mutable_error() = ToDetailedStatus(answer.status());
    }
    on_answer(std::move(response));
  };
  if (request.id().size() > kMaxBatchIdBytes) {
    return respond(InvalidField(
        "id", Concat("has ", request.id().size(), " bytes, wanted at most ", kMaxBatchIdBytes)));
  }
  SolveAs(DecodeClass::kBulk, request.solve(), context, std::move(respond));
}

}  // namespace vrp
