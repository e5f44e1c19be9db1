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

ExitCode RunCheck(CommandContext& context, const CheckFlags& flags) {
  if (flags.instance == "-" && flags.solution == "-") {
    return context.Fail(absl::InvalidArgumentError(
        "FILE and SOLUTION are both standard input; wanted a path for one of them"));
  }
  absl::StatusOr<v1::InstanceFile> instance =
      ReadInstanceFile(flags.instance, flags.input, context.environment().in);
  if (!instance.ok()) return context.Fail(instance.status(), flags.instance);
  absl::StatusOr<std::string> solution = ReadInput(flags.solution, context.environment().in);
  if (!solution.ok()) return context.Fail(solution.status(), flags.solution);

  v1::CheckSolutionRequest request;
  *request.mutable_file() = *std::move(instance);
  request.mutable_solution_file()->set_name(ToValidUtf8(BaseName(flags.solution)));
  request.mutable_solution_file()->set_content(*std::move(solution));
  const absl::StatusOr<v1::CheckSolutionResponse> response =
      context.client().Call(&v1::SolverService::Stub::CheckSolution, request, kInstanceTimeout);
  // The message says which of the two files is wrong.
  if (!response.ok()) return context.Fail(response.status());
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
                 "vrpctl check city.vrp city.sol --output json | jq .violations");
  const auto flags = std::make_shared<CheckFlags>();
  AddArgument(*command, "FILE", flags->instance, "Read this instance; - for standard input");
  AddArgument(*command, "SOLUTION", flags->solution,
              "Check this .sol, .tour, JSON answer or VROOM's output; - for standard input");
  AddInstanceOptions(*command, flags->input, "auto, vrplib, tsplib, solomon, json or vroom");
  SetCallback(*command, chosen, flags, RunCheck);
}

}  // namespace vrp::client
