#include "server/daemon/daemon_parts.h"

#include <algorithm>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/device/device_loss.h"
#include "core/device/device_telemetry.h"
#include "core/jobs/training_places.h"
#include "core/model/policy/spread_policy.h"
#include "server/daemon/job_log.h"
#include "server/daemon/state_checks.h"
#include "server/support/logging.h"

namespace vrp {
namespace {

constexpr int32_t kQuickThreads = 2;
// Threads for requests that take seconds to minutes (WORK_CLASS_BATCH), such as LoadModel and
// UploadDataset.
constexpr int32_t kBatchThreads = 2;
constexpr int32_t kBatchQueue = 16;
constexpr int32_t kQuickQueue = 1000;
// Bounds the rows of a batch that a network decodes (see DecodeQueue::Limits). On a CPU, batches of
// more than two groups of the CPU kernels (420 rows each) are no faster.
constexpr int64_t kCpuBatchRows = 840;
constexpr int64_t kGpuBatchRows = 1 << 19;

void LogModelFailure(const absl::Status& status) {
  LogWarning("new model version failed to load, an older one stays in use",
             {{.name = "error", .value = std::string(status.message())}});
}

// Logs why `device: auto` uses the CPU although an NVIDIA driver answers, for example because the
// driver is too old.
void LogUnusedDriver(const VrpdOptions& vrpd, const std::vector<DeviceInfo>& known) {
  const CudaVersions cuda = ReadCudaVersions();
  if (vrpd.device != "auto" || known.size() > 1 || cuda.built == 0 || cuda.driver == 0) {
    return;
  }
  LogWarning("GPU not used", {{.name = "reason", .value = ExplainMissingCuda()}});
}

}  // namespace

Watchdog::Watch Daemon::Parts::WatchStart(std::string_view part) {
  return {telemetry->watchdog(),
          {.phase = "start", .owner = std::string(part), .limit = options.start_limit}};
}

absl::Status Daemon::Parts::OpenTelemetry() {
  started = options.clock->Now();
  VRP_ASSIGN_OR_RETURN(telemetry, Telemetry::Create({.metrics_listen = options.vrpd.metrics_listen,
                                                     .started = started,
                                                     .tls = tls.get(),
                                                     .access = access.get()}));
  SetDeviceLossListener(
      [notice = device_loss, on_loss = options.on_device_loss](const absl::Status& lost) {
        notice->Set(lost);
        if (on_loss != nullptr) on_loss(lost);
      });
  return absl::OkStatus();
}

absl::Status Daemon::Parts::OpenDevices() {
  const Watchdog::Watch watched = WatchStart("devices");
  const std::string& library = options.vrpd.nvml_library;
  known_devices = options.devices.empty() ? ListDevices() : options.devices;
  const std::vector<DeviceInfo>& known = known_devices;
  auto reader = MakeTelemetryReader({.library = library, .devices = known});
  LogUnusedDriver(options.vrpd, known);
  // Without a GPU, a missing library matters only if the user named it.
  if (!reader.ok() && (known.size() > 1 || library != VrpdOptions().nvml_library)) {
    LogWarning("GPU telemetry unavailable",
               {{.name = "error", .value = std::string(reader.status().message())}});
  }
  devices = std::make_unique<DeviceSampler>(std::move(reader));
  VRP_ASSIGN_OR_RETURN(device, ResolveDevice(options.vrpd.device, known));
  VRP_ASSIGN_OR_RETURN(used_devices, TrainingDevices(options.vrpd.devices, known));
  // Networks run on a device that this daemon uses.
  const bool chooses = options.vrpd.device == "auto";
  if (chooses && !used_devices.empty()) device = used_devices.front();
  default_device = device.ToString();
  // Without a GPU there is nothing to choose.
  job_device = chooses && known.size() > 1 ? "auto" : default_device;
  return absl::OkStatus();
}

std::vector<DeviceId> Daemon::Parts::SpreadGpus() const {
  std::vector<DeviceId> gpus;
  for (const DeviceId used : used_devices) {
    if (used.kind == DeviceKind::kCuda) gpus.push_back(used);
  }
  // A named device is kept.
  if (options.vrpd.device != "auto" || gpus.size() < 2) gpus.clear();
  return gpus;
}

absl::Status Daemon::Parts::OpenModels() {
  const Watchdog::Watch watched = WatchStart("models");
  const VrpdOptions& vrpd = options.vrpd;
  const std::vector<DeviceId> gpus = SpreadGpus();
  VRP_RETURN_IF_ERROR(MakePrivateDirectory(vrpd.state_dir));
  VRP_ASSIGN_OR_RETURN(
      registry,
      Registry::Create({.directory = vrpd.models_dir,
                        .read_only_directories = vrpd.read_only_models_dirs,
                        .device = device,
                        .loader = gpus.empty() ? options.policy_loader
                                               : SpreadLoader(options.policy_loader, gpus, load),
                        .on_failure = LogModelFailure,
                        .watch = telemetry->watchdog().AsFunction()}));
  return absl::OkStatus();
}

absl::Status Daemon::Parts::OpenJobBook() {
  const Watchdog::Watch watched = WatchStart("job database");
  const VrpdOptions& vrpd = options.vrpd;
  const int64_t quota_bytes = int64_t{vrpd.state_quota_mb} * 1'000'000;
  VRP_ASSIGN_OR_RETURN(book,
                       JobBook::Open(vrpd.state_dir, options.clock, quota_bytes, LogJobState));
  const auto check_space = [&quota = book->quota()](int64_t bytes) { return quota.Check(bytes); };
  VRP_ASSIGN_OR_RETURN(matrices, MatrixStore::Create({.directory = book->folder().MatricesPath(),
                                                      .check_space = check_space}));
  VRP_ASSIGN_OR_RETURN(datasets, DatasetStore::Create({.directory = book->folder().DatasetsPath(),
                                                       .check_space = check_space}));
  logs = std::make_unique<UploadedLogs>(*datasets);
  histories = std::make_unique<UploadedHistories>(*datasets);
  return absl::OkStatus();
}

absl::Status Daemon::Parts::OpenRoads() {
  const VrpdOptions& vrpd = options.vrpd;
  VRP_ASSIGN_OR_RETURN(
      roads, RoadNetworks::Create({.networks = vrpd.road_networks,
                                   .cache_bytes = static_cast<size_t>(vrpd.road_cache_mib) << 20,
                                   .clock = options.clock}));
  for (const RoadNetworkOptions& network : vrpd.road_networks) {
    LogInfo("road network", {{.name = "name", .value = network.name},
                             {.name = "kind", .value = std::string(RoadServiceName(network.kind))},
                             {.name = "url", .value = network.url.ToString()}});
  }
  return absl::OkStatus();
}

absl::Status Daemon::Parts::OpenTrainingJobs() {
  const Watchdog::Watch watched = WatchStart("training jobs");
  workers_trainer = std::make_unique<WorkersTrainer>(
      *options.trainer, WorkersOptions{.launcher = options.vrpd.worker_launcher,
                                       .program = WorkerProgramPath(),
                                       .patience = absl::Seconds(options.vrpd.worker_patience_s)});
  watchdog_trainer = std::make_unique<WatchdogTrainer>(*workers_trainer, telemetry->watchdog());
  thread_counting_trainer = std::make_unique<ThreadCountingTrainer>(*watchdog_trainer, busy);
  trainer = std::make_unique<DeviceUsageTrainer>(*thread_counting_trainer, *devices, load);
  VRP_ASSIGN_OR_RETURN(jobs, JobManager::Create({.book = book,
                                                 .trainer = trainer.get(),
                                                 .registry = registry.get(),
                                                 .datasets = datasets.get(),
                                                 .clock = options.clock,
                                                 .threads = options.vrpd.threads,
                                                 .jobs_at_once = options.vrpd.training_jobs_at_once,
                                                 .devices = known_devices,
                                                 .used_devices = used_devices,
                                                 .default_device = job_device,
                                                 .max_queued = options.vrpd.max_queued_jobs,
                                                 .niceness = kTrainingNiceness}));
  LogUnknownJobFolders(*book);
  return absl::OkStatus();
}

void Daemon::Parts::MakePools() {
  const VrpdOptions& vrpd = options.vrpd;
  const auto make = [this](const char* name, WorkPool::Options pool) {
    pool.on_begin = telemetry->metrics().QueueWaitObserver(name);
    return std::make_unique<WorkPool>(pool);
  };
  solve_pool = make("solve", {.threads = std::max(2, vrpd.threads),
                              .max_queued = vrpd.solve_queue,
                              .niceness = kSolveNiceness});
  batch_pool = make("batch", {.threads = kBatchThreads, .max_queued = kBatchQueue});
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
  // One thread submits work to each GPU; on a CPU each thread can decode a batch.
  const auto gpus = std::max<int32_t>(1, static_cast<int32_t>(SpreadGpus().size()));
  batching.max_running = on_cpu ? vrpd.threads : gpus;
  batching.max_delay = absl::Microseconds(vrpd.max_batch_delay_us);
  batching.run_later = [pool = solve_pool.get()](absl::AnyInvocable<void()> work) {
    pool->Run(std::move(work));
  };
  batching.has_other_work = [pool = solve_pool.get()] { return pool->waiting() > 0; };
  batching.on_batch = [metrics = &telemetry->metrics(),
                       wait = telemetry->metrics().QueueWaitObserver("network")](
                          const DecodeBatcher::Report& report) {
    for (const absl::Duration waited : report.waited) wait(waited);
    metrics->RecordBatch(report.waited.size(), report.computed);
  };
  batching.watch = telemetry->watchdog().AsFunction();
  batcher = std::make_unique<DecodeBatcher>(std::move(batching));
}

}  // namespace vrp
