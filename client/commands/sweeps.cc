// Implements the commands `sweeps list`, `get`, `watch`, `stop`, `pause`, `resume` and `delete`.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/commands/follow_sweep.h"
#include "client/commands/lists.h"
#include "client/commands/named_resource.h"
#include "client/output/json.h"
#include "client/output/tables.h"
#include "client/support/flags.h"
#include "client/support/validators.h"
#include "vrp/v1/sweep_service.grpc.pb.h"

namespace vrp::client {
namespace {

using SweepStub = v1::SweepService::Stub;

// First line of the examples.
constexpr char kNewSweepExample[] =
    "sweep=$(vrpctl train --sweep configs/sweeps/tiny.yaml --detach | head -1 | cut -d' ' -f1)\n";

// The flags of all commands under `sweeps`.
struct SweepsFlags {
  std::string name;
  int64_t limit = 0;
  int64_t from = 1;
};

absl::StatusOr<std::string> SweepName(const SweepsFlags& flags) {
  return JobResourceName(flags.name, "sweeps");
}

ExitCode ListSweeps(CommandContext& context, const SweepsFlags& flags) {
  return PrintPages(
      context, &SweepStub::ListSweeps, v1::ListSweepsRequest(), flags.limit,
      [](const v1::ListSweepsResponse& page) { return page.sweeps(); },
      ListPrinter<v1::Sweep>(context,
                             {"SWEEP", "STATE", "CREATED", "METHOD", "TRIALS", "KEYS", "MODEL"},
                             SweepJson, SweepRow));
}

ExitCode GetSweep(CommandContext& context, const SweepsFlags& flags) {
  return CallByName(context, SweepName(flags), &SweepStub::GetSweep,
                    [&](const std::string&, const v1::Sweep& sweep) {
                      return context.Print(SweepJson(sweep), SweepText(sweep));
                    });
}

ExitCode WatchSweep(CommandContext& context, const SweepsFlags& flags) {
  const absl::StatusOr<std::string> name = SweepName(flags);
  if (!name.ok()) return context.Fail(name.status());
  return FollowSweep(context, {.name = *name, .from_sequence = flags.from});
}

// Calls an RPC that changes the state, and prints the new state.
template <typename Request>
ExitCode ChangeSweep(CommandContext& context, const SweepsFlags& flags,
                     UnaryMethod<SweepStub, Request, v1::Sweep> method) {
  return CallByName(
      context, SweepName(flags), method, [&](const std::string&, const v1::Sweep& sweep) {
        return context.Print(SweepJson(sweep),
                             absl::StrCat(sweep.name(), " ",
                                          StateText(sweep.state(), sweep.queue_position()), "\n"));
      });
}

ExitCode StopSweep(CommandContext& context, const SweepsFlags& flags) {
  return ChangeSweep<v1::StopSweepRequest>(context, flags, &SweepStub::StopSweep);
}

ExitCode PauseSweep(CommandContext& context, const SweepsFlags& flags) {
  return ChangeSweep<v1::PauseSweepRequest>(context, flags, &SweepStub::PauseSweep);
}

ExitCode ResumeSweep(CommandContext& context, const SweepsFlags& flags) {
  return ChangeSweep<v1::ResumeSweepRequest>(context, flags, &SweepStub::ResumeSweep);
}

ExitCode DeleteSweep(CommandContext& context, const SweepsFlags& flags) {
  return DeleteByName(context, SweepName(flags), &SweepStub::DeleteSweep);
}

}  // namespace

void AddSweeps(CLI::App& app, ChosenCommand& chosen) {
  CLI::App* sweeps = AddCommand(app, "sweeps", "List, follow and control sweeps of `train --sweep`",
                                absl::StrCat(kNewSweepExample, "vrpctl sweeps watch $sweep"));
  sweeps->require_subcommand(1);
  CLI::App* list =
      AddCommand(*sweeps, "list", "List sweeps, newest first", "vrpctl sweeps list --limit 10");
  const auto flags = std::make_shared<SweepsFlags>();
  list->add_option("--limit", flags->limit, "List at most N sweeps; 0: all")
      ->check(WholeNumber(0))
      ->type_name("N");
  SetCallback(*list, chosen, flags, ListSweeps);
  const auto add = [&](std::string_view verb, std::string_view description,
                       std::string_view examples,
                       ExitCode (*run)(CommandContext&, const SweepsFlags&)) {
    CLI::App* command = AddCommand(*sweeps, verb, description,
                                   absl::StrCat(kNewSweepExample, std::string(examples)));
    AddArgument(*command, "NAME", flags->name, "Name the sweep: sweeps/ID or ID");
    SetCallback(*command, chosen, flags, run);
    return command;
  };
  add("get", "Show a sweep and compare its trials",
      "vrpctl sweeps get $sweep\n"
      "vrpctl sweeps get $sweep --output json | jq .trials",
      GetSweep);
  CLI::App* watch = add("watch", "Print a sweep's events, then compare its trials",
                        "vrpctl sweeps watch $sweep\n"
                        "vrpctl sweeps watch $sweep --from 2 --output json",
                        WatchSweep);
  watch->add_option("--from", flags->from, "Start with the event of this sequence number")
      ->check(WholeNumber(0))
      ->type_name("N");
  add("stop", "End a sweep now and publish its best trial", "vrpctl sweeps stop $sweep", StopSweep);
  add("pause", "Pause a sweep and its running trial", "vrpctl sweeps pause $sweep", PauseSweep);
  add("resume", "Continue a paused sweep",
      "vrpctl sweeps pause $sweep\n"
      "until vrpctl sweeps resume $sweep; do sleep 1; done  # once it has paused",
      ResumeSweep);
  add("delete", "Delete an ended sweep and the jobs of its trials",
      "vrpctl sweeps watch $sweep\n"
      "vrpctl sweeps delete $sweep",
      DeleteSweep);
}

}  // namespace vrp::client
