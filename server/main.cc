// vrpd: composes the daemon and waits for its end.
#include <sys/resource.h>

#include <filesystem>
#include <iostream>
#include <string>
#include <variant>
#include <vector>

#include "absl/synchronization/notification.h"
#include "core/base/text.h"
#include "core/jobs/backup/restore.h"
#include "server/config/build_info.h"
#include "server/config/command_line.h"
#include "server/runtime/daemon.h"
#include "server/runtime/logging.h"
#include "server/runtime/quiet_openmp.h"
#include "server/runtime/signals.h"

namespace vrp {
namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;
constexpr absl::Duration kGrace = absl::Seconds(19);

std::string VersionLine() {
  const std::string torch =
      TorchVersion().empty() ? "without LibTorch" : "LibTorch " + TorchVersion();
  return Concat("vrpd ", Version(), " (", GitCommit(), ", ", torch, ")");
}

Daemon::Options Compose(VrpdOptions vrpd, Trainer& trainer, const Clock& clock) {
  const std::string shipped = ShippedModelsDirectory();
  if (vrpd.read_only_models_dirs.empty() && std::filesystem::is_directory(shipped)) {
    vrpd.read_only_models_dirs.push_back(shipped);
  }
  return {
      .vrpd = std::move(vrpd), .policy_loader = LoadPolicy, .trainer = &trainer, .clock = &clock};
}

// Each connection is an open file, and gRPC 1.51 stops listening for good when there are no more:
// so as many as the system grants.
void AllowAllFiles() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int Serve(VrpdOptions vrpd) {
  AllowAllFiles();
  StartLogging({.level = vrpd.log_level, .json = vrpd.log_format == "json"});
  static absl::Notification stop;  // the signals' thread uses it to the end
  static ReloadHook reload;        // likewise
  WatchSignals(&stop, &reload, kGrace);
  LogInfo(Concat(VersionLine(), ", state ", vrpd.state_dir, ", models ", vrpd.models_dir, ", ",
                 vrpd.threads, " threads"));
  const std::unique_ptr<Trainer> trainer = MakeTrainer();
  const SystemClock clock;
  absl::StatusOr<std::unique_ptr<Daemon>> daemon =
      Daemon::Create(Compose(std::move(vrpd), *trainer, clock));
  if (!daemon.ok()) {
    std::cerr << "vrpd: " << daemon.status().message() << std::endl;
    return kFailed;
  }
  reload.Set([&daemon] { (*daemon)->Reload(); });
  std::cout << "listening on " << (*daemon)->address() << std::endl;
  if (!(*daemon)->metrics_address().empty()) {
    LogInfo(Concat("metrics on http://", (*daemon)->metrics_address(), "/metrics"));
  }
  stop.WaitForNotification();
  reload.Set(nullptr);
  daemon->reset();
  LogInfo("stopped");
  return 0;
}

int Restore(const RestoreRequest& request) {
  const SystemClock clock;
  const absl::StatusOr<RestoreReport> report =
      RestoreBackup({.archive = request.archive, .directory = request.state_dir, .clock = &clock});
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

int Main(const std::vector<std::string>& arguments) {
  absl::StatusOr<std::variant<VrpdOptions, PrintAndExit, RestoreRequest>> parsed =
      ParseCommandLine(arguments, VersionLine());
  if (!parsed.ok()) {
    std::cerr << "vrpd: " << parsed.status().message() << "\nSee vrpd --help." << std::endl;
    return kWrongUsage;
  }
  if (const auto* print = std::get_if<PrintAndExit>(&*parsed)) {
    std::cout << print->text;
    return 0;
  }
  if (const auto* restore = std::get_if<RestoreRequest>(&*parsed)) return Restore(*restore);
  return Serve(std::get<VrpdOptions>(*std::move(parsed)));
}

}  // namespace
}  // namespace vrp

int main(int count, char** arguments) {
  vrp::KeepOpenMpQuiet(arguments);
  return vrp::Main({arguments + 1, arguments + count});
}
