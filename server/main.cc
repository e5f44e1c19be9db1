// The program vrpd: parses its options, then runs the daemon, restores a backup or forgets the jobs
// of a lost database.
#include <malloc.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "core/base/fast_locks.h"
#include "core/base/steady_time.h"
#include "core/base/stop.h"
#include "core/base/text.h"
#include "core/device/device_warnings.h"
#include "core/jobs/backup/restore.h"
#include "core/jobs/forget_jobs.h"
#include "core/train/make_trainer.h"
#include "grpc/grpc.h"
#include "server/config/build_info.h"
#include "server/config/command_line.h"
#include "server/daemon/daemon.h"
#include "server/daemon/signals.h"
#include "server/support/logging.h"
#include "server/support/open_files.h"
#include "server/support/restart.h"
#include "server/telemetry/overdue_monitor.h"
#include "server/telemetry/watchdog.h"

namespace vrp {
namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;
constexpr int kRestart = -1;  // not an exit code: main restarts the program
// Time from the signal to a forced exit, just below the 20 s that the documentation promises.
constexpr absl::Duration kGrace = absl::Seconds(19);
// Minimum time between a start and a restart. If a GPU fails at every start, the daemon can answer
// by search meanwhile.
constexpr absl::Duration kMinUptime = absl::Seconds(10);

// Smallest limit that LimitArenas sets, in arenas.
constexpr int kMinArenas = 2;

std::string VersionLine() {
  const std::string torch =
      TorchVersion().empty() ? "without LibTorch" : "LibTorch " + TorchVersion();
  return Concat("vrpd ", Version(), " (", GitCommit(), ", ", torch, ")");
}

// Ends the program as SIGTERM does.
void EndIdleProgram() {
  LogInfo("idle, stopping");
  kill(getpid(), SIGTERM);
}

Daemon::Options Compose(VrpdOptions vrpd, DeviceExecutors& executors, Trainer& trainer,
                        const Clock& clock,
                        std::function<void(const absl::Status&)> on_device_loss) {
  const std::string shipped = ShippedModelsDirectory();
  if (vrpd.read_only_models_dirs.empty() && std::filesystem::is_directory(shipped)) {
    vrpd.read_only_models_dirs.push_back(shipped);
  }
  return {.vrpd = std::move(vrpd),
          .policy_loader = PolicyLoaderOn(&executors),
          .trainer = &trainer,
          .clock = &clock,
          .on_device_loss = std::move(on_device_loss),
          .on_idle = EndIdleProgram};
}

// Limits the number of glibc's arenas to `threads`, but at least kMinArenas, unless
// MALLOC_ARENA_MAX is set. glibc uses up to eight arenas per core. Each keeps memory that was freed
// in it: 12 MiB and more after training on CVRP50. Call this before other threads start.
void LimitArenas(int threads) {
  if (std::getenv("MALLOC_ARENA_MAX") == nullptr) {
    mallopt(M_ARENA_MAX, std::max(kMinArenas, threads));
  }
}

// Lowers max_connections if the process may open too few files for it.
void LimitConnections(VrpdOptions& vrpd, int64_t files) {
  const int32_t fitting = ConnectionsWithin(vrpd.max_connections, files, !vrpd.http_listen.empty());
  if (fitting == vrpd.max_connections) return;
  LogWarning("max_connections lowered: the limit on open files is too low",
             {{.name = "configured", .value = Concat(vrpd.max_connections), .number = true},
              {.name = "max_connections", .value = Concat(fitting), .number = true},
              {.name = "open_files", .value = Concat(files), .number = true},
              {.name = "remedy",
               .value = "raise the hard limit: ulimit -Hn, LimitNOFILE of the systemd unit"}});
  vrpd.max_connections = fitting;
}

// Returns the listener that sets `restart` and sends SIGTERM to this process, unless `stop` was
// notified before. It does so at the earliest kMinUptime after the listener was made. Until then
// the daemon answers by search, and the errors of requests for a network state when to retry.
std::function<void(const absl::Status&)> RestartAfterDeviceLoss(absl::Notification* stop,
                                                                std::atomic<bool>* restart) {
  return [stop, restart, begun = SteadyNow()](const absl::Status& lost) {
    LogError("GPU lost", {{.name = "error", .value = std::string(lost.message())}});
    std::thread([stop, restart, begun] {
      absl::SleepFor(begun + kMinUptime - SteadyNow());
      if (stop->HasBeenNotified()) return;
      *restart = true;
      kill(getpid(), SIGTERM);
    }).detach();
  };
}

// Reports a failed start: in the log if the log is JSON, else as plain text on stderr.
void ReportFailedStart(const absl::Status& status, bool json) {
  const std::string message(status.message());
  if (json) return LogError("start failed", {{.name = "error", .value = message}});
  std::cerr << "vrpd: " << message << std::endl;
}

// Keeps gRPC from shutting down. At SIGTERM, its shutdown would wait up to 10 s for an idle poller,
// although all state is already stored. The process ends with _exit, because functions that run at
// exit could race with gRPC's threads.
void KeepGrpcAlive() { grpc_init(); }

int Serve(VrpdOptions vrpd) {
  LimitArenas(vrpd.threads);
  StartLogging({.level = vrpd.log_level, .json = vrpd.log_format == "json"});
  SetDeviceWarningListener([](std::string_view text) { LogWarning(std::string(text)); });
  LimitConnections(vrpd, RaiseOpenFileLimit());
  // Static, because detached threads use the objects until the process ends.
  static absl::Notification stop;
  static ReloadHook reload;
  static std::atomic<bool> restart = false;
  WatchSignals(&stop, &reload, kGrace);
  KeepGrpcAlive();  // after WatchSignals, so that gRPC's threads block the signals
  LogInfo("starting", {{.name = "version", .value = VersionLine()},
                       {.name = "state_dir", .value = vrpd.state_dir},
                       {.name = "models_dir", .value = vrpd.models_dir},
                       {.name = "threads", .value = Concat(vrpd.threads), .number = true}});
  const bool json = vrpd.log_format == "json";
  DeviceExecutors executors({.serving_memory_percent = vrpd.serving_memory_percent});
  const std::unique_ptr<Trainer> trainer = MakeTrainer(&executors);
  const SystemClock clock;
  absl::StatusOr<std::unique_ptr<Daemon>> daemon = Daemon::Create(Compose(
      std::move(vrpd), executors, *trainer, clock, RestartAfterDeviceLoss(&stop, &restart)));
  if (!daemon.ok()) {
    ReportFailedStart(daemon.status(), json);
    return kFailed;
  }
  reload.Set([&daemon] { (*daemon)->Reload(); });
  if (const std::string url = (*daemon)->http_url(); !url.empty()) {
    LogInfo("serving HTTP", {{.name = "url", .value = url}});
  }
  std::cout << "listening on " << (*daemon)->address() << std::endl;
  if (const std::string url = (*daemon)->metrics_url(); !url.empty()) {
    LogInfo("serving metrics", {{.name = "url", .value = url}});
  }
  stop.WaitForNotification();
  reload.Set(nullptr);
  daemon->reset();
  LogInfo(restart ? "stopped, restarting" : "stopped");
  return restart ? kRestart : 0;
}

// Returns a flag that SIGTERM and SIGINT set.
std::shared_ptr<const CancelFlag> CancelOnSignal() {
  // Static, because the signal thread uses the object until the process ends.
  static absl::Notification stop;
  static ReloadHook reload;  // has no function, so SIGHUP does nothing
  auto cancel = std::make_shared<CancelFlag>();
  WatchSignals(&stop, &reload, kGrace);
  std::thread([cancel] {
    stop.WaitForNotification();
    cancel->Cancel();
  }).detach();
  return cancel;
}

int Restore(const RestoreRequest& request) {
  StartLogging({});
  const auto cancel = CancelOnSignal();
  const SystemClock clock;
  Watchdog watchdog;
  const OverdueMonitor monitor({.watchdog = &watchdog});
  const absl::StatusOr<RestoreReport> report =
      RestoreBackup({.archive = request.archive,
                     .directory = request.state_dir,
                     .clock = &clock,
                     .watch = watchdog.AsFunction(),
                     .stop = StopCondition(absl::InfiniteFuture(), cancel)});
  if (absl::IsCancelled(report.status())) {
    std::cerr << "vrpd: stopped by a signal; " << request.state_dir
              << " is unchanged, run vrpd --restore again" << std::endl;
    return kFailed;
  }
  if (!report.ok()) {
    std::cerr << "vrpd: " << report.status().message() << std::endl;
    return kFailed;
  }
  std::cout << "restored " << report->files << " files (" << report->bytes << " bytes) into "
            << request.state_dir << " from a backup of " << report->program << " at "
            << absl::FormatTime(absl::RFC3339_sec, report->created, absl::UTCTimeZone())
            << "; jobs to continue: " << report->queued << std::endl;
  return 0;
}

int Forget(const ForgetRequest& request) {
  const absl::StatusOr<std::string> folder = ForgetJobs(request.state_dir, SystemClock());
  if (!folder.ok()) {
    std::cerr << "vrpd: " << folder.status().message() << std::endl;
    return kFailed;
  }
  std::cout << "moved the remaining job files to " << *folder
            << "; the next start has no jobs, models are unchanged" << std::endl;
  return 0;
}

int Main(const std::vector<std::string>& arguments) {
  absl::StatusOr<CommandLine> parsed = ParseCommandLine(arguments, VersionLine());
  if (!parsed.ok()) {
    std::cerr << "vrpd: " << parsed.status().message() << "\nSee vrpd --help." << std::endl;
    return kWrongUsage;
  }
  if (const auto* print = std::get_if<PrintAndExit>(&*parsed)) {
    std::cout << print->text;
    return 0;
  }
  if (const auto* restore = std::get_if<RestoreRequest>(&*parsed)) return Restore(*restore);
  if (const auto* forget = std::get_if<ForgetRequest>(&*parsed)) return Forget(*forget);
  return Serve(std::get<VrpdOptions>(*std::move(parsed)));
}

}  // namespace
}  // namespace vrp

int main(int count, char** arguments) {
  // Files of jobs, models and matrices are private, even in a folder that other users can enter.
  umask(0077);
  vrp::DisableOpenMpSpinning(arguments);
  vrp::DisableDeadlockDetection();
  const int code = vrp::Main({arguments + 1, arguments + count});
  if (code != vrp::kRestart) {
    std::cout.flush();
    _exit(code);
  }
  vrp::RestartProgram(arguments);
  return vrp::kFailed;
}
