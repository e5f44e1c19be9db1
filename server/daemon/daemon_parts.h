// The parts of a daemon. Only the files daemon*.cc include this header.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "core/device/device.h"
#include "core/device/device_load.h"
#include "core/jobs/job_book.h"
#include "core/jobs/job_manager.h"
#include "core/jobs/solve_job_manager.h"
#include "core/jobs/sweep/sweep_manager.h"
#include "core/registry/dataset_store.h"
#include "core/registry/matrix_store.h"
#include "core/registry/registry.h"
#include "core/solve/decode_batcher.h"
#include "grpcpp/grpcpp.h"
#include "grpcpp/impl/service_type.h"
#include "server/access/access_control.h"
#include "server/access/tls_files.h"
#include "server/daemon/daemon.h"
#include "server/daemon/port.h"
#include "server/http/http_server.h"
#include "server/roads/road_networks.h"
#include "server/service/dispatch_handler.h"
#include "server/service/estimate_handler.h"
#include "server/service/model_handler.h"
#include "server/service/request_solver.h"
#include "server/service/simulation_handler.h"
#include "server/service/simulation_solver.h"
#include "server/service/solve_job_handler.h"
#include "server/service/solver_handler.h"
#include "server/service/sweep_handler.h"
#include "server/service/training_handler.h"
#include "server/service/uploaded_histories.h"
#include "server/service/uploaded_logs.h"
#include "server/support/busy_threads.h"
#include "server/support/drain.h"
#include "server/support/message_budget.h"
#include "server/support/stream_tracker.h"
#include "server/support/work_pool.h"
#include "server/telemetry/device_loss_notice.h"
#include "server/telemetry/device_sampler.h"
#include "server/telemetry/device_usage_trainer.h"
#include "server/telemetry/expiry_monitor.h"
#include "server/telemetry/health_monitor.h"
#include "server/telemetry/idle_monitor.h"
#include "server/telemetry/telemetry.h"
#include "server/telemetry/thread_counting_trainer.h"
#include "server/telemetry/watchdog.h"
#include "server/telemetry/watchdog_trainer.h"
#include "server/worker/workers_trainer.h"

namespace vrp {

// Niceness values. Quick answers (0) have priority over Solve, training, and solve jobs and
// simulations, in this order. If two adjacent classes compete for a core, the lower one gets about
// 0.3, 0.1 or 0.25 of it.
inline constexpr int32_t kSolveNiceness = 4;
inline constexpr int32_t kTrainingNiceness = 14;
inline constexpr int32_t kSolveJobNiceness = 19;

// The parts, which are destroyed in reverse order. ~Daemon closes or destroys some of them earlier.
struct Daemon::Parts {
  explicit Parts(Options given) : options(std::move(given)) {}

  absl::Status OpenTelemetry();
  absl::Status OpenDevices();
  absl::Status OpenModels();
  absl::Status OpenJobBook();
  absl::Status OpenTrainingJobs();
  absl::Status OpenRoads();
  void MakePools();
  void MakeBatcher();
  void MakeHandlers();
  absl::Status OpenSolveJobs();
  absl::Status OpenSimulations();
  absl::Status OpenSweeps();
  std::vector<DeviceId> SpreadGpus() const;  // of networks; empty if they run on `device`
  int32_t ReadAhead() const;
  void MakeServices();
  absl::Status OpenAccess();
  absl::Status Listen();
  absl::Status ListenForHttp();
  void StartTelemetry();
  // Whether a job waits or runs. Also true if the job store cannot be read.
  bool HasJobs() const;
  void WatchIdleness();
  // Watches a part of the start until the result is destroyed.
  Watchdog::Watch WatchStart(std::string_view part);

  const Options options;
  Drain drain{options.drain_timeout};
  absl::Time started;
  std::vector<DeviceInfo> known_devices;
  std::vector<DeviceId> used_devices;  // see TrainingPlaces::Options::used
  DeviceLoad load;
  DeviceId device;  // of networks
  std::string default_device;
  std::string job_device;  // of training jobs that name none: default_device, or "auto"
  std::unique_ptr<TlsFiles> tls;
  std::unique_ptr<ExpiryMonitor> expiry;
  std::unique_ptr<AccessControl> access;
  std::unique_ptr<Telemetry> telemetry;
  const std::shared_ptr<DeviceLossNotice> device_loss = std::make_shared<DeviceLossNotice>();
  std::unique_ptr<DeviceSampler> devices;
  std::unique_ptr<Registry> registry;
  std::unique_ptr<MatrixStore> matrices;
  std::unique_ptr<DatasetStore> datasets;
  std::unique_ptr<UploadedLogs> logs;
  std::unique_ptr<UploadedHistories> histories;
  std::unique_ptr<RoadNetworks> roads;
  std::unique_ptr<WorkPool> solve_pool;
  std::unique_ptr<WorkPool> batch_pool;
  std::unique_ptr<WorkPool> quick_pool;
  std::unique_ptr<DecodeBatcher> batcher;
  std::unique_ptr<StreamTracker> streams;
  std::unique_ptr<MessageBudget> messages;
  BusyThreads busy{options.vrpd.threads};
  std::unique_ptr<WorkersTrainer> workers_trainer;
  std::unique_ptr<WatchdogTrainer> watchdog_trainer;
  std::unique_ptr<ThreadCountingTrainer> thread_counting_trainer;
  std::unique_ptr<DeviceUsageTrainer> trainer;
  std::shared_ptr<JobBook> book;
  std::unique_ptr<JobManager> jobs;
  std::unique_ptr<SweepManager> sweeps;
  std::unique_ptr<SweepHandler> sweep_handler;
  std::unique_ptr<SolverHandler> solver_handler;
  std::unique_ptr<RequestSolver> request_solver;
  std::unique_ptr<SolveJobManager> solve_jobs;
  std::unique_ptr<SolveJobHandler> solve_job_handler;
  std::unique_ptr<SimulationSolver> simulation_solver;
  std::unique_ptr<SolveJobManager> simulations;
  std::unique_ptr<SimulationHandler> simulation_handler;
  std::unique_ptr<DispatchHandler> dispatch_handler;
  std::unique_ptr<EstimateHandler> estimate_handler;
  std::unique_ptr<TrainingHandler> training_handler;
  std::unique_ptr<ModelHandler> model_handler;
  std::vector<std::unique_ptr<grpc::Service>> services;
  Port port;
  std::unique_ptr<HttpServer> http;  // calls the port's server; null without http_listen
  std::unique_ptr<HealthMonitor> monitor;
  std::unique_ptr<IdleMonitor> idle_monitor;
};

}  // namespace vrp
