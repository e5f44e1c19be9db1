#include "server/service/instance_handler.h"

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/checker/checker.h"
#include "core/problem/formats/instance_writer.h"
#include "core/problem/formats/vroom/vroom_plan.h"
#include "core/problem/instance/oversize.h"
#include "core/problem/plan/gap_reference.h"
#include "server/convert/initial_solution.h"
#include "server/convert/instance_convert.h"
#include "server/convert/plan_formats.h"
#include "server/convert/solution_convert.h"
#include "server/roads/road_names.h"
#include "server/service/request_input.h"

namespace vrp {
namespace {

absl::StatusOr<SolutionFile> PlanOfRequest(const v1::CheckSolutionRequest& request,
                                           const Instance& instance, const RoadUse& roads) {
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
    return SolutionFromProto(request.solution_file(), instance, NamesOf(request, instance, roads));
  }
  return InvalidField("solution", "absent, wanted a solution or a solution_file");
}

// A plan with its cost and violations.
struct JudgedPlan {
  Cost cost = 0;
  std::vector<Violation> violations = {};
  absl::StatusOr<Solution> solution;         // an error if numbers are out of range
  std::optional<VroomPlan> vroom_plan = {};  // if the plan is the steps of a VROOM file
};

// Judges the steps of a VROOM file as VROOM's plan mode does.
absl::StatusOr<JudgedPlan> JudgeSteps(const v1::CheckSolutionRequest& request,
                                      const Instance& instance, const RoadUse& roads) {
  const VroomNames names = NamesOf(request, instance, roads);
  if (names.file() == nullptr) {
    return InvalidField("solution",
                        "absent, wanted a solution, a solution_file, or a file of VROOM's whose "
                        "vehicles have steps");
  }
  absl::StatusOr<VroomPlan> plan = EvaluateVroomPlan(instance, names);
  if (!plan.ok()) {
    const std::string& name = request.file().name();
    return InvalidField("file.content", Concat(name.empty() ? "file" : name, ": ",
                                               FromAbsl(plan.status().message())));
  }
  return JudgedPlan{.cost = plan->solution.cost,
                    .violations = plan->violations,
                    .solution = plan->solution,
                    .vroom_plan = *std::move(plan)};
}

absl::StatusOr<JudgedPlan> Judge(const v1::CheckSolutionRequest& request, const Instance& instance,
                                 const RoadUse& roads) {
  if (request.plan_case() == v1::CheckSolutionRequest::PLAN_NOT_SET && request.has_file()) {
    return JudgeSteps(request, instance, roads);
  }
  VRP_ASSIGN_OR_RETURN(const SolutionFile file, PlanOfRequest(request, instance, roads));
  CheckReport report = CheckPlan(instance, file.plan, file.cost);
  return JudgedPlan{.cost = report.cost,
                    .violations = std::move(report.violations),
                    .solution = MakeSolution(instance, file.plan)};
}

std::vector<std::string> LinesOfError(const absl::Status& status) {
  return absl::StrSplit(status.message(), '\n', absl::SkipEmpty());
}

// Whether an error of InputOf is one of the instance that FindProblems has not found: of a file, or
// of a road network.
bool IsAboutInstance(const v1::ValidateInstanceRequest& request, const absl::Status& status) {
  if (!absl::IsInvalidArgument(status) && !absl::IsUnimplemented(status)) return false;
  return request.has_file() || (request.has_instance() && MayNameRoads(request.instance()));
}

void AddInstance(const Instance& instance, v1::ValidateInstanceResponse& response) {
  response.set_valid(true);
  response.set_name(instance.name());
  response.set_problem_type(ToProto(instance.kind()));
  response.set_customer_count(instance.num_customers());
  response.set_depot_count(instance.num_depots());
}

}  // namespace

absl::StatusOr<v1::CheckSolutionResponse> InstanceHandler::Check(
    const v1::CheckSolutionRequest& request, const CallContext& context) const {
  const RoadSources sources = SourcesOf(context);
  VRP_ASSIGN_OR_RETURN(RoadInput input, InputOf(request, sources, max_nodes_));
  Instance& instance = input.instance;
  VRP_RETURN_IF_ERROR(CheckRender(instance, request.render()));
  VRP_RETURN_IF_ERROR(CheckGeometry(request, input.roads));
  if (request.has_initial_solution()) {
    VRP_ASSIGN_OR_RETURN(instance, FrozenFromProto(request.initial_solution(), instance));
  }
  VRP_ASSIGN_OR_RETURN(const JudgedPlan judged, Judge(request, instance, input.roads));
  v1::CheckSolutionResponse response;
  response.set_name(instance.name());
  response.set_feasible(judged.violations.empty());
  response.set_cost(judged.cost);
  for (const Violation& violation : judged.violations) {
    *response.add_violations() = ToProto(violation);
  }
  const absl::StatusOr<Solution>& solution = judged.solution;
  if (!solution.ok() && !request.render().empty()) {
    return InvalidField(
        "render", Concat("the plan cannot be written: ", FromAbsl(solution.status().message())));
  }
  if (solution.ok()) {
    *response.mutable_solution() = ToProto(instance, *solution);
    AddDrawings(request, input, *solution, sources, response,
                judged.vroom_plan.has_value() ? &*judged.vroom_plan : nullptr);
  }
  if (instance.reference_cost().has_value()) {
    const Cost reference = *instance.reference_cost();
    response.set_reference_cost(reference);
    if (reference > 0) response.set_gap(Gap(judged.cost, reference));
  }
  return response;
}

absl::StatusOr<v1::ValidateInstanceResponse> InstanceHandler::Validate(
    const v1::ValidateInstanceRequest& request, const CallContext& context) const {
  v1::ValidateInstanceResponse response;
  if (request.input_case() == v1::ValidateInstanceRequest::kInstance) {
    const InstanceProblems problems = FindProblems(WithoutRoadNames(request.instance()), matrices_);
    for (const auto* violations : {&problems.invalid, &problems.oversize}) {
      for (const FieldViolation& violation : *violations) response.add_errors(ToLine(violation));
    }
    for (const FieldViolation& violation : problems.unsupported) {
      response.add_unsupported_features(ToLine(violation));
    }
    if (!response.errors().empty() || !response.unsupported_features().empty()) return response;
  }
  const absl::StatusOr<RoadInput> input = InputOf(request, SourcesOf(context), max_nodes_);
  if (input.ok()) {
    for (const std::string& line : OversizeLoads(input->instance.data())) {
      const std::string& name = request.file().name();
      response.add_errors(Concat(name.empty() ? "file" : name, ": ", line));
    }
    if (response.errors().empty()) AddInstance(input->instance, response);
  } else if (!IsAboutInstance(request, input.status())) {
    return input.status();
  } else {
    for (const std::string& line : LinesOfError(input.status())) {
      absl::IsUnimplemented(input.status()) ? response.add_unsupported_features(line)
                                            : response.add_errors(line);
    }
  }
  return response;
}

absl::StatusOr<v1::ConvertInstanceResponse> InstanceHandler::Convert(
    const v1::ConvertInstanceRequest& request, const CallContext& context) const {
  VRP_ASSIGN_OR_RETURN(const WrittenFormat format, WrittenFormatFromProto(request.format()));
  VRP_ASSIGN_OR_RETURN(const RoadInput input, InputOf(request, SourcesOf(context), max_nodes_));
  const Instance& instance = input.instance;
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
