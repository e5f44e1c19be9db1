#include "server/config/command_line.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "CLI/CLI.hpp"
#include "core/base/file.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "server/access/token_file.h"
#include "server/config/config_file.h"

namespace vrp {
namespace {

constexpr char kDescription[] =
    "Examples:\n"
    "  vrpd --listen 127.0.0.1:50051 --state-dir ~/.local/state/vrp\n"
    "  vrpd --listen 127.0.0.1:0 --state-dir /tmp/vrp --threads 2  # any free port; it is printed\n"
    "  vrpd --config configs/vrpd.yaml --state-dir ~/vrp --models-dir ~/vrp/models  # flags win\n"
    "  vrpd --restore vrp.tar --state-dir ~/.local/state/vrp2  # what vrpctl server backup wrote\n"
    "\n"
    "The routing daemon: trains networks and solves instances for clients over gRPC (vrpctl is "
    "one).\n"
    "Prints `listening on HOST:PORT` when it serves. SIGTERM stops it within 20 s: a running job "
    "is kept\n"
    "and goes on at the next start with the same --state-dir.";

void AddOptions(CLI::App& app, PartialOptions& flags, std::string& config) {
  const int32_t threads = HardwareThreads();
  app.add_option("--listen", flags.listen, "HOST:PORT, [IPV6]:PORT or unix:PATH [127.0.0.1:50051]");
  app.add_option("--state-dir", flags.state_dir,
                 "jobs and models are kept here; created when absent");
  app.add_option("--models-dir", flags.models_dir,
                 "models are read and published here [STATE-DIR/models]");
  app.add_option("--config", config, "YAML file with the same options; see configs/vrpd.yaml");
  app.add_option("--device", flags.device, "auto, cpu or cuda:0: where networks run [auto]");
  app.add_option("--threads", flags.threads,
                 Concat("threads to compute with [", threads, ", all of this machine's]"))
      ->check(CLI::Range(1, threads));
  app.add_option("--max-batch", flags.max_batch,
                 "requests for one network that are decoded together at most [32]")
      ->check(CLI::Range(1, kMostBatch));
  app.add_option("--max-batch-delay-us", flags.max_batch_delay_us,
                 "microseconds that a batch waits for more while a network is busy [0]")
      ->check(CLI::Range(0, kMostBatchDelayUs));
  app.add_option("--max-connections", flags.max_connections,
                 "connections of all clients together; more are closed at once [1000]")
      ->check(CLI::Range(1, kMostConnections));
  app.add_option("--state-quota-mb", flags.state_quota_mb,
                 "megabytes that the state folder may hold before new jobs are refused [no limit]")
      ->check(CLI::Range(1, kMaxStateQuotaMb));
  app.add_option("--tls-certificate", flags.tls_certificate,
                 "PEM file: serve TLS with this certificate; read again at SIGHUP");
  app.add_option("--tls-key", flags.tls_key, "PEM file: its private key");
  app.add_option("--tls-client-ca", flags.tls_client_ca,
                 "PEM file: clients must show a certificate of this authority");
  app.add_option("--tokens", flags.tokens,
                 "file of `ROLE DIGEST` lines: calls need a token; read again at SIGHUP");
  app.add_option(
      "--metrics-listen", flags.metrics_listen,
      "HOST:PORT: /metrics for Prometheus, /healthz and /readyz over HTTP, or over HTTPS "
      "and with a token where these are asked for [none]");
  app.add_option("--log-level", flags.log_level, "debug, info, warn or error [info]")
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}));
  app.add_option("--log-format", flags.log_format, "text, or json: an object a line [text]")
      ->check(CLI::IsMember({"text", "json"}));
}

// What vrpd does instead of serving.
struct Errands {
  std::string new_token_role;
  std::string restore;
  bool forget_jobs = false;
};

void AddErrands(CLI::App& app, Errands& errands) {
  app.add_option("--new-token", errands.new_token_role,
                 "print a fresh token of this role (read, solve, train, admin) and its line for "
                 "--tokens")
      ->check(CLI::IsMember({"read", "solve", "train", "admin"}));
  CLI::Option* const restore = app.add_option(
      "--restore", errands.restore,
      "make a state folder of this file, which vrpctl server backup wrote, in --state-dir, "
      "which is absent or empty, and end");
  app.add_flag("--forget-jobs", errands.forget_jobs,
               "where the database of the jobs is lost: move what is left of them to a folder "
               "forgotten-TIME in --state-dir, so that the next start begins with none, and end")
      ->excludes(restore);
}

std::string FreshToken(Role role) {
  const std::string token = NewToken();
  return Concat("the token, for the caller alone; it is kept nowhere:\n", token,
                "\nits line for the file that --tokens names:\n", TokenLine(role, token), "\n");
}

// A backup's models come to lie where they are by default.
absl::Status CheckRestoredModels(const VrpdOptions& options) {
  const std::filesystem::path place = std::filesystem::path(options.state_dir) / "models";
  if (std::filesystem::path(options.models_dir).lexically_normal() == place.lexically_normal()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(Concat("--models-dir: got ", options.models_dir,
                                           " with --restore, wanted ", place.string(),
                                           " or none: move the models once they are restored"));
}

}  // namespace

absl::StatusOr<CommandLine> ParseCommandLine(const std::vector<std::string>& arguments,
                                             const std::string& version) {
  CLI::App app(kDescription, "vrpd");
  PartialOptions flags;
  std::string config;
  bool insecure = false;
  AddOptions(app, flags, config);
  app.add_flag("--insecure", insecure,
               "allow --listen on an address that other machines reach, without TLS or without "
               "knowing who calls");
  Errands errands;
  AddErrands(app, errands);
  app.set_version_flag("--version", version);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    return PrintAndExit{app.help()};
  } catch (const CLI::CallForVersion&) {
    return PrintAndExit{version + "\n"};
  } catch (const CLI::Error& error) {
    return absl::InvalidArgumentError(error.what());
  }
  if (!errands.new_token_role.empty()) {
    return PrintAndExit{FreshToken(*ParseRole(errands.new_token_role))};
  }
  if (insecure) flags.insecure = true;
  PartialOptions file;
  if (!config.empty()) {
    VRP_ASSIGN_OR_RETURN(const std::string text, ReadFile(config));
    VRP_ASSIGN_OR_RETURN(file, ParseConfigFile(text, config));
  }
  VRP_ASSIGN_OR_RETURN(VrpdOptions options, Merge(flags, file));
  if (errands.forget_jobs) return ForgetRequest{.state_dir = options.state_dir};
  if (errands.restore.empty()) return options;
  VRP_RETURN_IF_ERROR(CheckRestoredModels(options));
  return RestoreRequest{.archive = errands.restore, .state_dir = options.state_dir};
}

}  // namespace vrp
