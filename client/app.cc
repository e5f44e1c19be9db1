#include "client/app.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/connection/connection.h"
#include "client/output/error_text.h"
#include "client/support/exit_codes.h"
#include "client/support/help_formatter.h"

namespace vrp::client {
namespace {

constexpr char kAppExamples[] =
    "vrpctl train --preset tiny_1\n"
    "vrpctl solve city.vrp --model tiny-1 --strategy seeded --plot city.svg\n"
    "vrpctl --remote host:50051 jobs list --output json";

constexpr char kDescription[] =
    "Train routing networks and solve vehicle routing problems on a vrpd daemon.\n"
    "Exit codes: 0 done, 1 failed, 2 wrong usage or input, 3 unreachable, 4 refused, 5 not found, "
    "6 busy,\n"
    "7 no feasible plan, or unserved customers without a prize, 130 interrupted.";

struct GlobalFlags {
  ConnectionFlags connection;
  std::string output = "table";
};

void AddGlobalFlags(CLI::App& app, GlobalFlags& flags) {
  app.set_version_flag("--version", absl::StrCat("vrpctl ", VRP_VERSION), "Print the version");
  AddConnectionFlags(app, flags.connection);
  app.add_option("--output", flags.output,
                 "Print a table, json (an object per line), vroom (solve, check), geojson (solve)")
      ->type_name("WORD")
      ->check(CLI::IsMember({"table", "json", "vroom", "geojson"}))
      ->capture_default_str();
}

void AddCommands(CLI::App& app, ChosenCommand& chosen) {
  AddTrain(app, chosen);
  AddJobs(app, chosen);
  AddSweeps(app, chosen);
  AddSolve(app, chosen);
  AddSolveJobs(app, chosen);
  AddCheck(app, chosen);
  AddValidate(app, chosen);
  AddConvert(app, chosen);
  AddDispatch(app, chosen);
  AddEstimate(app, chosen);
  AddModels(app, chosen);
  AddDatasets(app, chosen);
  AddMatrices(app, chosen);
  AddBench(app, chosen);
  AddGenerate(app, chosen);
  AddTop(app, chosen);
  AddServer(app, chosen);
  AddMcp(app, chosen);
  AddCompletion(app, chosen);
  app.require_subcommand(1);
}

// Returns the names of the parsed commands, each after a space, for "see: vrpctl ... --help".
std::string ParsedPath(const CLI::App& app) {
  for (const CLI::App* child : app.get_subcommands())
    return absl::StrCat(" ", child->get_name(), ParsedPath(*child));
  return "";
}

// Returns the deepest parsed command.
const CLI::App& ParsedCommand(const CLI::App& app) {
  const std::vector<CLI::App*> children = app.get_subcommands();
  return children.empty() ? app : ParsedCommand(*children.front());
}

// Returns the error for an argument that no command or option takes.
std::string UnexpectedArgument(const CLI::App& app, const std::string& word) {
  const bool has_commands = !ParsedCommand(app).get_subcommands(/*filter=*/{}).empty();
  const bool command = has_commands && !absl::StartsWith(word, "-");
  return absl::StrCat(command ? "unknown command " : "The following argument was not expected: ",
                      word);
}

int ReportParseError(CLI::App& app, const CLI::ParseError& error, Environment& environment) {
  if (error.get_exit_code() == 0) {  // --help, --version
    app.exit(error, environment.out, environment.err);
    environment.out.flush();
    return kExitDone;
  }
  // Looks for unexpected arguments first, since they are more often the mistake than missing
  // options, which CLI11 reports first.
  const std::vector<std::string> rest = app.remaining(/*recurse=*/true);
  const bool report_unexpected =
      !rest.empty() && error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError);
  environment.err << "vrpctl: "
                  << (report_unexpected ? UnexpectedArgument(app, rest.front()) : error.what())
                  << "\n  see: vrpctl" << ParsedPath(app) << " --help" << std::endl;
  return kExitUsage;
}

}  // namespace

int RunVrpctl(const std::vector<std::string>& arguments, Environment& environment) {
  CLI::App app(kDescription, "vrpctl");
  app.footer(kAppExamples);
  app.formatter(std::make_shared<HelpFormatter>());
  GlobalFlags flags;
  ChosenCommand chosen;
  AddGlobalFlags(app, flags);
  AddCommands(app, chosen);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& error) {
    return ReportParseError(app, error, environment);
  }
  const char* token = std::getenv("VRP_TOKEN");
  absl::StatusOr<std::vector<Connection>> connections =
      MakeConnections(flags.connection, token == nullptr ? "" : token);
  if (!connections.ok()) {
    environment.err << ErrorText({chosen.name, "", flags.connection.remotes.front()},
                                 connections.status())
                    << std::flush;
    return kExitUsage;
  }
  if (connections->size() > 1 && chosen.name != "solve") {
    environment.err << "vrpctl: " << chosen.name << ": --remote: got " << connections->size()
                    << " addresses, wanted one; only solve --answers uses several" << std::endl;
    return kExitUsage;
  }
  const OutputForm form = flags.output == "json"      ? OutputForm::kJson
                          : flags.output == "vroom"   ? OutputForm::kVroom
                          : flags.output == "geojson" ? OutputForm::kGeoJson
                                                      : OutputForm::kTable;
  CommandContext context(environment, *std::move(connections), form, chosen.name);
  const bool evaluates_steps = context.vroom() && chosen.name == "check";
  if (context.rendered() != v1::SOLUTION_FORMAT_UNSPECIFIED && chosen.name != "solve" &&
      !evaluates_steps) {
    environment.err << "vrpctl: " << chosen.name << ": --output " << flags.output << ": only for "
                    << (context.vroom() ? "solve and check" : "solve") << ", wanted table or json"
                    << std::endl;
    return kExitUsage;
  }
  const ExitCode code = chosen.run(context);
  environment.out.flush();
  if (code == kExitDone && !environment.out) {
    environment.err << "vrpctl: " << chosen.name << ": cannot write to standard output"
                    << std::endl;
    return kExitFailed;
  }
  return code;
}

}  // namespace vrp::client
