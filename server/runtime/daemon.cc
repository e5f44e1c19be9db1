#include "server/runtime/daemon.h"

#include <algorithm>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/device/device.h"
#include "core/device/device_loss.h"
#include "core/device/device_telemetry.h"
#include "core/jobs/job_book.h"
#include "core/jobs/job_manager.h"
#include "core/jobs/solve_job_manager.h"
#include "core/registry/matrix_store.h"
#include "core/registry/registry.h"
#include "core/solve/decode_batcher.h"
#include "grpcpp/grpcpp.h"
#include "grpcpp/health_check_service_interface.h"
#include "server/config/build_info.h"
#include "server/runtime/logging.h"
#include "server/runtime/port.h"
#include "server/runtime/state_checks.h"
#include "server/service/model_service.h"
#include "server/service/reflection_service.h"
#include "server/service/request_solver.h"
#include "server/service/services.h"
#include "server/service/solver_service.h"
#include "server/telemetry/device_loss_notice.h"
#include "server/telemetry/device_sampler.h"
#include "server/telemetry/health_monitor.h"
#include "server/telemetry/metered_trainer.h"
#include "server/telemetry/telemetry.h"
#include "server/telemetry/watched_trainer.h"

namespace vrp {
namespace {

constexpr int32_t kQuickThreads = 2;
// Jobs run one at a time, and a step is short.
constexpr int32_t kPatientThreads = 2;
constexpr int32_t kPatientQueue = 16;
// What answers at once, refusals too, goes before Solve, that before training and training before
// solve jobs: each step leaves the lower one about three tenths, a tenth, or a quarter, of a core
// that both want.
constexpr int32_t kSolveNiceness = 4;
constexpr int32_t kTrainingNiceness = 14;
constexpr int32_t kSolveJobNiceness = 19;
constexpr int32_t kQuickQueue = 1000;
// A message may take so many times the most that it has on the wire.
constexpr int64_t kUnpackedSizes = 4;
// Nodes of a batch that a network decodes: its kernels on a CPU gain nothing from more than about
// two of their own groups.
constexpr int64_t kCpuBatchRows = 840;
constexpr int64_t kGpuBatchRows = 1 << 19;
// Of grpc.health.v1, beside "" (alive) and the services' names (likewise).
constexpr char kReadinessService[] = "readiness";
constexpr char kDeviceLost[] = "a GPU is lost until the daemon has started anew: no training";

MessageBudget::Options BudgetOf(const VrpdOptions& vrpd) {
  const int64_t together = int64_t{vrpd.max_request_memory_mib} << 20;
  return {.each = std::min(kUnpackedSizes * (int64_t{vrpd.max_message_mib} << 20), together),
          .together = together};
}

void WarnOfModel(const absl::Status& status) {
  LogWarning(Concat("a new version of a model cannot be used, an older one serves: ",
                    FromAbsl(status.message())));
}

// `device: auto` takes the CPU where a GPU's driver is too old, which its owner should know.
void WarnOfDriver(const VrpdOptions& vrpd, const std::vector<DeviceInfo>& known) {
  const CudaVersions cuda = ReadCudaVersions();
  if (vrpd.device != "auto" || known.size() > 1 || cuda.built == 0 || cuda.driver == 0) {
    return;
  }
  LogWarning(Concat("no GPU is used: ", WhyNoCuda()));
}

}  // namespace

// In the order of creation; ~Daemon takes them down in the order that it states.
struct Daemon::Parts {
  explicit Parts(Options given) : options(std::move(given)) {}

  absl::Status OpenTelemetry();
  void WatchDevices();
  absl::Status OpenCore();
  void MakePools();
  void MakeBatcher();
  void MakeHandlers();
  absl::Status OpenSolveJobs();
  int32_t ReadAhead() const;
  void MakeServices();
  absl::Status OpenAccess();
  absl::Status Listen();
  void TellTelemetry();

  const Options options;
  absl::Time started;
  std::string default_device;
  std::unique_ptr<TlsFiles> tls;
  std::unique_ptr<AccessControl> access;
  std::unique_ptr<Telemetry> telemetry;
  const std::shared_ptr<DeviceLossNotice> device_loss = std::make_shared<DeviceLossNotice>();
  std::unique_ptr<DeviceSampler> devices;
  std::unique_ptr<Registry> registry;
  std::unique_ptr<MatrixStore> matrices;
  std::unique_ptr<WorkPool> solve_pool;
  std::unique_ptr<WorkPool> patient_pool;
  std::unique_ptr<WorkPool> quick_pool;
  std::unique_ptr<DecodeBatcher> batcher;
  std::unique_ptr<StreamHub> streams;
  std::unique_ptr<MessageBudget> messages;
  std::unique_ptr<WatchedTrainer> watched_trainer;
  std::unique_ptr<MeteredTrainer> trainer;
  std::shared_ptr<JobBook> book;
  std::unique_ptr<JobManager> jobs;
  std::unique_ptr<SolverHandler> solver_handler;
  std::unique_ptr<RequestSolver> request_solver;
  std::unique_ptr<SolveJobManager> solve_jobs;
  std::unique_ptr<SolveJobHandler> solve_job_handler;
  std::unique_ptr<TrainingHandler> training_handler;
  std::unique_ptr<ModelHandler> model_handler;
  std::vector<std::unique_ptr<grpc::Service>> services;
  Port port;
  std::unique_ptr<HealthMonitor> monitor;
};

absl::Status Daemon::Parts::OpenTelemetry() {
  started = options.clock->Now();
  VRP_ASSIGN_OR_RETURN(telemetry, Telemetry::Create({.metrics_listen = options.vrpd.metrics_listen,
                                                     .started = started,
                                                     .tls = tls.get(),
                                                     .access = access.get()}));
  SetDeviceLossListener(
      [notice = device_loss, then = options.on_device_loss](const absl::Status& lost) {
        notice->Set(lost);
        if (then != nullptr) then(lost);
      });
  return absl::OkStatus();
}

void Daemon::Parts::WatchDevices() {
  const std::string& library = options.vrpd.nvml_library;
  const std::vector<DeviceInfo> known = ListDevices();
  auto reader = MakeTelemetryReader({.library = library, .devices = known});
  // Where there is no GPU the library is not missed, unless it was named.
  WarnOfDriver(options.vrpd, known);
  if (!reader.ok() && (known.size() > 1 || library != VrpdOptions().nvml_library)) {
    LogWarning(Concat("nothing is known of how busy the GPUs are: ", reader.status().message()));
  }
  devices = std::make_unique<DeviceSampler>(std::move(reader));
}

absl::Status Daemon::Parts::OpenCore() {
  const VrpdOptions& vrpd = options.vrpd;
  VRP_ASSIGN_OR_RETURN(const DeviceId device, ResolveDevice(vrpd.device));
  default_device = device.ToString();
  VRP_RETURN_IF_ERROR(MakePrivateDirectory(vrpd.state_dir));
  VRP_ASSIGN_OR_RETURN(registry,
                       Registry::Create({.directory = vrpd.models_dir,
                                         .read_only_directories = vrpd.read_only_models_dirs,
                                         .device = device,
                                         .loader = options.policy_loader,
                                         .on_failure = WarnOfModel,
                                         .watch = telemetry->watchdog().AsFunction()}));
  watched_trainer = std::make_unique<WatchedTrainer>(*options.trainer, telemetry->watchdog());
  trainer = std::make_unique<MeteredTrainer>(*watched_trainer, *devices);
  VRP_ASSIGN_OR_RETURN(
      book, JobBook::Open(vrpd.state_dir, options.clock, int64_t{vrpd.state_quota_mb} * 1'000'000));
  VRP_ASSIGN_OR_RETURN(matrices,
                       MatrixStore::Create({.directory = book->folder().MatricesPath(),
                                            .check_room = [&quota = book->quota()](int64_t bytes) {
                                              return quota.Check(bytes);
                                            }}));
  VRP_ASSIGN_OR_RETURN(jobs, JobManager::Create({.book = book,
                                                 .trainer = trainer.get(),
                                                 .registry = registry.get(),
                                                 .clock = options.clock,
                                                 .threads = vrpd.threads,
                                                 .default_device = default_device,
                                                 .max_queued = vrpd.max_queued_jobs,
                                                 .niceness = kTrainingNiceness}));
  WarnOfLostJobs(*book);
  return absl::OkStatus();
}

void Daemon::Parts::MakePools() {
  const VrpdOptions& vrpd = options.vrpd;
  const auto make = [this](const char* name, WorkPool::Options pool) {
    pool.on_begin = telemetry->metrics().WaitOf(name);
    return std::make_unique<WorkPool>(pool);
  };
  solve_pool = make("solve", {.threads = std::max(2, vrpd.threads),
                              .max_queued = vrpd.solve_queue,
                              .niceness = kSolveNiceness});
  patient_pool = make("patient", {.threads = kPatientThreads, .max_queued = kPatientQueue});
  quick_pool = make("quick", {.threads = kQuickThreads,
                              .max_queued = kQuickQueue,
                              .watch = telemetry->watchdog().AsFunction(),
                              .phase = "quick request"});
  MakeBatcher();
}

void Daemon::Parts::MakeBatcher() {
  const VrpdOptions& vrpd = options.vrpd;
  const bool on_cpu = default_device == "cpu";
  DecodeBatcher::Options batching;
  batching.limits = {.max_batch = vrpd.max_batch,
                     .max_rows = on_cpu ? kCpuBatchRows : kGpuBatchRows,
                     .max_waiting = vrpd.network_queue};
  // A GPU has one thread that gives it work; CPUs take a batch each.
  batching.max_running = on_cpu ? vrpd.threads : 1;
  batching.max_delay = absl::Microseconds(vrpd.max_batch_delay_us);
  batching.run_later = [pool = solve_pool.get()](absl::AnyInvocable<void()> work) {
    pool->Run(std::move(work));
  };
  batching.others_wait = [pool = solve_pool.get()] { return pool->waiting() > 0; };
  batching.on_batch =
      [metrics = &telemetry->metrics(),
       wait = telemetry->metrics().WaitOf("network")](const DecodeBatcher::Report& report) {
        for (const absl::Duration waited : report.waited) wait(waited);
        metrics->Decoded(report.waited.size(), report.computed);
      };
  batching.watch = telemetry->watchdog().AsFunction();
  batcher = std::make_unique<DecodeBatcher>(std::move(batching));
}

void Daemon::Parts::MakeHandlers() {
  const VrpdOptions& vrpd = options.vrpd;
  streams = std::make_unique<StreamHub>(StreamHub::Options{
      .tick = options.heartbeat, .max_streams = vrpd.max_open_streams, .silence = options.silence});
  solver_handler = std::make_unique<SolverHandler>(
      SolverHandler::Options{.registry = registry.get(),
                             .matrices = matrices.get(),
                             .clock = options.clock,
                             .metrics = &telemetry->metrics(),
                             .watchdog = &telemetry->watchdog(),
                             .batcher = batcher.get(),
                             .max_threads = vrpd.threads,
                             .max_nodes = vrpd.max_nodes,
                             .max_budget = absl::Seconds(vrpd.max_budget_s),
                             .max_job_budget = absl::Seconds(vrpd.max_solve_job_budget_s)});
  training_handler = std::make_unique<TrainingHandler>(TrainingHandler::Options{
      .jobs = jobs.get(),
      .default_device = default_device,
      .data_folders = RestrictsTrainingFiles(vrpd) ? DataFolders(vrpd.data_dirs) : std::nullopt});
  model_handler = std::make_unique<ModelHandler>(
      ModelEvaluationContext{.registry = registry.get(),
                             .matrices = matrices.get(),
                             .clock = options.clock,
                             .threads = vrpd.threads,
                             .max_nodes = vrpd.max_nodes,
                             .watch = telemetry->watchdog().AsFunction()},
      &book->quota());
}

absl::Status Daemon::Parts::OpenSolveJobs() {
  const VrpdOptions& vrpd = options.vrpd;
  request_solver = std::make_unique<RequestSolver>(
      *solver_handler, std::max(1, vrpd.threads / vrpd.solve_jobs_at_once));
  VRP_ASSIGN_OR_RETURN(solve_jobs, SolveJobManager::Create({.book = book,
                                                            .solver = request_solver.get(),
                                                            .clock = options.clock,
                                                            .at_once = vrpd.solve_jobs_at_once,
                                                            .niceness = kSolveJobNiceness,
                                                            .max_queued = vrpd.max_queued_jobs}));
  solve_job_handler = std::make_unique<SolveJobHandler>(*solver_handler, *solve_jobs);
  return absl::OkStatus();
}

// As many requests as a GPU takes at once and may wait for it.
int32_t Daemon::Parts::ReadAhead() const {
  const VrpdOptions& vrpd = options.vrpd;
  return default_device == "cpu" ? 0 : std::min(vrpd.max_batch, vrpd.network_queue);
}

void Daemon::Parts::MakeServices() {
  const VrpdOptions& vrpd = options.vrpd;
  messages = std::make_unique<MessageBudget>(BudgetOf(vrpd));
  const ServiceContext context{.solve_pool = *solve_pool,
                               .patient_pool = *patient_pool,
                               .quick_pool = *quick_pool,
                               .streams = *streams,
                               .messages = *messages,
                               .clock = *options.clock,
                               .read_ahead = ReadAhead()};
  services.push_back(std::make_unique<SolverService>(context, *solver_handler, *solve_job_handler));
  services.push_back(std::make_unique<ReflectionService>(context));
  services.push_back(std::make_unique<TrainingService>(context, *training_handler));
  services.push_back(std::make_unique<ModelService>(context, *model_handler));
  services.push_back(
      std::make_unique<DatasetService>(context, *matrices, *solve_job_handler, vrpd.max_nodes));
  services.push_back(
      std::make_unique<SystemService>(context,
                                      SystemFacts{.grpc_version = grpc::Version(),
                                                  .default_device = default_device,
                                                  .vrpd = vrpd,
                                                  .started = started,
                                                  .metrics_address = telemetry->metrics_address(),
                                                  .device_loss = device_loss.get()},
                                      *telemetry,
                                      BackupSources{.book = book.get(),
                                                    .models_directory = vrpd.models_dir,
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
  }
  if (!vrpd.tokens.empty()) {
    VRP_ASSIGN_OR_RETURN(access, AccessControl::Create(vrpd.tokens));
  }
  return absl::OkStatus();
}

absl::Status Daemon::Parts::Listen() {
  VRP_ASSIGN_OR_RETURN(
      port,
      OpenPort(options.vrpd, services,
               {.tls = tls.get(), .access = access.get(), .handshake_timeout = options.handshake},
               telemetry->metrics()));
  grpc::HealthCheckServiceInterface& health = *port.server->GetHealthCheckService();
  health.SetServingStatus(true);
  for (const char* name :
       {v1::SolverService::service_full_name(), v1::TrainingService::service_full_name(),
        v1::ModelService::service_full_name(), v1::DatasetService::service_full_name(),
        v1::SystemService::service_full_name()}) {
    health.SetServingStatus(name, true);
  }
  // What searches alone goes on; the jobs wait until the daemon has started anew.
  device_loss->SetTold([this, &health] {
    telemetry->readiness().Set(kDeviceLost, true);
    health.SetServingStatus(v1::TrainingService::service_full_name(), false);
  });
  return absl::OkStatus();
}

void Daemon::Parts::TellTelemetry() {
  telemetry->Serve({.book = book.get(),
                    .registry = registry.get(),
                    .solve_pool = solve_pool.get(),
                    .patient_pool = patient_pool.get(),
                    .quick_pool = quick_pool.get(),
                    .batcher = batcher.get(),
                    .streams = streams.get(),
                    .devices = devices.get()});
  const auto tell = [health = port.server->GetHealthCheckService()](bool ready) {
    health->SetServingStatus(kReadinessService, ready);
  };
  monitor =
      std::make_unique<HealthMonitor>(HealthMonitor::Options{.readiness = &telemetry->readiness(),
                                                             .watchdog = &telemetry->watchdog(),
                                                             .metrics = &telemetry->metrics(),
                                                             .solve_pool = solve_pool.get(),
                                                             .state_dir = options.vrpd.state_dir,
                                                             .on_ready = tell});
}

Daemon::Daemon(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

absl::StatusOr<std::unique_ptr<Daemon>> Daemon::Create(Options options) {
  std::unique_ptr<Daemon> daemon(new Daemon(std::make_unique<Parts>(std::move(options))));
  VRP_RETURN_IF_ERROR(daemon->parts_->OpenAccess());
  VRP_RETURN_IF_ERROR(daemon->parts_->OpenTelemetry());
  daemon->parts_->WatchDevices();
  VRP_RETURN_IF_ERROR(daemon->parts_->OpenCore());
  daemon->parts_->MakePools();
  daemon->parts_->MakeHandlers();
  VRP_RETURN_IF_ERROR(daemon->parts_->OpenSolveJobs());
  daemon->parts_->MakeServices();
  VRP_RETURN_IF_ERROR(daemon->parts_->Listen());
  daemon->parts_->TellTelemetry();
  return daemon;
}

Daemon::~Daemon() {
  Parts& parts = *parts_;
  SetDeviceLossListener(nullptr);
  parts.device_loss->SetTold(nullptr);
  if (parts.telemetry != nullptr) parts.telemetry->Drain();
  parts.monitor = nullptr;
  if (parts.jobs != nullptr) parts.jobs->StopPublishing();
  if (parts.port.server != nullptr) {
    parts.port.server->GetHealthCheckService()->Shutdown();
    parts.streams->Close();
    parts.port.Close(parts.options.drain);
  }
  // No call is left. The pools' threads end before the jobs that their tasks use, and the pools
  // themselves after: a job that stops may still tell a stream that is gone.
  if (parts.solve_pool != nullptr) parts.solve_pool->Close();
  if (parts.patient_pool != nullptr) parts.patient_pool->Close();
  if (parts.quick_pool != nullptr) parts.quick_pool->Close();
  parts.solve_jobs = nullptr;
  parts.jobs = nullptr;
  if (parts.telemetry != nullptr) parts.telemetry->Forget();
}

void Daemon::Reload() {
  const auto tell = [](std::string_view what, const absl::Status& status) {
    if (status.ok()) return LogInfo(Concat("SIGHUP: read again: ", what));
    LogError(Concat("SIGHUP: ", what, " stay as they were: ", status.message()));
  };
  if (parts_->tls != nullptr) {
    tell("certificate and key", parts_->tls->Reload(parts_->options.clock->Now()));
  }
  if (parts_->access != nullptr) tell("tokens", parts_->access->Reload());
}

const std::string& Daemon::address() const { return parts_->port.address; }

std::string Daemon::metrics_address() const { return parts_->telemetry->metrics_address(); }

}  // namespace vrp
