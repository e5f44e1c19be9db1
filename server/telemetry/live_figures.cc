#include "server/telemetry/live_figures.h"

#include <cmath>
#include <initializer_list>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "server/config/build_info.h"

namespace vrp {
namespace {

using Labels = std::initializer_list<MetricLabel>;

class FamilyBuilder {
 public:
  FamilyBuilder(std::string name, std::string help, MetricType type = MetricType::kGauge)
      : family_{.name = std::move(name), .help = std::move(help), .type = type, .samples = {}} {}
  FamilyBuilder& Add(double value, Labels labels = {}) {
    family_.samples.push_back({.labels = labels, .value = value, .histogram = {}});
    return *this;
  }
  MetricFamily Take() { return std::move(family_); }

 private:
  MetricFamily family_;
};

void AddJobCounts(const LiveFigures& figures, std::vector<MetricFamily>& families) {
  if (!figures.jobs_status.ok()) return;  // a missing sample is better than a wrong one
  FamilyBuilder jobs("vrp_jobs", "Jobs by kind and state.");
  for (const JobCount& count : figures.jobs) {
    jobs.Add(static_cast<double>(count.jobs), {{"kind", std::string(JobKindName(count.kind))},
                                               {"state", std::string(JobStateName(count.state))}});
  }
  families.push_back(jobs.Take());
}

// Adds the families of active training jobs. Finished jobs are not active and have no samples.
void AddTrainings(const LiveFigures& figures, std::vector<MetricFamily>& families) {
  FamilyBuilder epoch("vrp_training_epoch", "Current epoch of a running training job, from 1.");
  FamilyBuilder step("vrp_training_step", "Finished steps of a running training job.");
  FamilyBuilder planned("vrp_training_planned_steps", "Planned steps of a running training job.");
  FamilyBuilder steps(
      "vrp_training_steps_per_second",
      "Steps per second of a running training job, averaged over its current epoch.");
  FamilyBuilder epochs(
      "vrp_training_seconds_per_epoch",
      "Duration of a running training job's last complete epoch, including its validation.");
  FamilyBuilder speed("vrp_training_instances_per_second",
                      "Instances per second in a running training job's last step.");
  FamilyBuilder loss("vrp_training_loss", "Loss of a running training job's last step.");
  FamilyBuilder cost("vrp_training_validation_cost",
                     "Mean cost in a running training job's last validation.");
  FamilyBuilder gap("vrp_training_validation_gap_ratio",
                    "Mean gap to `reference` in a running training job's last validation.");
  for (const Job& job : figures.active_jobs) {
    if (job.kind != JobKind::kTraining || !job.progress.has_value()) continue;
    const MetricLabel name{"job", ResourceName(job)};
    const TrainingProgress& progress = *job.progress;
    const auto add_known = [&](FamilyBuilder& family, double value) {
      if (std::isfinite(value)) family.Add(value, {name});
    };
    epoch.Add(static_cast<double>(progress.epoch), {name});
    step.Add(static_cast<double>(progress.step), {name});
    planned.Add(static_cast<double>(progress.steps), {name});
    add_known(steps, 1 / progress.seconds_per_step);
    add_known(epochs, progress.seconds_per_epoch);
    speed.Add(progress.instances_per_second, {name});
    loss.Add(progress.loss, {name});
    add_known(cost, progress.validation_cost);
    if (std::isfinite(progress.validation_gap)) {
      gap.Add(progress.validation_gap, {name, {"reference", progress.reference}});
    }
  }
  for (FamilyBuilder* family :
       {&epoch, &step, &planned, &steps, &epochs, &speed, &loss, &cost, &gap}) {
    families.push_back(family->Take());
  }
}

void AddSolveJobs(const LiveFigures& figures, std::vector<MetricFamily>& families) {
  FamilyBuilder cost("vrp_solve_job_cost", "Cost of a running solve job's best plan.");
  FamilyBuilder searched("vrp_solve_job_searched_seconds",
                         "Time that a running solve job has searched.");
  for (const Job& job : figures.active_jobs) {
    if (job.kind != JobKind::kSolve) continue;
    const std::string name = ResourceName(job);
    const SolveProgress& progress = job.solve.progress;
    searched.Add(absl::ToDoubleSeconds(progress.search_time), {{"job", name}});
    if (progress.improvements > 0) cost.Add(progress.cost, {{"job", name}});
  }
  families.push_back(cost.Take());
  families.push_back(searched.Take());
}

void AddSimulations(const LiveFigures& figures, std::vector<MetricFamily>& families) {
  FamilyBuilder days("vrp_simulation_finished_days", "Finished days of a running simulation.");
  for (const Job& job : figures.active_jobs) {
    if (job.kind != JobKind::kSimulation) continue;
    days.Add(static_cast<double>(job.solve.progress.parts), {{"job", ResourceName(job)}});
  }
  families.push_back(days.Take());
}

void AddSweeps(const LiveFigures& figures, std::vector<MetricFamily>& families) {
  FamilyBuilder trials("vrp_sweep_finished_trials",
                       "Trials of a running sweep that ended or wait for a selection.");
  for (const Job& job : figures.active_jobs) {
    if (job.kind != JobKind::kSweep) continue;
    trials.Add(static_cast<double>(job.solve.progress.parts), {{"job", ResourceName(job)}});
  }
  families.push_back(trials.Take());
}

void AddQueues(const LiveFigures& figures, std::vector<MetricFamily>& families) {
  FamilyBuilder waiting("vrp_queue_waiting", "Tasks that wait for a thread or a network.");
  FamilyBuilder capacity("vrp_queue_capacity",
                         "Number of requests that may wait; more are refused.");
  for (const QueueFigures& queue : figures.queues) {
    waiting.Add(static_cast<double>(queue.waiting), {{"queue", queue.queue}});
    capacity.Add(static_cast<double>(queue.capacity), {{"queue", queue.queue}});
  }
  families.push_back(waiting.Take());
  families.push_back(capacity.Take());
}

void AddProcess(const LiveFigures& figures, std::vector<MetricFamily>& families) {
  const ProcessFigures& process = figures.process;
  families.push_back(
      FamilyBuilder("process_resident_memory_bytes", "Resident memory of this process.")
          .Add(static_cast<double>(process.resident_bytes))
          .Take());
  families.push_back(FamilyBuilder("process_cpu_seconds_total",
                                   "User and system CPU time of this process.",
                                   MetricType::kCounter)
                         .Add(process.cpu_seconds)
                         .Take());
  families.push_back(
      FamilyBuilder("process_threads", "Threads of this process.").Add(process.threads).Take());
  families.push_back(
      FamilyBuilder("process_open_fds", "Open file descriptors.").Add(process.open_files).Take());
  families.push_back(
      FamilyBuilder("process_start_time_seconds", "Start of this process in seconds since 1970.")
          .Add(absl::ToDoubleSeconds(figures.started - absl::UnixEpoch()))
          .Take());
}

// Adds a sample if the driver reports the value.
template <typename Value>
void AddKnown(FamilyBuilder& family, const std::optional<Value>& value, const std::string& device,
              double unit = 1) {
  if (value.has_value()) family.Add(static_cast<double>(*value) * unit, {{"device", device}});
}

void AddDeviceTelemetry(const LiveFigures& figures, std::vector<MetricFamily>& families) {
  FamilyBuilder info("vrp_device_info", "Identity of a GPU; the value is always 1.");
  FamilyBuilder up("vrp_device_up", "Whether the GPU answers its driver; 0: lost or failing.");
  FamilyBuilder busy("vrp_device_utilization_ratio",
                     "Share of the last second in which a kernel of any process ran; of the CPU, "
                     "the share of vrpd's threads that compute.");
  FamilyBuilder memory_busy("vrp_device_memory_utilization_ratio",
                            "Share of the last second in which the GPU's memory was read or "
                            "written.");
  FamilyBuilder used("vrp_device_memory_used_bytes",
                     "GPU memory used by all processes and the driver.");
  FamilyBuilder temperature("vrp_device_temperature_celsius", "Temperature of the GPU.");
  FamilyBuilder power("vrp_device_power_watts", "Power draw of the GPU.");
  FamilyBuilder limit("vrp_device_power_limit_watts", "Power limit of the GPU.");
  FamilyBuilder clock("vrp_device_sm_clock_hertz", "Clock of the GPU's multiprocessors.");
  for (const DeviceFigures& device : figures.devices) {
    if (device.cpu.has_value()) busy.Add(device.cpu->busy, {{"device", device.id}});
    if (!device.telemetry.has_value()) continue;
    const DeviceTelemetry& known = *device.telemetry;
    info.Add(1, {{"device", device.id},
                 {"name", known.name},
                 {"uuid", known.uuid},
                 {"driver", known.driver_version}});
    up.Add(known.problem.empty() ? 1 : 0, {{"device", device.id}});
    AddKnown(busy, known.utilization, device.id);
    AddKnown(memory_busy, known.memory_utilization, device.id);
    AddKnown(used, known.memory_used_bytes, device.id);
    AddKnown(temperature, known.temperature_celsius, device.id);
    AddKnown(power, known.power_watts, device.id);
    AddKnown(limit, known.power_limit_watts, device.id);
    AddKnown(clock, known.sm_clock_mhz, device.id, 1e6);
  }
  for (FamilyBuilder* family :
       {&info, &up, &busy, &memory_busy, &used, &temperature, &power, &limit, &clock}) {
    families.push_back(family->Take());
  }
}

void AddDeviceMemory(const LiveFigures& figures, std::vector<MetricFamily>& families) {
  FamilyBuilder memory("vrp_device_memory_bytes",
                       "Memory by kind: total and free memory of the device, and memory of a GPU "
                       "allocated by this process's tensors or reserved by its caching allocator.");
  for (const DeviceFigures& device : figures.devices) {
    const auto add = [&](const char* kind, int64_t bytes) {
      memory.Add(static_cast<double>(bytes), {{"device", device.id}, {"kind", kind}});
    };
    if (device.cpu.has_value()) {
      if (device.cpu->memory_total > 0) add("total", device.cpu->memory_total);
      if (device.cpu->memory_available > 0) add("free", device.cpu->memory_available);
    } else if (device.memory.has_value()) {
      add("total", device.memory->total);
      add("free", device.memory->free);
      add("allocated", device.memory->allocated);
      add("reserved", device.memory->reserved);
    } else if (device.telemetry.has_value() && device.telemetry->memory_total_bytes.has_value()) {
      const int64_t total = *device.telemetry->memory_total_bytes;
      add("total", total);
      const std::optional<int64_t> used = device.telemetry->memory_used_bytes;
      if (used.has_value()) add("free", total - *used);
    }
  }
  families.push_back(memory.Take());
}

void AddDeviceJobs(const LiveFigures& figures, std::vector<MetricFamily>& families) {
  if (!figures.jobs_status.ok()) return;  // a missing sample is better than a wrong one
  FamilyBuilder jobs("vrp_device_training_jobs", "Training jobs that run on a device.");
  for (const DeviceFigures& device : figures.devices) {
    jobs.Add(static_cast<double>(device.training_jobs.size()), {{"device", device.id}});
  }
  families.push_back(jobs.Take());
}

QueueFigures NetworkQueue(const DecodeBatcher& batcher) {
  const DecodeBatcher::Options& options = batcher.options();
  return {.queue = "network",
          .waiting = batcher.waiting(),
          .capacity = options.limits.max_waiting * int64_t{kDecodeClasses},
          .threads = options.max_running};
}

QueueFigures PoolQueue(const std::string& name, const WorkPool& pool) {
  return {.queue = name,
          .waiting = pool.waiting(),
          .capacity = pool.max_queued(),
          .threads = pool.threads()};
}

absl::Status GatherJobs(const JobBook& book, LiveFigures& figures) {
  absl::StatusOr<std::vector<JobCount>> counts = book.store().Count();
  if (!counts.ok()) return counts.status();
  figures.jobs = *std::move(counts);
  for (const JobKind kind :
       {JobKind::kTraining, JobKind::kSolve, JobKind::kSimulation, JobKind::kSweep}) {
    absl::StatusOr<std::vector<JobRecord>> active = book.store().ListActive(kind);
    if (!active.ok()) return active.status();
    for (JobRecord& record : *active) figures.active_jobs.push_back(std::move(record.job));
  }
  return absl::OkStatus();
}

void GatherDevices(const LiveSources& sources, LiveFigures& figures) {
  if (sources.devices != nullptr) {
    const std::shared_ptr<const DeviceSample> sample = sources.devices->Latest();
    figures.devices = JoinDevices(*sample, ReadDeviceMemory());
    figures.devices_status = sample->status();
  }
  if (sources.busy != nullptr) {
    figures.devices.insert(figures.devices.begin(), ReadCpuFigures(*sources.busy));
  }
  AddTrainingJobs(figures.active_jobs, figures.devices);
}

}  // namespace

LiveFigures GatherFigures(const LiveSources& sources) {
  LiveFigures figures;
  figures.process = ReadProcessFigures();
  const auto add_queue = [&](const std::string& name, const WorkPool* pool) {
    if (pool != nullptr) figures.queues.push_back(PoolQueue(name, *pool));
  };
  add_queue("solve", sources.solve_pool);
  add_queue("batch", sources.batch_pool);
  add_queue("quick", sources.quick_pool);
  if (sources.batcher != nullptr) figures.queues.push_back(NetworkQueue(*sources.batcher));
  if (sources.book != nullptr) figures.jobs_status = GatherJobs(*sources.book, figures);
  GatherDevices(sources, figures);  // after the jobs, which it lists by device
  if (sources.registry != nullptr) {
    figures.models_available = static_cast<int32_t>(sources.registry->List().size());
    figures.models_loaded = sources.registry->LoadedCount();
  }
  if (sources.streams != nullptr) figures.open_streams = sources.streams->open();
  return figures;
}

std::vector<MetricFamily> ToFamilies(const LiveFigures& figures) {
  std::vector<MetricFamily> families;
  AddQueues(figures, families);
  AddJobCounts(figures, families);
  AddTrainings(figures, families);
  AddSolveJobs(figures, families);
  AddSimulations(figures, families);
  AddSweeps(figures, families);
  families.push_back(FamilyBuilder("vrp_models", "Model versions that can be used.")
                         .Add(figures.models_available)
                         .Take());
  families.push_back(FamilyBuilder("vrp_models_loaded", "Model versions in memory.")
                         .Add(figures.models_loaded)
                         .Take());
  families.push_back(FamilyBuilder("vrp_open_streams", "Open streams of all clients.")
                         .Add(figures.open_streams)
                         .Take());
  families.push_back(
      FamilyBuilder("vrp_ready", "Whether new work may be sent; 0: /readyz has the reason.")
          .Add(figures.not_ready.empty() ? 1 : 0)
          .Take());
  families.push_back(
      FamilyBuilder("vrp_build_info", "Version of this program; the value is always 1.")
          .Add(1, {{"version", Version()}, {"commit", GitCommit()}, {"torch", TorchVersion()}})
          .Take());
  AddProcess(figures, families);
  AddDeviceMemory(figures, families);
  AddDeviceTelemetry(figures, families);
  AddDeviceJobs(figures, families);
  return families;
}

}  // namespace vrp
