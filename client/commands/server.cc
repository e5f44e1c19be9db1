#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
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

// What vrpd calls its readiness in grpc.health.v1; "" is the daemon itself.
constexpr char kReadinessService[] = "readiness";

// Why the GPU cannot be used and what becomes of it; empty: it can, or who asks may not know. Only
// a daemon that is not ready is asked, so that health checks, which need no token, are no refused
// callers all day.
std::string DeviceLoss(CommandContext& context) {
  const absl::StatusOr<std::string> readiness = context.client().CheckHealth(kReadinessService);
  if (!readiness.ok() || *readiness == "SERVING") return "";
  const absl::StatusOr<v1::ServerInfo> info = context.client().GetServerInfo();
  return info.ok() ? info->device_loss() : "";
}

// 0 or 1, whatever is wrong: what containers' health checks understand.
ExitCode RunHealth(CommandContext& context, bool readiness) {
  const absl::StatusOr<std::string> health =
      context.client().CheckHealth(readiness ? kReadinessService : "");
  if (!health.ok()) {
    context.Fail(health.status());
    return context.environment().interrupt.triggered() ? kExitInterrupted : kExitFailed;
  }
  const std::string loss = DeviceLoss(context);
  if (context.json()) {
    WriteJsonLine(context.out(),
                  {{"status", *health}, {"device_loss", loss.empty() ? Json() : Json(loss)}});
  } else {
    context.out() << *health << "\n" << (loss.empty() ? "" : loss + "\n") << std::flush;
  }
  return *health == "SERVING" ? kExitDone : kExitFailed;
}

absl::StatusOr<v1::LogLevel> ParseLogLevel(const std::string& word) {
  v1::LogLevel level;
  if (v1::LogLevel_Parse(absl::StrCat("LOG_LEVEL_", absl::AsciiStrToUpper(word)), &level) &&
      level != v1::LOG_LEVEL_UNSPECIFIED) {
    return level;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("LEVEL: got \"", word, "\", wanted debug, info, warn or error"));
}

ExitCode RunLogLevel(CommandContext& context, const std::string& word) {
  const absl::StatusOr<v1::LogLevel> level = ParseLogLevel(word);
  if (!level.ok()) return context.Fail(level.status());
  v1::SetLogLevelRequest request;
  request.set_level(*level);
  const absl::StatusOr<v1::SetLogLevelResponse> response = context.client().SetLogLevel(request);
  if (!response.ok()) return context.Fail(response.status());
  const std::string previous = LogLevelWord(response->previous());
  if (context.json()) {
    WriteJsonLine(context.out(), {{"level", word}, {"previous", previous}});
  } else {
    context.out() << "the daemon logs from " << word << " on; before: " << previous << std::endl;
  }
  return kExitDone;
}

void AddHealth(CLI::App& server, ChosenCommand& chosen) {
  CLI::App* command =
      AddCommand(server, "health", "Whether it serves: exit code 0, or 1",
                 "vrpctl server health          # whether it is alive: restart it when it is not\n"
                 "vrpctl server health --ready  # whether new work may be sent: not while it "
                 "starts, drains or is full");
  const auto readiness = std::make_shared<bool>(false);
  command->add_flag("--ready", *readiness, "Whether new work may be sent there");
  command->callback([readiness, &chosen] {
    chosen = {"server health",
              [readiness](CommandContext& context) { return RunHealth(context, *readiness); }};
  });
}

void AddLogLevel(CLI::App& server, ChosenCommand& chosen) {
  CLI::App* command = AddCommand(
      server, "log-level", "How much the daemon writes to its log, until it is set again or ends",
      "vrpctl server log-level debug  # a line for each request too\nvrpctl server log-level info");
  const auto level = std::make_shared<std::string>();
  command->add_option("LEVEL", *level, "debug, info, warn or error")->type_name("")->required();
  command->callback([level, &chosen] {
    chosen = {"server log-level",
              [level](CommandContext& context) { return RunLogLevel(context, *level); }};
  });
}

}  // namespace

void AddServer(CLI::App& app, ChosenCommand& chosen) {
  CLI::App* server = AddCommand(app, "server", "The daemon itself: info, health, log level, backup",
                                "vrpctl server info\nvrpctl server health\n"
                                "vrpctl server log-level debug\n"
                                "vrpctl server backup vrp.tar");
  server->require_subcommand(1);
  AddCommand(*server, "info", "Version, devices and limits",
             "vrpctl server info\nvrpctl server info --remote host:50051 --output json")
      ->callback([&chosen] {
        chosen = {"server info", RunInfo};
      });
  AddHealth(*server, chosen);
  AddLogLevel(*server, chosen);
  AddServerBackup(*server, chosen);
}

}  // namespace vrp::client
