#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/output/json.h"
#include "client/output/tables.h"
#include "client/support/files.h"
#include "client/support/instance_flags.h"
#include "client/support/text.h"
#include "vrp/v1/solver_service.grpc.pb.h"

namespace vrp::client {
namespace {

struct CheckFlags {
  std::string instance;
  std::string solution;
  InstanceFlags input;
};

// Prints VROOM's answer in plan mode. As VROOM does, reports violations only in the answer.
ExitCode PrintVroomPlan(CommandContext& context, const v1::CheckSolutionResponse& response) {
  if (response.rendered_size() != 1) {
    return context.Fail(absl::InternalError("the daemon returned no plan in VROOM's format"));
  }
  context.out() << response.rendered(0).content() << std::endl;
  return kExitDone;
}

ExitCode RunCheck(CommandContext& context, const CheckFlags& flags) {
  if (context.vroom() && !flags.solution.empty()) {
    return context.Fail(absl::InvalidArgumentError(
        "--output vroom: given with SOLUTION, wanted FILE alone, whose steps are the plan; "
        "`vrpctl convert --instance FILE SOLUTION - --to vroom` writes another plan"));
  }
  if (flags.instance == "-" && flags.solution == "-") {
    return context.Fail(absl::InvalidArgumentError(
        "FILE and SOLUTION are both standard input; wanted a path for one of them"));
  }
  absl::StatusOr<v1::InstanceFile> instance =
      ReadInstanceFile(flags.instance, flags.input, context.environment().in);
  if (!instance.ok()) return context.Fail(instance.status(), flags.instance);
  v1::CheckSolutionRequest request;
  *request.mutable_file() = *std::move(instance);
  if (!flags.solution.empty()) {
    absl::StatusOr<std::string> solution = ReadInput(flags.solution, context.environment().in);
    if (!solution.ok()) return context.Fail(solution.status(), flags.solution);
    request.mutable_solution_file()->set_name(ToValidUtf8(BaseName(flags.solution)));
    request.mutable_solution_file()->set_content(*std::move(solution));
  }
  if (context.vroom()) request.add_render(v1::SOLUTION_FORMAT_VROOM);
  const absl::StatusOr<v1::CheckSolutionResponse> response =
      context.client().Call(&v1::SolverService::Stub::CheckSolution, request, kInstanceTimeout);
  // The message says which of the two files is wrong.
  if (!response.ok()) return context.Fail(response.status());
  if (context.vroom()) return PrintVroomPlan(context, *response);
  context.Print(CheckJson(*response), CheckText(*response));
  return response->feasible() ? kExitDone : kExitNoPlan;
}

}  // namespace

void AddCheck(CLI::App& app, ChosenCommand& chosen) {
  CLI::App* command =
      AddCommand(app, "check", "Check a plan: cost and every violation; exit code 7 if infeasible",
                 "vrpctl solve city.vrp --solution city.sol\n"
                 "vrpctl check city.vrp city.sol\n"
                 "vrpctl check pr107.tsp pr107.tour\n"
                 "vrpctl check city.vrp city.sol --output json | jq .violations\n"
                 "vrpctl check planned.json --output vroom  # as vroom -c: times of the steps");
  const auto flags = std::make_shared<CheckFlags>();
  AddArgument(*command, "FILE", flags->instance, "Read this instance; - for standard input");
  command
      ->add_option("SOLUTION", flags->solution,
                   "Check this .sol, .tour, JSON answer or VROOM's output; default: FILE's steps")
      ->type_name("");
  AddInstanceOptions(*command, flags->input, "auto, vrplib, tsplib, solomon, json or vroom");
  SetCallback(*command, chosen, flags, RunCheck);
}

}  // namespace vrp::client
