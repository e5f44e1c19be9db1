// The tools `validate`, `check` and `convert`.
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/mcp/instance_argument.h"
#include "client/mcp/schema.h"
#include "client/mcp/tools.h"
#include "client/output/tables.h"
#include "client/support/enum_words.h"
#include "client/support/flags.h"
#include "vrp/v1/solver_service.grpc.pb.h"

namespace vrp::client::mcp {
namespace {

Json ListOfTexts() { return {{"type", "array"}, {"items", {{"type", "string"}}}}; }

std::string ValidationText(const v1::ValidateInstanceResponse& response) {
  std::string text = response.valid() ? absl::StrCat("valid: ", response.name(), ", ",
                                                     LowerCaseWord(response.problem_type()),
                                                     ", customers ", response.customer_count(),
                                                     ", depots ", response.depot_count())
                                      : absl::StrCat("invalid, errors: ", response.errors_size());
  for (const std::string& error : response.errors()) absl::StrAppend(&text, "\n  ", error);
  for (const std::string& feature : response.unsupported_features()) {
    absl::StrAppend(&text, "\n  not supported yet: ", feature);
  }
  return text;
}

absl::StatusOr<ToolResult> Validate(const ToolCall& call) {
  absl::StatusOr<v1::InstanceFile> file = InstanceOf(call);
  if (!file.ok()) return file.status();
  v1::ValidateInstanceRequest request;
  *request.mutable_file() = *std::move(file);
  const absl::StatusOr<v1::ValidateInstanceResponse> response =
      call.client.Call(&v1::SolverService::Stub::ValidateInstance, request, kInstanceTimeout);
  if (!response.ok()) return response.status();
  return ToolResult{ValidationText(*response), ValidateJson(*response)};
}

// Returns the daemon's view of the call's plan, or else of the steps in VROOM's input. `render` may
// be unspecified.
absl::StatusOr<v1::CheckSolutionResponse> CheckPlan(const ToolCall& call,
                                                    v1::SolutionFormat render) {
  absl::StatusOr<v1::InstanceFile> file = InstanceOf(call);
  if (!file.ok()) return file.status();
  v1::CheckSolutionRequest request;
  *request.mutable_file() = *std::move(file);
  if (HasPlan(call)) {
    absl::StatusOr<v1::SolutionFile> plan = PlanOf(call);
    if (!plan.ok()) return plan.status();
    *request.mutable_solution_file() = *std::move(plan);
  }
  if (render != v1::SOLUTION_FORMAT_UNSPECIFIED) request.add_render(render);
  return call.client.Call(&v1::SolverService::Stub::CheckSolution, request, kInstanceTimeout);
}

absl::StatusOr<ToolResult> Check(const ToolCall& call) {
  const absl::StatusOr<v1::CheckSolutionResponse> response =
      CheckPlan(call, v1::SOLUTION_FORMAT_UNSPECIFIED);
  if (!response.ok()) return response.status();
  Json object = CheckJson(*response);
  if (response->has_solution()) object.update(PlanJson(*response));
  return ToolResult{CheckText(*response), std::move(object)};
}

ToolResult FileResult(const std::string& content, const std::string& format) {
  return {content, {{"format", format}, {"content", content}}};
}

absl::StatusOr<ToolResult> ConvertPlan(const ToolCall& call, const std::string& to) {
  const v1::SolutionFormat format = to == "sol"       ? v1::SOLUTION_FORMAT_VRPLIB
                                    : to == "vroom"   ? v1::SOLUTION_FORMAT_VROOM
                                    : to == "geojson" ? v1::SOLUTION_FORMAT_GEOJSON
                                                      : v1::SOLUTION_FORMAT_UNSPECIFIED;
  if (format == v1::SOLUTION_FORMAT_UNSPECIFIED && to != "json") {
    return absl::InvalidArgumentError(
        absl::StrCat("to: got \"", to, "\", wanted sol, json, vroom or geojson for a plan"));
  }
  const absl::StatusOr<v1::CheckSolutionResponse> response = CheckPlan(call, format);
  if (!response.ok()) return response.status();
  if (to == "json") return FileResult(PlanJson(*response).dump(), to);
  if (response->rendered_size() != 1) {
    return absl::InternalError("the daemon returned no plan in the requested format");
  }
  return FileResult(response->rendered(0).content(), to);
}

absl::StatusOr<ToolResult> AnswerConvertInstance(const ToolCall& call, const std::string& to) {
  const absl::StatusOr<v1::InstanceFormat> format = ParseInstanceFormat(to);
  if (!format.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "to: got \"", to, "\", wanted vrplib, tsplib, solomon, json or vroom for a problem"));
  }
  absl::StatusOr<v1::InstanceFile> file = InstanceOf(call);
  if (!file.ok()) return file.status();
  v1::ConvertInstanceRequest request;
  *request.mutable_file() = *std::move(file);
  request.set_format(*format);
  request.set_renumber(call.Get<bool>("renumber", false));
  const absl::StatusOr<v1::ConvertInstanceResponse> response =
      call.client.Call(&v1::SolverService::Stub::ConvertInstance, request, kInstanceTimeout);
  if (!response.ok()) return response.status();
  return FileResult(response->file().content(), to);
}

absl::StatusOr<ToolResult> Convert(const ToolCall& call) {
  const std::string to = call.Text("to");
  return HasPlan(call) ? ConvertPlan(call, to) : AnswerConvertInstance(call, to);
}

Json InstanceProperties() {
  Json properties = Json::object();
  AddInstanceProperties(properties);
  return properties;
}

}  // namespace

Tool ValidateTool() {
  return {
      .name = "validate",
      .title = "Check a problem",
      .description =
          "Returns the errors of a problem, up to 1000 of a kind, each with the path of its field, "
          "without solving it. Use it when solve refuses an input, to correct all faults at once.",
      .input_schema = ArgumentsSchema(InstanceProperties()),
      .output_schema = {{"type", "object"},
                        {"properties",
                         {{"valid", {{"type", "boolean"}}},
                          {"errors", ListOfTexts()},
                          {"unsupported", ListOfTexts()}}},
                        {"required", {"valid", "errors", "unsupported"}}},
      .run = Validate};
}

Tool CheckTool() {
  Json properties = InstanceProperties();
  AddPlanProperties(properties, "The plan");
  return {.name = "check",
          .title = "Check a plan",
          .description =
              "Judges a given plan for a problem: whether it is feasible, its cost, every violated "
              "constraint, and each stop's arrival and load. Use it after changing a plan by hand, "
              "or to compare plans. Without a plan, judges the steps of vehicles in VROOM's input. "
              "An infeasible plan is a result, not an error.",
          .input_schema = ArgumentsSchema(std::move(properties)),
          .output_schema = {{"type", "object"},
                            {"properties",
                             {{"feasible", {{"type", "boolean"}}},
                              {"cost", {{"type", "number"}}},
                              {"violations", {{"type", "array"}}}}},
                            {"required", {"feasible", "cost", "violations"}}},
          .run = Check};
}

Tool ConvertTool() {
  Json properties = InstanceProperties();
  AddPlanProperties(properties, "To convert a plan of this problem: the plan");
  properties["to"] = EnumProperty(
      "Wanted format. Of a problem: vrplib, tsplib, solomon, json, vroom. Of a plan: sol, json, "
      "vroom, geojson (needs longitudes and latitudes).",
      {"vrplib", "tsplib", "solomon", "json", "vroom", "sol", "geojson"});
  properties["renumber"] =
      FlagProperty("Replaces ids that the format cannot hold by numbers, instead of refusing them");
  return {.name = "convert",
          .title = "Convert a problem or a plan",
          .description =
              "Returns a problem, or a plan of that problem, in another format. Fails, naming the "
              "field, if the format cannot hold it.",
          .input_schema = ArgumentsSchema(std::move(properties), {"to"}),
          .run = Convert};
}

}  // namespace vrp::client::mcp
