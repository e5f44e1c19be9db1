#include "server/telemetry/live_figures.h"

#include <cmath>
#include <initializer_list>
#include <utility>

#include "core/base/text.h"
#include "prometheus/metric_family.h"
#include "server/config/build_info.h"

namespace vrp {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

using Labels = std::initializer_list<ClientMetric::Label>;

class FamilyBuilder {
 public:
  FamilyBuilder(std::string name, std::string help, MetricType type = MetricType::Gauge)
      : family_{.name = std::move(name), .help = std::move(help), .type = type, .metric = {}} {}
  FamilyBuilder& Add(double value, Labels labels = {}) {
    ClientMetric& metric = family_.metric.emplace_back();
    metric.label = labels;
    (family_.type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
    return *this;
  }
  MetricFamily Take() { return std::move(family_); }

 private:
  MetricFamily family_;
};

void AddJobCounts(const LiveFigures& figures, std::vector<MetricFamily>& families) {
  if (!figures.jobs_status.ok()) return;  // no figure is better than a wrong one
  FamilyBuilder jobs("vrp_jobs", "Jobs by kind and state.");
  for (const JobCount& count : figures.jobs) {
    jobs.Add(static_cast<double>(count.jobs), {{"kind", std::string(JobKindName(count.kind))},
                                               {"state", std::string(JobStateName(count.state))}});
  }
  families.push_back(jobs.Take());
}

void AddActiveJobs(const LiveFigures& figures, std::vector<MetricFamily>& families) {
  FamilyBuilder step("vrp_training_step", "Steps that a running training job has done.");
  FamilyBuilder planned("vrp_training_planned_steps", "Steps that a running training job will do.");
  FamilyBuilder speed("vrp_training_instances_per_second", "Of a running job's last step.");
  FamilyBuilder loss("vrp_training_loss", "Of a running job's last step.");
  FamilyBuilder cost("vrp_training_validation_cost", "Of a running job's last validation.");
  FamilyBuilder solve_cost("vrp_solve_job_cost", "Of a running solve job's best plan.");
  FamilyBuilder searched("vrp_solve_job_searched_seconds", "Of a running solve job's budget.");
  for (const Job& job : figures.active_jobs) {
    const std::string name = ResourceName(job);
    if (job.kind == JobKind::kSolve) {
      const SolveProgress& progress = job.solve.progress;
      searched.Add(absl::ToDoubleSeconds(progress.searched), {{"job", name}});
      if (progress.improvements > 0) solve_cost.Add(progress.cost, {{"job", name}});
    } else if (job.progress.has_value()) {
      const TrainingProgress& progress = *job.progress;
      step.Add(static_cast<double>(progress.step), {{"job", name}});
      planned.Add(static_cast<double>(progress.steps), {{"job", name}});
      speed.Add(progress.instances_per_second, {{"job", name}});
      loss.Add(progress.loss, {{"job", name}});
      if (std::isfinite(progress.validation_cost)) {
        cost.Add(progress.validation_cost, {{"job", name}});
      }
    }
  }
  for (FamilyBuilder* family : {&step, &planned, &speed, &loss, &cost, &solve_cost, &searched}) {
    families.push_back(family->Take());
  }
}

void AddQueues(const LiveFigures& figures, std::vector<MetricFamily>& families) {
  FamilyBuilder waiting("vrp_queue_waiting", "Pieces of work that wait for a thread.");
  FamilyBuilder capacity("vrp_queue_capacity", "More requests than this are refused.");
  for (const QueueFigures& queue : figures.queues) {
    waiting.Add(static_cast<double>(queue.waiting), {{"queue", queue.queue}});
    capacity.Add(static_cast<double>(queue.capacity), {{"queue", queue.queue}});
  }
  families.push_back(waiting.Take());
  families.push_back(capacity.Take());
}

void AddProcess(const LiveFigures& figures, std::vector<MetricFamily>& families) {
  const ProcessFigures& process = figures.process;
  families.push_back(FamilyBuilder("process_resident_memory_bytes", "Memory of this process.")
                         .Add(static_cast<double>(process.resident_bytes))
                         .Take());
  families.push_back(
      FamilyBuilder("process_cpu_seconds_total", "User and system time.", MetricType::Counter)
          .Add(process.cpu_seconds)
          .Take());
  families.push_back(
      FamilyBuilder("process_threads", "Threads of this process.").Add(process.threads).Take());
  families.push_back(
      FamilyBuilder("process_open_fds", "Open file descriptors.").Add(process.open_files).Take());
  families.push_back(FamilyBuilder("process_start_time_seconds", "Since 1970.")
                         .Add(absl::ToDoubleSeconds(figures.started - absl::UnixEpoch()))
                         .Take());
}

void AddDevices(const LiveFigures& figures, std::vector<MetricFamily>& families) {
  FamilyBuilder memory("vrp_device_memory_bytes",
                       "Of the CUDA devices in use: total and free for all programs; allocated by "
                       "this one's tensors, and reserved for those and the next ones.");
  for (const DeviceMemory& device : figures.devices) {
    const std::string name = device.id.ToString();
    memory.Add(static_cast<double>(device.total), {{"device", name}, {"kind", "total"}})
        .Add(static_cast<double>(device.free), {{"device", name}, {"kind", "free"}})
        .Add(static_cast<double>(device.allocated), {{"device", name}, {"kind", "allocated"}})
        .Add(static_cast<double>(device.reserved), {{"device", name}, {"kind", "reserved"}});
  }
  families.push_back(memory.Take());
}

QueueFigures Describe(const DecodeBatcher& batcher) {
  const DecodeBatcher::Options& options = batcher.options();
  return {.queue = "network",
          .waiting = batcher.waiting(),
          .capacity = options.limits.max_waiting * int64_t{kDecodeClasses},
          .threads = options.max_running};
}

QueueFigures Describe(const std::string& name, const WorkPool& pool) {
  return {.queue = name,
          .waiting = pool.waiting(),
          .capacity = pool.max_queued(),
          .threads = pool.threads()};
}

absl::Status GatherJobs(const JobBook& book, LiveFigures& figures) {
  absl::StatusOr<std::vector<JobCount>> counts = book.store().Count();
  if (!counts.ok()) return counts.status();
  figures.jobs = *std::move(counts);
  for (const JobKind kind : {JobKind::kTraining, JobKind::kSolve}) {
    absl::StatusOr<std::vector<JobRecord>> active = book.store().ListActive(kind);
    if (!active.ok()) return active.status();
    for (JobRecord& record : *active) figures.active_jobs.push_back(std::move(record.job));
  }
  return absl::OkStatus();
}

}  // namespace

LiveFigures GatherFigures(const LiveSources& sources) {
  LiveFigures figures;
  figures.process = ReadProcessFigures();
  figures.devices = ReadDeviceMemory();
  const auto add_queue = [&](const std::string& name, const WorkPool* pool) {
    if (pool != nullptr) figures.queues.push_back(Describe(name, *pool));
  };
  add_queue("solve", sources.solve_pool);
  add_queue("patient", sources.patient_pool);
  add_queue("quick", sources.quick_pool);
  if (sources.batcher != nullptr) figures.queues.push_back(Describe(*sources.batcher));
  if (sources.book != nullptr) figures.jobs_status = GatherJobs(*sources.book, figures);
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
  AddActiveJobs(figures, families);
  families.push_back(FamilyBuilder("vrp_models", "Versions of models that can be used.")
                         .Add(figures.models_available)
                         .Take());
  families.push_back(
      FamilyBuilder("vrp_models_loaded", "Of these, in memory.").Add(figures.models_loaded).Take());
  families.push_back(FamilyBuilder("vrp_open_streams", "Streams that callers read or write.")
                         .Add(figures.open_streams)
                         .Take());
  families.push_back(FamilyBuilder("vrp_ready", "1: new work may be sent; 0: see /readyz.")
                         .Add(figures.not_ready.empty() ? 1 : 0)
                         .Take());
  families.push_back(
      FamilyBuilder("vrp_build_info", "Always 1.")
          .Add(1, {{"version", Version()}, {"commit", GitCommit()}, {"torch", TorchVersion()}})
          .Take());
  AddProcess(figures, families);
  AddDevices(figures, families);
  return families;
}

}  // namespace vrp
