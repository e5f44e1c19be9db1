#include <algorithm>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "grpcpp/health_check_service_interface.h"
#include "server/config/build_info.h"
#include "server/daemon/daemon_parts.h"
#include "server/service/dispatch_service.h"
#include "server/service/estimate_service.h"
#include "server/service/model_service.h"
#include "server/service/reflection_service.h"
#include "server/service/services.h"
#include "server/service/simulation_service.h"
#include "server/service/solver_service.h"
#include "server/service/sweep_service.h"

namespace vrp {
namespace {

// Bounds the memory of a parsed message, as a multiple of its limit on the wire.
constexpr int64_t kParsedSizeFactor = 4;
// The name for readiness in grpc.health.v1. The name "" and the services' names mean liveness.
// TrainingService does not serve after the loss of a GPU.
constexpr char kReadinessService[] = "readiness";
constexpr char kDeviceLost[] = "a GPU is lost: no training until the daemon has restarted";

MessageBudget::Options BudgetOf(const VrpdOptions& vrpd) {
  const int64_t total = int64_t{vrpd.max_request_memory_mib} << 20;
  return {.per_message = std::min(kParsedSizeFactor * (int64_t{vrpd.max_message_mib} << 20), total),
          .total = total};
}

}  // namespace

void Daemon::Parts::MakeHandlers() {
  const VrpdOptions& vrpd = options.vrpd;
  streams =
      std::make_unique<StreamTracker>(StreamTracker::Options{.tick = options.heartbeat_interval,
                                                             .max_streams = vrpd.max_open_streams,
                                                             .silence = options.upload_timeout});
  solver_handler = std::make_unique<SolverHandler>(
      SolverHandler::Options{.registry = registry.get(),
                             .matrices = matrices.get(),
                             .roads = roads.get(),
                             .histories = histories.get(),
                             .clock = options.clock,
                             .metrics = &telemetry->metrics(),
                             .watchdog = &telemetry->watchdog(),
                             .batcher = batcher.get(),
                             .busy = &busy,
                             .max_threads = vrpd.threads,
                             .max_nodes = vrpd.max_nodes,
                             .max_budget = absl::Seconds(vrpd.max_budget_s),
                             .max_job_budget = absl::Seconds(vrpd.max_solve_job_budget_s)});
  dispatch_handler = std::make_unique<DispatchHandler>(
      DispatchHandler::Options{.matrices = matrices.get(),
                               .registry = registry.get(),
                               .logs = logs.get(),
                               .roads = roads.get(),
                               .clock = options.clock,
                               .metrics = &telemetry->metrics(),
                               .watchdog = &telemetry->watchdog(),
                               .busy = &busy,
                               .max_nodes = vrpd.max_nodes,
                               .max_budget = absl::Seconds(vrpd.max_budget_s)});
  estimate_handler =
      std::make_unique<EstimateHandler>(EstimateHandler::Options{.matrices = matrices.get(),
                                                                 .registry = registry.get(),
                                                                 .busy = &busy,
                                                                 .threads = vrpd.threads,
                                                                 .max_nodes = vrpd.max_nodes});
  training_handler = std::make_unique<TrainingHandler>(TrainingHandler::Options{
      .jobs = jobs.get(),
      .default_device = job_device,
      .data_folders = RestrictsTrainingFiles(vrpd) ? DataFolders(vrpd.data_dirs) : std::nullopt});
  model_handler = std::make_unique<ModelHandler>(
      ModelEvaluationContext{.registry = registry.get(),
                             .datasets = datasets.get(),
                             .matrices = matrices.get(),
                             .clock = options.clock,
                             .busy = &busy,
                             .threads = vrpd.threads,
                             .max_nodes = vrpd.max_nodes,
                             .watch = telemetry->watchdog().AsFunction()},
      &book->quota());
}

absl::Status Daemon::Parts::OpenSolveJobs() {
  const Watchdog::Watch watched = WatchStart("solve jobs");
  const VrpdOptions& vrpd = options.vrpd;
  request_solver = std::make_unique<RequestSolver>(
      *solver_handler, std::max(1, vrpd.threads / vrpd.solve_jobs_at_once));
  VRP_ASSIGN_OR_RETURN(solve_jobs, SolveJobManager::Create({.book = book,
                                                            .solver = request_solver.get(),
                                                            .clock = options.clock,
                                                            .max_running = vrpd.solve_jobs_at_once,
                                                            .niceness = kSolveJobNiceness,
                                                            .max_queued = vrpd.max_queued_jobs}));
  solve_job_handler = std::make_unique<SolveJobHandler>(*solver_handler, *solve_jobs);
  return absl::OkStatus();
}

absl::Status Daemon::Parts::OpenSimulations() {
  const Watchdog::Watch watched = WatchStart("simulations");
  const VrpdOptions& vrpd = options.vrpd;
  simulation_solver = std::make_unique<SimulationSolver>(SimulationSolver::Context{
      .registry = *registry, .logs = *logs, .busy = busy, .watchdog = telemetry->watchdog()});
  // Simulations run one at a time, so that none takes time from the decisions of another.
  VRP_ASSIGN_OR_RETURN(simulations, SolveJobManager::Create({.kind = JobKind::kSimulation,
                                                             .book = book,
                                                             .solver = simulation_solver.get(),
                                                             .datasets = datasets.get(),
                                                             .clock = options.clock,
                                                             .max_running = 1,
                                                             .niceness = kSolveJobNiceness,
                                                             .max_queued = vrpd.max_queued_jobs}));
  simulation_handler = std::make_unique<SimulationHandler>(SimulationHandler::Context{
      .jobs = *simulations, .registry = *registry, .logs = *logs, .max_nodes = vrpd.max_nodes});
  return absl::OkStatus();
}

absl::Status Daemon::Parts::OpenSweeps() {
  const Watchdog::Watch watched = WatchStart("sweeps");
  const VrpdOptions& vrpd = options.vrpd;
  VRP_ASSIGN_OR_RETURN(sweeps, SweepManager::Create({.book = book,
                                                     .jobs = jobs.get(),
                                                     .registry = registry.get(),
                                                     .clock = options.clock,
                                                     .max_queued = vrpd.max_queued_jobs}));
  sweep_handler = std::make_unique<SweepHandler>(SweepHandler::Options{
      .sweeps = sweeps.get(),
      .default_device = job_device,
      .data_folders = RestrictsTrainingFiles(vrpd) ? DataFolders(vrpd.data_dirs) : std::nullopt});
  return absl::OkStatus();
}

// Returns the number of requests that a batch stream reads ahead: a batch for a GPU, 0 for a CPU.
int32_t Daemon::Parts::ReadAhead() const {
  const VrpdOptions& vrpd = options.vrpd;
  return default_device == "cpu" ? 0 : std::min(vrpd.max_batch, vrpd.network_queue);
}

void Daemon::Parts::MakeServices() {
  messages = std::make_unique<MessageBudget>(BudgetOf(options.vrpd));
  const ServiceContext context{.solve_pool = *solve_pool,
                               .batch_pool = *batch_pool,
                               .quick_pool = *quick_pool,
                               .streams = *streams,
                               .messages = *messages,
                               .clock = *options.clock,
                               .drain = drain,
                               .read_ahead = ReadAhead()};
  services.push_back(std::make_unique<SolverService>(context, *solver_handler, *solve_job_handler));
  services.push_back(std::make_unique<DispatchService>(context, *dispatch_handler));
  services.push_back(std::make_unique<EstimateService>(context, *estimate_handler));
  services.push_back(std::make_unique<SimulationService>(context, *simulation_handler));
  services.push_back(std::make_unique<ReflectionService>(context));
  services.push_back(std::make_unique<TrainingService>(context, *training_handler));
  services.push_back(std::make_unique<SweepService>(context, *sweep_handler));
  services.push_back(std::make_unique<ModelService>(context, *model_handler));
  services.push_back(
      std::make_unique<DatasetService>(context,
                                       DatasetService::Stores{.matrices = *matrices,
                                                              .datasets = *datasets,
                                                              .solve_jobs = *solve_job_handler,
                                                              .training_jobs = *jobs,
                                                              .logs = *logs,
                                                              .histories = *histories},
                                       options.vrpd.max_nodes));
  services.push_back(
      std::make_unique<SystemService>(context,
                                      SystemFacts{.grpc_version = grpc::Version(),
                                                  .devices = known_devices,
                                                  .default_device = default_device,
                                                  .vrpd = options.vrpd,
                                                  .started = started,
                                                  .metrics_address = telemetry->metrics_address(),
                                                  .metrics_url = telemetry->metrics_url(),
                                                  .device_loss = device_loss.get()},
                                      *telemetry,
                                      BackupSources{.book = book.get(),
                                                    .models_directory = options.vrpd.models_dir,
                                                    .program = ProgramName(),
                                                    .clock = options.clock,
                                                    .watch = telemetry->watchdog().AsFunction()}));
}

absl::Status Daemon::Parts::OpenAccess() {
  const VrpdOptions& vrpd = options.vrpd;
  if (!vrpd.tls_certificate.empty()) {
    VRP_ASSIGN_OR_RETURN(tls, TlsFiles::Create({.certificate = vrpd.tls_certificate,
                                                .key = vrpd.tls_key,
                                                .client_ca = vrpd.tls_client_ca},
                                               options.clock->Now()));
    expiry = std::make_unique<ExpiryMonitor>(
        ExpiryMonitor::Options{.files = tls.get(), .clock = options.clock});
  }
  if (!vrpd.tokens.empty()) {
    VRP_ASSIGN_OR_RETURN(access, AccessControl::Create(vrpd.tokens));
  }
  return absl::OkStatus();
}

absl::Status Daemon::Parts::Listen() {
  const Watchdog::Watch watched = WatchStart("port");
  VRP_ASSIGN_OR_RETURN(port, OpenPort(options.vrpd, services,
                                      {.tls = tls.get(),
                                       .access = access.get(),
                                       .handshake_timeout = options.handshake_timeout},
                                      {.metrics = telemetry->metrics(), .drain = drain}));
  grpc::HealthCheckServiceInterface& health = *port.server->GetHealthCheckService();
  health.SetServingStatus(true);
  for (const char* name :
       {v1::SolverService::service_full_name(), v1::DispatchService::service_full_name(),
        v1::EstimateService::service_full_name(), v1::SimulationService::service_full_name(),
        v1::TrainingService::service_full_name(), v1::SweepService::service_full_name(),
        v1::ModelService::service_full_name(), v1::DatasetService::service_full_name(),
        v1::SystemService::service_full_name()}) {
    health.SetServingStatus(name, true);
  }
  // Searches continue; training jobs wait until the daemon has restarted.
  device_loss->SetListener([this, &health] {
    telemetry->readiness().Set(kDeviceLost, true);
    health.SetServingStatus(v1::TrainingService::service_full_name(), false);
  });
  return absl::OkStatus();
}

absl::Status Daemon::Parts::ListenForHttp() {
  const VrpdOptions& vrpd = options.vrpd;
  if (vrpd.http_listen.empty()) return absl::OkStatus();
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);  // the daemon's own limit holds
  HttpServer::Options given{
      .listen = vrpd.http_listen,
      .hosts = vrpd.http_hosts,
      .page = {.map_tiles = vrpd.map_tiles, .map_attribution = vrpd.map_attribution},
      .has_road_networks = !vrpd.road_networks.empty(),
      .channel = port.server->InProcessChannel(arguments),
      .tls = tls.get(),
      .access = access.get(),
      .metrics = &telemetry->metrics()};
  given.max_message_bytes = int64_t{vrpd.max_message_mib} << 20;
  given.max_body_memory = int64_t{vrpd.max_request_memory_mib} << 20;
  given.max_connections = vrpd.max_connections;
  given.handshake = options.handshake_timeout;
  given.silence = options.upload_timeout;
  VRP_ASSIGN_OR_RETURN(http, HttpServer::Create(std::move(given)));
  return absl::OkStatus();
}

void Daemon::Parts::StartTelemetry() {
  telemetry->Serve({.book = book.get(),
                    .registry = registry.get(),
                    .solve_pool = solve_pool.get(),
                    .batch_pool = batch_pool.get(),
                    .quick_pool = quick_pool.get(),
                    .batcher = batcher.get(),
                    .streams = streams.get(),
                    .roads = roads.get(),
                    .devices = devices.get(),
                    .busy = &busy});
  const auto set_health = [health = port.server->GetHealthCheckService()](bool ready) {
    health->SetServingStatus(kReadinessService, ready);
  };
  monitor =
      std::make_unique<HealthMonitor>(HealthMonitor::Options{.readiness = &telemetry->readiness(),
                                                             .solve_pool = solve_pool.get(),
                                                             .state_dir = options.vrpd.state_dir,
                                                             .on_ready = set_health});
}

bool Daemon::Parts::HasJobs() const {
  const absl::StatusOr<std::vector<JobCount>> counts = book->store().Count();
  if (!counts.ok()) return true;
  return std::any_of(counts->begin(), counts->end(), [](const JobCount& count) {
    return !IsFinal(count.state) && count.state != JobState::kPaused;
  });
}

void Daemon::Parts::WatchIdleness() {
  if (options.vrpd.exit_when_idle_s == 0 || options.on_idle == nullptr) return;
  idle_monitor = std::make_unique<IdleMonitor>(
      IdleMonitor::Options{.limit = absl::Seconds(options.vrpd.exit_when_idle_s),
                           .metrics = &telemetry->metrics(),
                           .has_jobs = [this] { return HasJobs(); },
                           .on_idle = options.on_idle});
}

}  // namespace vrp
