// Implements the commands `dispatch simulations list`, `get`, `watch`, `stop` and `delete`.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/commands/follow_simulation.h"
#include "client/commands/lists.h"
#include "client/commands/named_resource.h"
#include "client/output/json.h"
#include "client/output/tables.h"
#include "client/support/flags.h"
#include "client/support/validators.h"
#include "vrp/v1/simulation_service.grpc.pb.h"

namespace vrp::client {
namespace {

using SimulationStub = v1::SimulationService::Stub;

// First line of the examples.
constexpr char kNewSimulationExample[] =
    "run=$(vrpctl dispatch simulate tests/data/RC208.vrp --policy greedy --days 2 --epoch 200 "
    "--margin 100 --decision 100ms --hindsight 1s --detach | cut -d' ' -f1)\n";

// The flags of all commands under `dispatch simulations`.
struct SimulationsFlags {
  std::string name;
  int64_t limit = 0;
  int64_t from = 1;
  std::string plot;
};

absl::StatusOr<std::string> SimulationName(const SimulationsFlags& flags) {
  return JobResourceName(flags.name, "simulations");
}

ExitCode ListSimulations(CommandContext& context, const SimulationsFlags& flags) {
  return PrintPages(
      context, &SimulationStub::ListSimulations, v1::ListSimulationsRequest(), flags.limit,
      [](const v1::ListSimulationsResponse& page) { return page.simulations(); },
      ListPrinter<v1::Simulation>(
          context, {"SIMULATION", "STATE", "ATTEMPT", "CREATED", "SITES", "POLICIES", "DAYS"},
          SimulationJson, SimulationRow));
}

ExitCode GetSimulation(CommandContext& context, const SimulationsFlags& flags) {
  return CallByName(context, SimulationName(flags), &SimulationStub::GetSimulation,
                    [&](const std::string&, const v1::Simulation& simulation) {
                      return context.Print(SimulationJson(simulation), SimulationText(simulation));
                    });
}

ExitCode WatchSimulation(CommandContext& context, const SimulationsFlags& flags) {
  const absl::StatusOr<std::string> name = SimulationName(flags);
  if (!name.ok()) return context.Fail(name.status());
  return FollowSimulation(context, {.name = *name, .from_sequence = flags.from},
                          {.plot = flags.plot});
}

ExitCode StopSimulation(CommandContext& context, const SimulationsFlags& flags) {
  return CallByName(context, SimulationName(flags), &SimulationStub::StopSimulation,
                    [&](const std::string&, const v1::Simulation& simulation) {
                      return context.Print(SimulationJson(simulation),
                                           absl::StrCat(simulation.name(), " ",
                                                        JobStateWord(simulation.state()), "\n"));
                    });
}

ExitCode DeleteSimulation(CommandContext& context, const SimulationsFlags& flags) {
  return DeleteByName(context, SimulationName(flags), &SimulationStub::DeleteSimulation);
}

}  // namespace

void AddDispatchSimulations(CLI::App& dispatch, ChosenCommand& chosen) {
  CLI::App* simulations =
      AddCommand(dispatch, "simulations", "List, follow and control simulations",
                 absl::StrCat(kNewSimulationExample, "vrpctl dispatch simulations watch $run"));
  simulations->require_subcommand(1);
  CLI::App* list = AddCommand(*simulations, "list", "List simulations, newest first",
                              "vrpctl dispatch simulations list --limit 10");
  const auto flags = std::make_shared<SimulationsFlags>();
  list->add_option("--limit", flags->limit, "List at most N simulations; 0: all")
      ->check(WholeNumber(0))
      ->type_name("N");
  SetCallback(*list, chosen, flags, ListSimulations);
  const auto add = [&](std::string_view verb, std::string_view description,
                       std::string_view examples,
                       ExitCode (*run)(CommandContext&, const SimulationsFlags&)) {
    CLI::App* command = AddCommand(*simulations, verb, description,
                                   absl::StrCat(kNewSimulationExample, std::string(examples)));
    AddArgument(*command, "NAME", flags->name, "Name the simulation: simulations/ID or ID");
    SetCallback(*command, chosen, flags, run);
    return command;
  };
  add("get", "Show a simulation and the results of its finished days",
      "vrpctl dispatch simulations get $run\n"
      "vrpctl dispatch simulations get $run --output json | jq .results",
      GetSimulation);
  CLI::App* watch = add("watch", "Print a simulation's events, then its summary",
                        "vrpctl dispatch simulations watch $run --plot gaps.svg\n"
                        "vrpctl dispatch simulations watch $run --from 2 --output json",
                        WatchSimulation);
  watch->add_option("--from", flags->from, "Start with the event of this sequence number")
      ->check(WholeNumber(0))
      ->type_name("N");
  watch->add_option("--plot", flags->plot, "Draw the gaps of the days")->type_name("FILE.svg");
  add("stop", "End a simulation now; it succeeds with its finished days",
      "vrpctl dispatch simulations stop $run", StopSimulation);
  add("delete", "Delete an ended simulation, its events and its results",
      "vrpctl dispatch simulations watch $run\n"
      "vrpctl dispatch simulations delete $run",
      DeleteSimulation);
}

}  // namespace vrp::client
