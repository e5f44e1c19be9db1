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

namespace vrp::client {
namespace {

struct CheckFlags {
  std::string instance;
  std::string solution;
  InstanceFlags input;
};

ExitCode RunCheck(CommandContext& context, const CheckFlags& flags) {
  if (flags.instance == "-" && flags.solution == "-") {
    return context.Fail(
        absl::InvalidArgumentError("only one of FILE and SOLUTION can be standard input"));
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
      context.client().CheckSolution(request);
  // The message says which of the two files is at fault.
  if (!response.ok()) return context.Fail(response.status());
  if (context.json()) {
    WriteJsonLine(context.out(), CheckJson(*response));
  } else {
    context.out() << CheckText(*response) << std::flush;
  }
  return response->feasible() ? kExitDone : kExitNoPlan;
}

}  // namespace

void AddCheck(CLI::App& app, ChosenCommand& chosen) {
  CLI::App* command = AddCommand(
      app, "check", "Judge a plan: cost and every violation; exit code 7 if not feasible",
      "vrpctl solve city.vrp --solution city.sol\n"
      "vrpctl check city.vrp city.sol\n"
      "vrpctl check pr107.tsp pr107.tour\n"
      "vrpctl check city.vrp city.sol --output json | jq .violations");
  const auto flags = std::make_shared<CheckFlags>();
  command->add_option("FILE", flags->instance, "The instance; - for standard input")
      ->type_name("")
      ->required();
  command
      ->add_option("SOLUTION", flags->solution,
                   "The plan: .sol, TSPLIB's tour (.tour), an answer of solve in JSON, VROOM's "
                   "output; - for standard input")
      ->type_name("")
      ->required();
  AddInstanceOptions(*command, flags->input, "auto, vrplib, tsplib, solomon, json or vroom");
  command->callback([flags, &chosen] {
    chosen = {"check", [flags](CommandContext& context) { return RunCheck(context, *flags); }};
  });
}

}  // namespace vrp::client
