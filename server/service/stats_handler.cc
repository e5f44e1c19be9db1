#include "server/service/stats_handler.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/text.h"
#include "server/convert/job_convert.h"
#include "server/convert/simulation_convert.h"
#include "server/convert/solve_job_convert.h"
#include "server/convert/time_convert.h"
#include "server/support/metric_family.h"

namespace vrp {
namespace {

std::string LabelOf(const MetricSample& metric, std::string_view name) {
  for (const MetricLabel& label : metric.labels) {
    if (label.name == name) return label.value;
  }
  return "";
}

v1::DurationHistogram HistogramOf(const HistogramValue& histogram) {
  v1::DurationHistogram message;
  uint64_t below = 0;
  for (const HistogramValue::Bucket& bucket : histogram.buckets) {
    v1::DurationHistogram::Bucket& added = *message.add_buckets();
    added.set_upper_bound(bucket.upper_bound);
    added.set_count(static_cast<int64_t>(bucket.cumulative_count - below));
    below = bucket.cumulative_count;
  }
  message.set_count(static_cast<int64_t>(histogram.count));
  message.set_sum_seconds(histogram.sum);
  return message;
}

// A collector of metric families, with one message per label value.
class MetricsReader {
 public:
  explicit MetricsReader(const std::vector<MetricFamily>& families) {
    for (const MetricFamily& family : families) {
      for (const MetricSample& metric : family.samples) Add(family.name, metric);
    }
  }
  void AddTo(const LiveFigures& live, v1::ServerStats& stats) {
    for (auto& [name, rpc] : rpcs_) {
      rpc.set_rpc(name);
      *stats.add_rpcs() = std::move(rpc);
    }
    for (auto& [strategy, duration] : solves_) {
      v1::SolveStats& solve = *stats.add_solves();
      solve.set_strategy(strategy);
      *solve.mutable_duration() = std::move(duration);
    }
    for (const QueueFigures& figures : live.queues) {
      v1::QueueStats& queue = *stats.add_queues();
      queue.set_queue(figures.queue);
      queue.set_waiting(figures.waiting);
      queue.set_capacity(figures.capacity);
      queue.set_threads(figures.threads);
      *queue.mutable_wait() = waits_[figures.queue];
    }
  }

 private:
  void Add(std::string_view family, const MetricSample& metric) {
    if (family == kRequestsFamily) {
      if (metric.value == 0) return;
      v1::RpcStats::Outcome& outcome = *rpcs_[LabelOf(metric, "rpc")].add_outcomes();
      outcome.set_code(LabelOf(metric, "code"));
      outcome.set_reason(LabelOf(metric, "reason"));
      outcome.set_requests(static_cast<int64_t>(metric.value));
    } else if (family == kInFlightFamily) {
      rpcs_[LabelOf(metric, "rpc")].set_in_flight(static_cast<int64_t>(metric.value));
    } else if (family == kRequestDurationFamily) {
      *rpcs_[LabelOf(metric, "rpc")].mutable_duration() = HistogramOf(metric.histogram);
    } else if (family == kQueueWaitFamily) {
      waits_[LabelOf(metric, "queue")] = HistogramOf(metric.histogram);
    } else if (family == kSolveDurationFamily) {
      solves_[LabelOf(metric, "strategy")] = HistogramOf(metric.histogram);
    }
  }

  std::map<std::string, v1::RpcStats> rpcs_;
  std::map<std::string, v1::DurationHistogram> waits_;
  std::map<std::string, v1::DurationHistogram> solves_;
};

v1::ActiveJob ToActiveJob(const Job& job) {
  v1::ActiveJob message;
  message.set_name(ResourceName(job));
  message.set_state(ToProto(job.state));
  message.set_device(job.place.device);
  message.set_threads(job.place.threads);
  if (job.started > absl::InfinitePast()) *message.mutable_start_time() = ToProto(job.started);
  if (job.kind == JobKind::kSolve) {
    *message.mutable_solve() = ToProto(job.solve.progress);
    *message.mutable_budget() = ToProto(job.solve.budget);
    const v1::SolveJob summary = SolveJobToProto(job);
    if (summary.has_units()) *message.mutable_units() = summary.units();
  } else if (job.kind == JobKind::kSimulation) {
    *message.mutable_simulation() = SimulationProgressToProto(job);
  } else if (job.progress.has_value()) {
    *message.mutable_training() = ToProto(*job.progress);
  }
  return message;
}

void AddJobs(const LiveFigures& live, v1::ServerStats& stats) {
  for (const JobCount& count : live.jobs) {
    v1::JobCount& added = *stats.add_jobs();
    added.set_kind(std::string(JobKindName(count.kind)));
    added.set_state(ToProto(count.state));
    added.set_count(count.jobs);
  }
  for (const Job& job : live.active_jobs) *stats.add_active_jobs() = ToActiveJob(job);
}

void AddTelemetry(const DeviceTelemetry& telemetry, v1::DeviceStats& device) {
  device.set_name(telemetry.name);
  device.set_uuid(telemetry.uuid);
  device.set_driver_version(telemetry.driver_version);
  device.set_error(telemetry.problem);
  if (telemetry.utilization) device.set_utilization(*telemetry.utilization);
  if (telemetry.memory_utilization) device.set_memory_utilization(*telemetry.memory_utilization);
  if (telemetry.memory_total_bytes) device.set_memory_total_bytes(*telemetry.memory_total_bytes);
  if (telemetry.memory_used_bytes) device.set_memory_used_bytes(*telemetry.memory_used_bytes);
  if (telemetry.temperature_celsius) device.set_temperature_celsius(*telemetry.temperature_celsius);
  if (telemetry.power_watts) device.set_power_watts(*telemetry.power_watts);
  if (telemetry.power_limit_watts) device.set_power_limit_watts(*telemetry.power_limit_watts);
  if (telemetry.sm_clock_mhz) device.set_sm_clock_mhz(*telemetry.sm_clock_mhz);
}

// Adds memory use from CUDA, which is known even without NVML, the driver's library.
void AddMemory(const DeviceMemory& memory, v1::DeviceStats& device) {
  device.set_memory_allocated_bytes(memory.allocated);
  device.set_memory_reserved_bytes(memory.reserved);
  if (!device.has_memory_total_bytes()) {
    device.set_memory_total_bytes(memory.total);
    device.set_memory_used_bytes(memory.total - memory.free);
  }
}

void AddCpu(const CpuFigures& cpu, v1::DeviceStats& device) {
  device.set_name(cpu.name);
  device.set_utilization(cpu.busy);
  if (cpu.memory_total == 0) return;
  device.set_memory_total_bytes(cpu.memory_total);
  if (cpu.memory_available > 0) {
    device.set_memory_used_bytes(cpu.memory_total - cpu.memory_available);
  }
}

void AddDevices(const LiveFigures& live, v1::ServerStats& stats) {
  for (const DeviceFigures& figures : live.devices) {
    v1::DeviceStats& device = *stats.add_devices();
    device.set_id(figures.id);
    if (figures.cpu) AddCpu(*figures.cpu, device);
    if (figures.telemetry) AddTelemetry(*figures.telemetry, device);
    if (figures.memory) AddMemory(*figures.memory, device);
    for (const std::string& job : figures.training_jobs) device.add_training_jobs(job);
  }
  stats.set_driver_error(std::string(live.devices_status.message()));
}

}  // namespace

absl::StatusOr<v1::ServerStats> DescribeStats(const Telemetry& telemetry, absl::Time now) {
  const LiveFigures live = telemetry.Figures();
  if (!live.jobs_status.ok()) return absl::UnavailableError(live.jobs_status.message());
  v1::ServerStats stats;
  *stats.mutable_time() = ToProto(now);
  *stats.mutable_start_time() = ToProto(live.started);
  MetricsReader(telemetry.metrics().Collect()).AddTo(live, stats);
  AddJobs(live, stats);
  AddDevices(live, stats);
  stats.set_models_available(live.models_available);
  stats.set_models_loaded(live.models_loaded);
  stats.set_open_streams(live.open_streams);
  v1::ProcessStats& process = *stats.mutable_process();
  process.set_resident_bytes(live.process.resident_bytes);
  process.set_cpu_seconds(live.process.cpu_seconds);
  process.set_threads(live.process.threads);
  process.set_open_files(live.process.open_files);
  for (const std::string& reason : live.not_ready) stats.add_not_ready(reason);
  return stats;
}

}  // namespace vrp
