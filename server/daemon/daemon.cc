#include "server/daemon/daemon.h"

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/device/device_loss.h"
#include "grpcpp/health_check_service_interface.h"
#include "server/daemon/daemon_parts.h"
#include "server/support/logging.h"

namespace vrp {
namespace {

// Time for HTTP clients to read the last responses after all calls have ended.
constexpr absl::Duration kHttpReadTime = absl::Milliseconds(500);

}  // namespace

Daemon::Daemon(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

absl::StatusOr<std::unique_ptr<Daemon>> Daemon::Create(Options options) {
  std::unique_ptr<Daemon> daemon(new Daemon(std::make_unique<Parts>(std::move(options))));
  Parts& parts = *daemon->parts_;
  VRP_RETURN_IF_ERROR(parts.OpenAccess());
  VRP_RETURN_IF_ERROR(parts.OpenTelemetry());
  VRP_RETURN_IF_ERROR(parts.OpenDevices());
  VRP_RETURN_IF_ERROR(parts.OpenModels());
  VRP_RETURN_IF_ERROR(parts.OpenJobBook());
  VRP_RETURN_IF_ERROR(parts.OpenTrainingJobs());
  VRP_RETURN_IF_ERROR(parts.OpenRoads());
  parts.MakePools();
  parts.MakeHandlers();
  VRP_RETURN_IF_ERROR(parts.OpenSolveJobs());
  VRP_RETURN_IF_ERROR(parts.OpenSimulations());
  VRP_RETURN_IF_ERROR(parts.OpenSweeps());
  parts.MakeServices();
  VRP_RETURN_IF_ERROR(parts.Listen());
  VRP_RETURN_IF_ERROR(parts.ListenForHttp());
  parts.StartTelemetry();
  parts.WatchIdleness();
  return daemon;
}

Daemon::~Daemon() {
  Parts& parts = *parts_;
  SetDeviceLossListener(nullptr);
  parts.device_loss->SetListener(nullptr);
  if (parts.telemetry != nullptr) parts.telemetry->Drain();
  parts.monitor = nullptr;
  parts.idle_monitor = nullptr;
  if (parts.jobs != nullptr) parts.jobs->StopPublishing();
  if (parts.port.server != nullptr) {
    parts.port.server->GetHealthCheckService()->Shutdown();
    parts.streams->Close();
    if (parts.http != nullptr) parts.http->StopAccepting();
    parts.drain.Run([&](absl::Duration limit) { parts.port.Close(limit); });
    if (parts.http != nullptr) parts.http->AwaitConnections(kHttpReadTime);
    parts.http = nullptr;
  }
  // No call is left. The pools' threads must end before the jobs that their tasks use. The pool
  // objects stay, because a stopping job may still notify a stream that has ended.
  if (parts.solve_pool != nullptr) parts.solve_pool->Close();
  if (parts.batch_pool != nullptr) parts.batch_pool->Close();
  if (parts.quick_pool != nullptr) parts.quick_pool->Close();
  parts.sweeps = nullptr;  // uses `jobs`
  parts.simulations = nullptr;
  parts.solve_jobs = nullptr;
  parts.jobs = nullptr;
  if (parts.telemetry != nullptr) parts.telemetry->DropSources();
}

void Daemon::Reload() {
  const auto log = [](const std::string& files, const absl::Status& status) {
    if (status.ok()) return LogInfo("files reloaded", {{.name = "files", .value = files}});
    LogError("reload failed, previous files stay in use",
             {{.name = "files", .value = files},
              {.name = "error", .value = std::string(status.message())}});
  };
  if (parts_->tls != nullptr) {
    log("TLS files", parts_->tls->Reload(parts_->options.clock->Now()));
  }
  if (parts_->access != nullptr) log("tokens", parts_->access->Reload());
}

const std::string& Daemon::address() const { return parts_->port.address; }

std::string Daemon::http_url() const {
  if (parts_->http == nullptr) return "";
  return Concat(parts_->tls == nullptr ? "http://" : "https://", parts_->http->address());
}

std::string Daemon::metrics_address() const { return parts_->telemetry->metrics_address(); }
std::string Daemon::metrics_url() const { return parts_->telemetry->metrics_url(); }

}  // namespace vrp
