#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "client/commands/command.h"
#include "client/output/json.h"
#include "client/output/tables.h"

namespace vrp::client {
namespace {

ExitCode RunInfo(CommandContext& context) {
  const absl::StatusOr<v1::ServerInfo> info = context.client().GetServerInfo();
  if (!info.ok()) return context.Fail(info.status());
  if (context.json()) {
    WriteJsonLine(context.out(), ServerInfoJson(*info));
  } else {
    context.out() << ServerInfoText(*info) << std::flush;
  }
  return kExitDone;
}

ExitCode RunHealth(CommandContext& context) {
  const absl::StatusOr<std::string> health = context.client().CheckHealth();
  if (!health.ok()) {
    context.Fail(health.status());
    return context.environment().interrupt.triggered() ? kExitInterrupted : kExitUnreachable;
  }
  if (context.json()) {
    WriteJsonLine(context.out(), {{"status", *health}});
  } else {
    context.out() << *health << std::endl;
  }
  return *health == "SERVING" ? kExitDone : kExitUnreachable;
}

}  // namespace

void AddServer(CLI::App& app, ChosenCommand& chosen) {
  CLI::App* server = AddCommand(app, "server", "The daemon itself: info, health",
                                "vrpctl server info\nvrpctl server health");
  server->require_subcommand(1);
  AddCommand(*server, "info", "Version, devices and limits",
             "vrpctl server info\nvrpctl server info --remote host:50051 --output json")
      ->callback([&chosen] {
        chosen = {"server info", RunInfo};
      });
  AddCommand(*server, "health", "Whether it serves: exit code 0, or 3",
             "vrpctl server health --remote 127.0.0.1:50051")
      ->callback([&chosen] {
        chosen = {"server health", RunHealth};
      });
}

}  // namespace vrp::client
