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
#include "core/problem/formats.h"
#include "core/problem/instance_writer.h"
#include "core/search/search.h"
#include "core/solve/solver.h"
#include "server/convert/initial_solution.h"
#include "server/convert/instance_convert.h"
#include "server/convert/names.h"
#include "server/convert/plan_forms.h"
#include "server/convert/solution_convert.h"
#include "server/convert/solve_convert.h"
#include "server/convert/status_convert.h"
#include "server/convert/time_convert.h"

namespace vrp {
namespace {

constexpr size_t kMaxBatchIdBytes = 256;
// The share of the budget that a given plan's repair may take.
constexpr double kRepairShare = 0.2;
// What a loaded machine may add to a budget before the watchdog speaks.
constexpr absl::Duration kSolveSlack = absl::Seconds(5);

// Of the oneof `input` that all requests have.
template <typename Request>
absl::StatusOr<Instance> ReadInput(const Request& request, const MatrixSource* matrices) {
  switch (request.input_case()) {
    case Request::kInstance:
      return InstanceFromProto(request.instance(), matrices);
    case Request::kFile:
      return InstanceFromProto(request.file(), matrices);
    case Request::INPUT_NOT_SET:
      break;
  }
  return InvalidField("instance", "absent, wanted an instance or a file");
}

template <typename Request>
absl::StatusOr<Instance> InputOf(const Request& request, const SolverHandler::Options& options) {
  VRP_ASSIGN_OR_RETURN(Instance instance, ReadInput(request, options.matrices));
  VRP_RETURN_IF_ERROR(CheckNodes(request.has_file() ? "file" : "instance.customers",
                                 instance.num_nodes(), options.max_nodes));
  return instance;
}

// An error of the core about the request's instance, by the field as the caller wrote it.
template <typename Request>
absl::Status ErrorOf(const Request& request, const Instance& instance, absl::Status status) {
  return request.has_instance() ? WithMessageFields(std::move(status), instance.num_nodes())
                                : WithField(std::move(status));
}

// Read from the file once more: an instance does not keep VROOM's names.
template <typename Request>
VroomNames NamesOf(const Request& request, const Instance& instance) {
  return request.has_file() ? VroomNamesOf(instance, request.file().content())
                            : VroomNames(instance);
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
  response.set_customers(instance.num_customers());
  response.set_depots(instance.num_depots());
}

}  // namespace

absl::StatusOr<v1::SolveResponse> SolverHandler::Solve(const v1::SolveRequest& request,
                                                       const CallContext& context,
                                                       const ImprovementFn& on_improvement) const {
  const absl::Time started = options_.clock->SteadyNow();
  if (context.cancel->cancelled()) return absl::CancelledError("cancelled while it was waiting");
  VRP_ASSIGN_OR_RETURN(
      Prepared prepared,
      Prepare(request,
              {.max_threads = options_.max_threads,
               .max_budget = options_.max_budget,
               .default_budget = std::min(SolveLimits().default_budget, options_.max_budget)},
              context));
  if (on_improvement != nullptr) {
    prepared.options.on_improvement = [&](const Plan& plan, Cost) {
      on_improvement(prepared.instance, plan);
    };
  }
  VRP_ASSIGN_OR_RETURN(v1::SolveResponse response, Run(request, prepared));
  *response.mutable_times()->mutable_queue() = ToProto(started - context.received);
  return response;
}

absl::StatusOr<SolverHandler::Prepared> SolverHandler::Prepare(const v1::SolveRequest& request,
                                                               const SolveLimits& limits,
                                                               const CallContext& context) const {
  VRP_ASSIGN_OR_RETURN(SolveOptions options, SolveOptionsFromProto(request, limits));
  VRP_ASSIGN_OR_RETURN(Instance instance, InputOf(request, options_));
  VRP_RETURN_IF_ERROR(CheckRender(instance, request.render()));
  std::string model;
  if (!request.model().empty()) {
    VRP_ASSIGN_OR_RETURN(const ModelReference name, ParseModelName("model", request.model()));
    ModelVersion version;
    if (NeedsPolicy(options.strategy)) {
      VRP_ASSIGN_OR_RETURN(LoadedModel loaded, options_.registry->Use(name));
      options.policy = std::move(loaded.policy);
      version = std::move(loaded.version);
    } else {
      VRP_ASSIGN_OR_RETURN(version, options_.registry->Resolve(name));
    }
    model = ModelVersionName(version.name, version.version);
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
  return Prepared{std::move(instance), std::move(options), std::move(model), std::move(report)};
}

absl::StatusOr<v1::SolveResponse> SolverHandler::Run(const v1::SolveRequest& request,
                                                     const Prepared& prepared) const {
  const Instance& instance = prepared.instance;
  const Watchdog::Watch watch(
      *options_.watchdog,
      {.phase = "solve", .of = {}, .limit = 2 * prepared.options.budget + kSolveSlack});
  const absl::Time begun = SteadyNow();
  const absl::StatusOr<SolveAnswer> answer = vrp::Solve(instance, prepared.options);
  if (!answer.ok()) return ErrorOf(request, instance, answer.status());
  options_.metrics->Solved(StrategyName(answer->strategy), SteadyNow() - begun);
  v1::SolveResponse response = ToProto(instance, *answer);
  if (answer->strategy != Strategy::kSearch) response.set_model(prepared.model);
  if (prepared.initial.has_value()) *response.mutable_initial_solution() = *prepared.initial;
  if (request.render_solution_file()) {
    response.set_solution_file(WriteSolution(instance, PlanOf(instance, answer->solution)));
  }
  AddRendered(request, instance, answer->solution, response);
  return response;
}

v1::BatchSolveResponse SolverHandler::SolveOfBatch(const v1::BatchSolveRequest& request,
                                                   const CallContext& context) const {
  v1::BatchSolveResponse response;
  absl::StatusOr<v1::SolveResponse> answer =
      request.id().size() > kMaxBatchIdBytes
          ? InvalidField("id", Concat("has ", request.id().size(), " bytes, wanted at most ",
                                      kMaxBatchIdBytes))
          : Solve(request.solve(), context);
  response.set_id(request.id().substr(0, kMaxBatchIdBytes));
  if (answer.ok()) {
    *response.mutable_answer() = *std::move(answer);
  } else {
    *response.mutable_error() = ToRpcStatus(answer.status());
  }
  return response;
}

absl::StatusOr<v1::CheckSolutionResponse> SolverHandler::Check(
    const v1::CheckSolutionRequest& request) const {
  VRP_ASSIGN_OR_RETURN(Instance instance, InputOf(request, options_));
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
    if (reference > 0) response.set_gap((report.cost - reference) / reference);
  }
  return response;
}

absl::StatusOr<v1::ValidateInstanceResponse> SolverHandler::Validate(
    const v1::ValidateInstanceRequest& request) const {
  v1::ValidateInstanceResponse response;
  if (request.input_case() == v1::ValidateInstanceRequest::kInstance) {
    const InstanceProblems problems = FindProblems(request.instance(), options_.matrices);
    for (const FieldViolation& violation : problems.invalid) response.add_errors(ToLine(violation));
    for (const FieldViolation& violation : problems.unsupported) {
      response.add_unsupported(ToLine(violation));
    }
    if (!problems.invalid.empty() || !problems.unsupported.empty()) return response;
  }
  const absl::StatusOr<Instance> instance = InputOf(request, options_);
  if (instance.ok()) {
    AddInstance(*instance, response);
  } else if (request.input_case() != v1::ValidateInstanceRequest::kFile) {
    return instance.status();
  } else {
    for (const std::string& line : LinesOf(instance.status())) {
      absl::IsUnimplemented(instance.status()) ? response.add_unsupported(line)
                                               : response.add_errors(line);
    }
  }
  return response;
}

absl::StatusOr<v1::ConvertInstanceResponse> SolverHandler::Convert(
    const v1::ConvertInstanceRequest& request) const {
  VRP_ASSIGN_OR_RETURN(const WrittenFormat format, WrittenFormatFromProto(request.format()));
  VRP_ASSIGN_OR_RETURN(const Instance instance, InputOf(request, options_));
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
