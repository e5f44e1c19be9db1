#include "server/service/solver_handler.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_split.h"
#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "core/problem/formats/instance_writer.h"
#include "core/problem/formats/vrplib/vrplib_solution.h"
#include "core/problem/instance/oversize.h"
#include "core/problem/plan/gap_reference.h"
#include "core/search/search.h"
#include "core/solve/network_time.h"
#include "core/solve/solver.h"
#include "server/convert/initial_solution.h"
#include "server/convert/instance_convert.h"
#include "server/convert/names.h"
#include "server/convert/plan_forms.h"
#include "server/convert/solution_convert.h"
#include "server/convert/solve_convert.h"
#include "server/convert/status_convert.h"
#include "server/convert/time_convert.h"
#include "server/service/guarded.h"
#include "server/service/request_input.h"

namespace vrp {
namespace {

constexpr size_t kMaxBatchIdBytes = 256;
// The share of the budget that a given plan's repair may take.
constexpr double kRepairShare = 0.2;
constexpr absl::Duration kLeastRetry = absl::Milliseconds(100);
// A request and its answer on their ways between the caller and the search: read, handed from
// thread to thread, made into a message, given to the kernel (tests/bench/serving_bench overhead).
constexpr absl::Duration kSending = absl::Microseconds(800);
constexpr absl::Duration kSendingPerNode = absl::Nanoseconds(500);
// Of a search that has no time left.
constexpr absl::Duration kLeast = absl::Milliseconds(1);
constexpr absl::Duration kLeastPerNode = absl::Microseconds(30);
// What a loaded machine may add to a budget before the watchdog speaks.
constexpr absl::Duration kSolveSlack = absl::Seconds(5);

// As searches do, but for one customer, where there is nothing to search for.
bool UsesBudget(const v1::SolveRequest& request) {
  const v1::Strategy strategy = request.strategy();
  const bool decodes = strategy == v1::STRATEGY_GREEDY || strategy == v1::STRATEGY_SAMPLE ||
                       strategy == v1::STRATEGY_BEAM || strategy == v1::STRATEGY_MULTI_START ||
                       strategy == v1::STRATEGY_IMPROVED;
  return !decodes && (request.has_file() || request.instance().customers_size() > 1);
}

// A network's queue that is full says when to come again; memory that ran out does not. A budget
// that is too short for the network is told from a daemon that is too slow.
absl::Status OfNetwork(absl::Status status) {
  if (IsBudgetTooShort(status)) return WithReason(std::move(status), "BUDGET_TOO_SHORT");
  if (const std::optional<absl::Duration> delay = RetryDelayOf(status); delay.has_value()) {
    return WithReason(WithRetry(std::move(status), std::max(*delay, kLeastRetry)), "QUEUE_FULL");
  }
  return status;
}

template <typename Request, typename Response>
void AddRendered(const Request& request, const Instance& instance, const Solution& solution,
                 Response& response) {
  if (request.render().empty()) return;
  const VroomNames names = NamesOf(request, instance);
  for (v1::SolutionFile& file : Render(instance, solution, names, request.render())) {
    *response.add_rendered() = std::move(file);
  }
}

absl::StatusOr<SolutionFile> PlanOfRequest(const v1::CheckSolutionRequest& request,
                                           const Instance& instance) {
  if (request.plan_case() == v1::CheckSolutionRequest::kSolution) {
    const v1::Solution& solution = request.solution();
    if (!std::isfinite(solution.cost())) {
      return InvalidField("solution.cost",
                          Concat("got ", solution.cost(), ", wanted a finite number"));
    }
    SolutionFile plan{.plan = PlanFromProto(instance, solution), .cost = std::nullopt};
    if (solution.cost() != 0) plan.cost = solution.cost();
    return plan;
  }
  if (request.plan_case() == v1::CheckSolutionRequest::kSolutionFile) {
    return SolutionFromProto(request.solution_file(), instance, NamesOf(request, instance));
  }
  return InvalidField("solution", "absent, wanted a solution or a solution_file");
}

std::vector<std::string> LinesOf(const absl::Status& status) {
  return absl::StrSplit(status.message(), '\n', absl::SkipEmpty());
}

void AddInstance(const Instance& instance, v1::ValidateInstanceResponse& response) {
  response.set_valid(true);
  response.set_name(instance.name());
  response.set_problem_type(ToProto(instance.kind()));
  response.set_customer_count(instance.num_customers());
  response.set_depot_count(instance.num_depots());
}

}  // namespace

// A call of the solver, and who watches it.
struct SolverHandler::Running {
  Running(const v1::SolveRequest& asked, Prepared ready, const SolverHandler& handler)
      : request(asked),
        threads(handler.TakeThreads(ready)),
        prepared(std::move(ready)),
        watch(*handler.options_.watchdog,
              {.phase = "solve", .of = {}, .limit = 2 * prepared.options.budget + kSolveSlack}) {}

  const v1::SolveRequest& request;
  const BusyThreads::Lease threads;
  const Prepared prepared;
  const Watchdog::Watch watch;
  const absl::Time begun = SteadyNow();
};

absl::StatusOr<v1::SolveResponse> SolverHandler::Solve(const v1::SolveRequest& request,
                                                       const CallContext& context,
                                                       const ImprovementFn& on_improvement) const {
  VRP_ASSIGN_OR_RETURN(Prepared prepared, PrepareNow(request, context, DecodeClass::kInteractive));
  prepared.options.on_improvement = [&, instance = prepared.instance](const Plan& plan, Cost) {
    on_improvement(instance, plan);
  };
  return Run(request, std::move(prepared));
}

void SolverHandler::SolveLater(const v1::SolveRequest& request, const CallContext& context,
                               Answered answered) const {
  SolveAs(DecodeClass::kInteractive, request, context, std::move(answered));
}

void SolverHandler::SolveAs(DecodeClass importance, const v1::SolveRequest& request,
                            const CallContext& context, Answered answered) const {
  const auto prepare = [&] { return PrepareNow(request, context, importance); };
  absl::StatusOr<Prepared> prepared = CallGuarded(prepare);
  if (!prepared.ok()) return answered(prepared.status());
  if (!IsPolicyAlone(prepared->options.strategy)) {
    const auto run = [&] { return Run(request, *std::move(prepared)); };
    return answered(CallGuarded(run));
  }
  const auto running = std::make_shared<const Running>(request, *std::move(prepared), *this);
  vrp::SolveLater(
      running->prepared.instance, running->prepared.options,
      [this, running, answered = std::move(answered)](absl::StatusOr<SolveAnswer> answer) mutable {
        const auto respond = [&] { return Respond(*running, answer); };
        answered(CallGuarded(respond));
      });
}

SolveLimits SolverHandler::limits() const {
  return {.max_threads = options_.max_threads,
          .max_budget = options_.max_budget,
          .default_budget = std::min(kDefaultBudget, options_.max_budget)};
}

absl::Duration SolverHandler::WorkOf(const v1::SolveRequest& request) const {
  return UsesBudget(request) ? LeastTimeOf(request, request.instance().customers_size(), limits())
                             : options_.batcher->ExpectedTime(NodesOf(request));
}

BusyThreads::Lease SolverHandler::TakeThreads(Prepared& prepared) const {
  SolveOptions& options = prepared.options;
  // A network that decodes on one thread does so in batches, and soon.
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
    return {.work = kLeast + kLeastPerNode * NodesOf(request),
            .end = std::min(
                stop, context.received +
                          LeastTimeOf(request, request.instance().customers_size(), limits())),
            .latest_start = stop,
            .cancel = context.cancel};
  }
  return {.work = options_.batcher->ExpectedTime(NodesOf(request)),
          .later_wait = options_.batcher->ExpectedWait(),
          .latest_start = stop,
          .cancel = context.cancel};
}

absl::StatusOr<SolverHandler::Prepared> SolverHandler::PrepareNow(const v1::SolveRequest& request,
                                                                  const CallContext& context,
                                                                  DecodeClass importance) const {
  const absl::Duration queue = options_.clock->SteadyNow() - context.received;
  if (context.cancel->cancelled_by_wider_alone()) return StoppingError();
  if (context.cancel->cancelled()) return absl::CancelledError("cancelled while it was waiting");
  CallContext own = context;
  // The automatic limit counts from here, not from the request's arrival.
  if (HasAutomaticBudget(request)) own.received = SteadyNow();
  VRP_ASSIGN_OR_RETURN(Prepared prepared, Prepare(request, limits(), own));
  prepared.queue = queue;
  prepared.options.batcher = options_.batcher;
  prepared.options.reserve = kSending + kSendingPerNode * prepared.instance.num_nodes();
  prepared.options.importance = importance;
  return prepared;
}

absl::StatusOr<SolverHandler::Prepared> SolverHandler::Prepare(const v1::SolveRequest& request,
                                                               const SolveLimits& limits,
                                                               const CallContext& context) const {
  VRP_ASSIGN_OR_RETURN(SolveOptions options, SolveOptionsFromProto(request, limits));
  VRP_ASSIGN_OR_RETURN(Instance instance, InputOf(request, options_.matrices, options_.max_nodes));
  VRP_RETURN_IF_ERROR(CheckRender(instance, request.render()));
  VRP_RETURN_IF_ERROR(SetStop(request, instance, options));
  std::string model;
  if (!request.model().empty()) {
    VRP_ASSIGN_OR_RETURN(const ModelReference name, ParseModelName("model", request.model()));
    if (NeedsPolicy(options.strategy)) {
      VRP_ASSIGN_OR_RETURN(LoadedModel loaded, options_.registry->Use(name));
      options.policy = std::move(loaded.policy);
      model = ModelVersionName(loaded.version->name, loaded.version->version);
    } else {
      VRP_ASSIGN_OR_RETURN(const ModelVersion version, options_.registry->Resolve(name));
      model = ModelVersionName(version.name, version.version);
    }
    options.policy_named = true;
  }
  options.received = context.received;
  options.deadline = context.deadline;
  options.cancel = context.cancel;
  const StopCondition repair_until(
      std::min(context.received + options.budget * kRepairShare, context.deadline), context.cancel);
  VRP_ASSIGN_OR_RETURN(std::optional<InitialSolution> initial,
                       InitialSolutionFromProto(request, instance, repair_until));
  std::optional<v1::InitialSolutionReport> report;
  if (initial.has_value()) {
    instance = initial->instance;
    options.initial = {std::move(initial->plan)};
    report = std::move(initial->report);
  }
  const absl::Status sound = CheckSolveOptions(options);
  if (!sound.ok()) return WithField(sound);
  return Prepared{.instance = std::move(instance),
                  .options = std::move(options),
                  .model = std::move(model),
                  .initial = std::move(report),
                  .queue = {},
                  .idle_threads = request.idle_threads()};
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
  const bool stopping = prepared.options.cancel->cancelled_by_wider_alone();
  if (stopping && absl::IsCancelled(answer.status())) return StoppingError();
  if (!answer.ok()) return ErrorOf(request, instance, OfNetwork(answer.status()));
  const SolveTimes& times = answer->times;
  options_.metrics->Solved(StrategyName(answer->strategy),
                           SteadyNow() - running.begun - times.joining);
  v1::SolveResponse response = ToProto(instance, *answer);
  if (stopping && answer->ended_by == SolveEnd::kCancelled) {
    response.set_end_reason(v1::END_REASON_SHUTDOWN);
  }
  *response.mutable_times()->mutable_queue() =
      ToProto(prepared.queue.value_or(times.queue) + times.joining);
  if (answer->strategy != Strategy::kSearch) response.set_model(prepared.model);
  const absl::Duration no_improvement = prepared.options.stop.no_improvement;
  if (!IsPolicyAlone(answer->strategy) && no_improvement < absl::InfiniteDuration()) {
    *response.mutable_no_improvement() = ToProto(no_improvement);
  }
  if (prepared.initial.has_value()) *response.mutable_initial_solution() = *prepared.initial;
  if (request.render_solution_file()) {
    response.set_solution_file(WriteVrplibSolution(instance, PlanOf(instance, answer->solution)));
  }
  AddRendered(request, instance, answer->solution, response);
  return response;
}

void SolverHandler::SolveOfBatch(const v1::BatchSolveRequest& request, const CallContext& context,
                                 absl::AnyInvocable<void(v1::BatchSolveResponse)> answered) const {
  auto respond = [id = request.id().substr(0, kMaxBatchIdBytes), answered = std::move(answered)](
                     absl::StatusOr<v1::SolveResponse> answer) mutable {
    v1::BatchSolveResponse response;
    response.set_id(std::move(id));
    if (answer.ok()) {
      *response.mutable_response() = *std::move(answer);
    } else {
      *response.mutable_error() = ToDetailedStatus(answer.status());
    }
    answered(std::move(response));
  };
  if (request.id().size() > kMaxBatchIdBytes) {
    return respond(InvalidField(
        "id", Concat("has ", request.id().size(), " bytes, wanted at most ", kMaxBatchIdBytes)));
  }
  SolveAs(DecodeClass::kBulk, request.solve(), context, std::move(respond));
}

absl::StatusOr<v1::CheckSolutionResponse> SolverHandler::Check(
    const v1::CheckSolutionRequest& request) const {
  VRP_ASSIGN_OR_RETURN(Instance instance, InputOf(request, options_.matrices, options_.max_nodes));
  VRP_RETURN_IF_ERROR(CheckRender(instance, request.render()));
  if (request.has_initial_solution()) {
    VRP_ASSIGN_OR_RETURN(instance, FrozenFromProto(request.initial_solution(), instance));
  }
  VRP_ASSIGN_OR_RETURN(const SolutionFile file, PlanOfRequest(request, instance));
  const CheckReport report = CheckPlan(instance, file.plan, file.cost);
  v1::CheckSolutionResponse response;
  response.set_name(instance.name());
  response.set_feasible(report.feasible);
  response.set_cost(report.cost);
  for (const Violation& violation : report.violations) {
    *response.add_violations() = ToProto(violation);
  }
  const absl::StatusOr<Solution> solution = MakeSolution(instance, file.plan);
  if (!solution.ok() && !request.render().empty()) {
    return InvalidField(
        "render", Concat("the plan cannot be written: ", FromAbsl(solution.status().message())));
  }
  if (solution.ok()) {
    *response.mutable_solution() = ToProto(instance, *solution);
    AddRendered(request, instance, *solution, response);
  }
  if (instance.reference_cost().has_value()) {
    const Cost reference = *instance.reference_cost();
    response.set_reference_cost(reference);
    if (reference > 0) response.set_gap(Gap(report.cost, reference));
  }
  return response;
}

absl::StatusOr<v1::ValidateInstanceResponse> SolverHandler::Validate(
    const v1::ValidateInstanceRequest& request) const {
  v1::ValidateInstanceResponse response;
  if (request.input_case() == v1::ValidateInstanceRequest::kInstance) {
    const InstanceProblems problems = FindProblems(request.instance(), options_.matrices);
    for (const auto* wrong : {&problems.invalid, &problems.oversize}) {
      for (const FieldViolation& violation : *wrong) response.add_errors(ToLine(violation));
    }
    for (const FieldViolation& violation : problems.unsupported) {
      response.add_unsupported_features(ToLine(violation));
    }
    if (!response.errors().empty() || !response.unsupported_features().empty()) return response;
  }
  const absl::StatusOr<Instance> instance = InputOf(request, options_.matrices, options_.max_nodes);
  if (instance.ok()) {
    for (const std::string& line : OversizeLoads(instance->data())) {
      response.add_errors(Concat(request.file().name(), ": ", line));
    }
    if (response.errors().empty()) AddInstance(*instance, response);
  } else if (request.input_case() != v1::ValidateInstanceRequest::kFile) {
    return instance.status();
  } else {
    for (const std::string& line : LinesOf(instance.status())) {
      absl::IsUnimplemented(instance.status()) ? response.add_unsupported_features(line)
                                               : response.add_errors(line);
    }
  }
  return response;
}

absl::StatusOr<v1::ConvertInstanceResponse> SolverHandler::Convert(
    const v1::ConvertInstanceRequest& request) const {
  VRP_ASSIGN_OR_RETURN(const WrittenFormat format, WrittenFormatFromProto(request.format()));
  VRP_ASSIGN_OR_RETURN(const Instance instance,
                       InputOf(request, options_.matrices, options_.max_nodes));
  absl::StatusOr<std::string> text =
      WriteInstance(instance, {.format = format, .renumber = request.renumber()});
  if (!text.ok()) return ErrorOf(request, instance, text.status());
  v1::ConvertInstanceResponse response;
  response.mutable_file()->set_name(instance.name());
  response.mutable_file()->set_format(request.format());
  response.mutable_file()->set_content(*std::move(text));
  return response;
}

}  // namespace vrp
