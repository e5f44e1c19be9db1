// vrpd: composes the daemon and waits for its end.
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
#include "grpc/grpc.h"
#include "server/config/build_info.h"
#include "server/config/command_line.h"
#include "server/daemon/daemon.h"
#include "server/daemon/signals.h"
#include "server/support/logging.h"
#include "server/support/open_files.h"
#include "server/support/run_anew.h"
#include "server/telemetry/overdue_teller.h"
#include "server/telemetry/watchdog.h"

namespace vrp {
namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;
constexpr int kAnew = -1;  // no exit code: the program is started again
constexpr absl::Duration kGrace = absl::Seconds(19);
// So long at least a daemon lives before it starts anew, so that a GPU that fails at once does not
// keep it from answering by search.
constexpr absl::Duration kLeastLife = absl::Seconds(10);

constexpr int kFewestHeaps = 2;

std::string VersionLine() {
  const std::string torch =
      TorchVersion().empty() ? "without LibTorch" : "LibTorch " + TorchVersion();
  return Concat("vrpd ", Version(), " (", GitCommit(), ", ", torch, ")");
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
          .on_device_loss = std::move(on_device_loss)};
}

// glibc lends a thread one of up to eight heaps a core, and each keeps what the largest job in it
// has freed: 12 MiB and more a heap where trainings of CVRP50 began and ended. To be called before
// there are threads; MALLOC_ARENA_MAX, where it is set, decides.
void BoundHeaps(int threads) {
  if (std::getenv("MALLOC_ARENA_MAX") == nullptr) {
    mallopt(M_ARENA_MAX, std::max(kFewestHeaps, threads));
  }
}

// No more connections than the files suffice for that this process may open.
void FitConnections(VrpdOptions& vrpd, int64_t files) {
  const int32_t fitting = ConnectionsThatFit(vrpd.max_connections, files);
  if (fitting == vrpd.max_connections) return;
  LogWarning(Concat("max_connections: ", vrpd.max_connections, " do not fit into the ", files,
                    " files that this process may open, so it is ", fitting,
                    "; raise the hard limit (ulimit -Hn, LimitNOFILE of the systemd unit)"));
  vrpd.max_connections = fitting;
}

// Ends this daemon as SIGTERM does once it has lived for kLeastLife, and says so by `anew`. Until
// then it answers by search, and tells who asks for a network to come again.
std::function<void(const absl::Status&)> StartAnewWhenDeviceIsLost(absl::Notification* stop,
                                                                   std::atomic<bool>* anew) {
  return [stop, anew, begun = SteadyNow()](const absl::Status& lost) {
    LogError(std::string(lost.message()));
    std::thread([stop, anew, begun] {
      absl::SleepFor(begun + kLeastLife - SteadyNow());
      if (stop->HasBeenNotified()) return;
      *anew = true;
      kill(getpid(), SIGTERM);
    }).detach();
  };
}

// As a line of the log where programs read that, as words where people do.
void TellWhyNotStarted(const absl::Status& status, bool json) {
  const std::string message(status.message());
  if (json) return LogError(message);
  std::cerr << "vrpd: " << message << std::endl;
}

// gRPC is never shut down: it would wait for a poller of its own that nothing wakes, up to 10 s of
// the 20 that there are, when all that the daemon keeps has long been stored. So the process ends
// without what is run at exit, which gRPC's threads could meet.
void KeepGrpc() { grpc_init(); }

int Serve(VrpdOptions vrpd) {
  BoundHeaps(vrpd.threads);
  StartLogging({.level = vrpd.log_level, .json = vrpd.log_format == "json"});
  SetDeviceWarningListener([](std::string_view text) { LogWarning(std::string(text)); });
  FitConnections(vrpd, AllowAllFiles());
  static absl::Notification stop;         // the signals' thread uses it to the end
  static ReloadHook reload;               // likewise
  static std::atomic<bool> anew = false;  // and the thread that is started then
  WatchSignals(&stop, &reload, kGrace);
  KeepGrpc();  // its threads leave signals to the one above
  LogInfo(Concat(VersionLine(), ", state ", vrpd.state_dir, ", models ", vrpd.models_dir, ", ",
                 vrpd.threads, " threads"));
  const bool json = vrpd.log_format == "json";
  DeviceExecutors executors({.serving_memory_percent = vrpd.serving_memory_percent});
  const std::unique_ptr<Trainer> trainer = MakeTrainer(&executors);
  const SystemClock clock;
  absl::StatusOr<std::unique_ptr<Daemon>> daemon = Daemon::Create(Compose(
      std::move(vrpd), executors, *trainer, clock, StartAnewWhenDeviceIsLost(&stop, &anew)));
  if (!daemon.ok()) {
    TellWhyNotStarted(daemon.status(), json);
    return kFailed;
  }
  reload.Set([&daemon] { (*daemon)->Reload(); });
  std::cout << "listening on " << (*daemon)->address() << std::endl;
  if (const std::string url = (*daemon)->metrics_url(); !url.empty()) {
    LogInfo(Concat("metrics on ", url));
  }
  stop.WaitForNotification();
  reload.Set(nullptr);
  daemon->reset();
  LogInfo(anew ? "stopped, to start anew" : "stopped");
  return anew ? kAnew : 0;
}

// Set by SIGTERM and SIGINT, so that what was restored by then is removed again.
std::shared_ptr<const CancelFlag> CancelledBySignals() {
  static absl::Notification stop;  // the signals' thread uses it to the end
  static ReloadHook reload;        // likewise; there is nothing to read anew
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
  const auto cancel = CancelledBySignals();
  const SystemClock clock;
  Watchdog watchdog;
  const OverdueTeller teller({.watchdog = &watchdog});
  const absl::StatusOr<RestoreReport> report =
      RestoreBackup({.archive = request.archive,
                     .directory = request.state_dir,
                     .clock = &clock,
                     .watch = watchdog.AsFunction(),
                     .stop = StopCondition(absl::InfiniteFuture(), cancel)});
  if (absl::IsCancelled(report.status())) {
    std::cerr << "vrpd: stopped by a signal; " << request.state_dir
              << " is as it was, run vrpd --restore again" << std::endl;
    return kFailed;
  }
  if (!report.ok()) {
    std::cerr << "vrpd: " << report.status().message() << std::endl;
    return kFailed;
  }
  std::cout << "restored " << report->files << " files (" << report->bytes << " bytes) into "
            << request.state_dir << ", as " << report->program << " kept them at "
            << absl::FormatTime(absl::RFC3339_sec, report->created, absl::UTCTimeZone())
            << "; jobs that ran then and go on: " << report->queued << std::endl;
  return 0;
}

int Forget(const ForgetRequest& request) {
  const absl::StatusOr<std::string> aside = ForgetJobs(request.state_dir, SystemClock());
  if (!aside.ok()) {
    std::cerr << "vrpd: " << aside.status().message() << std::endl;
    return kFailed;
  }
  std::cout << "what was left of the jobs is in " << *aside
            << "; the next start begins with none, models are as they were" << std::endl;
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
  // Jobs, models and matrices are their owner's alone, also in a folder that others may enter.
  umask(0077);
  vrp::KeepOpenMpQuiet(arguments);
  vrp::TakeLocksWithoutLookingForCycles();
  const int code = vrp::Main({arguments + 1, arguments + count});
  if (code != vrp::kAnew) {
    std::cout.flush();
    _exit(code);
  }
  vrp::RunAnew(arguments);
  return vrp::kFailed;
}
