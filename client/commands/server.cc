#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/output/json.h"
#include "client/output/tables.h"
#include "client/support/enum_words.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "vrp/v1/system_service.grpc.pb.h"

namespace vrp::client {
namespace {

ExitCode ShowServerInfo(CommandContext& context) {
  const absl::StatusOr<v1::ServerInfo> info =
      context.client().Call(&v1::SystemService::Stub::GetServerInfo, {});
  if (!info.ok()) return context.Fail(info.status());
  return context.Print(ServerInfoJson(*info), ServerInfoText(*info));
}

// Service name of grpc.health.v1 that reports readiness.
constexpr char kReadinessService[] = "readiness";

// Returns the status of `service`: "SERVING", "NOT_SERVING" and so on. An empty `service` means the
// whole daemon.
absl::StatusOr<std::string> CheckHealth(CommandContext& context, const std::string& service) {
  grpc::health::v1::HealthCheckRequest request;
  request.set_service(service);
  const absl::StatusOr<grpc::health::v1::HealthCheckResponse> response =
      context.client().Call(&grpc::health::v1::Health::Stub::Check, request);
  if (!response.ok()) return response.status();
  return grpc::health::v1::HealthCheckResponse::ServingStatus_Name(response->status());
}

// Returns why the GPU cannot be used and what to do. Returns an empty text if the daemon is ready
// or has lost no GPU, and if a call fails. Requests the info only from a daemon that is not ready,
// since the info may need a token and health checks do not.
std::string DeviceLoss(CommandContext& context) {
  const absl::StatusOr<std::string> readiness = CheckHealth(context, kReadinessService);
  if (!readiness.ok() || *readiness == "SERVING") return "";
  const absl::StatusOr<v1::ServerInfo> info =
      context.client().Call(&v1::SystemService::Stub::GetServerInfo, {});
  return info.ok() ? info->device_loss() : "";
}

// Prints the daemon's health. Returns 0 or 1, as health checks of containers expect, or 130 after
// an interrupt.
ExitCode ShowHealth(CommandContext& context, const bool& readiness) {
  const absl::StatusOr<std::string> health =
      CheckHealth(context, readiness ? kReadinessService : "");
  if (!health.ok()) {
    context.Fail(health.status());
    return context.environment().interrupt.triggered() ? kExitInterrupted : kExitFailed;
  }
  const std::string loss = DeviceLoss(context);
  context.Print({{"status", *health}, {"device_loss", TextOrNull(loss)}},
                absl::StrCat(*health, "\n", loss, loss.empty() ? "" : "\n"));
  return *health == "SERVING" ? kExitDone : kExitFailed;
}

ExitCode SetLogLevel(CommandContext& context, const std::string& word) {
  const std::optional<v1::LogLevel> level = ParseWord<v1::LogLevel>(word);
  if (!level.has_value()) {
    return context.Fail(absl::InvalidArgumentError(
        absl::StrCat("LEVEL: got \"", word, "\", wanted debug, info, warn or error")));
  }
  v1::SetLogLevelRequest request;
  request.set_level(*level);
  const absl::StatusOr<v1::SetLogLevelResponse> response =
      context.client().Call(&v1::SystemService::Stub::SetLogLevel, request);
  if (!response.ok()) return context.Fail(response.status());
  const std::string previous = LogLevelWord(response->previous_level());
  return context.Print({{"level", word}, {"previous", previous}},
                       absl::StrCat("log level: ", word, ", previously ", previous, "\n"));
}

void AddHealth(CLI::App& server, ChosenCommand& chosen) {
  CLI::App* command =
      AddCommand(server, "health", "Check whether the daemon serves: exit code 0, or 1",
                 "vrpctl server health          # restart the daemon if this fails\n"
                 "vrpctl server health --ready  # fails while it starts, drains or is full");
  const auto readiness = std::make_shared<bool>(false);
  command->add_flag("--ready", *readiness, "Check whether the daemon takes new work");
  SetCallback(*command, chosen, readiness, ShowHealth);
}

void AddLogLevel(CLI::App& server, ChosenCommand& chosen) {
  CLI::App* command = AddCommand(
      server, "log-level", "Set the daemon's log level until the next change or restart",
      "vrpctl server log-level debug  # also logs every request\nvrpctl server log-level info");
  const auto level = std::make_shared<std::string>();
  AddArgument(*command, "LEVEL", *level, "Log at this level: debug, info, warn or error");
  SetCallback(*command, chosen, level, SetLogLevel);
}

}  // namespace

void AddServer(CLI::App& app, ChosenCommand& chosen) {
  CLI::App* server = AddCommand(app, "server", "Inspect, configure and back up the daemon",
                                "vrpctl server info\nvrpctl server health\n"
                                "vrpctl server log-level debug\n"
                                "vrpctl server backup vrp.tar");
  server->require_subcommand(1);
  SetCallback(*AddCommand(*server, "info", "Show version, devices and limits",
                          "vrpctl server info\n"
                          "vrpctl server info --remote host:50051 --output json"),
              chosen, ShowServerInfo);
  AddHealth(*server, chosen);
  AddLogLevel(*server, chosen);
  AddServerBackup(*server, chosen);
}

}  // namespace vrp::client
