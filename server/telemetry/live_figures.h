// Gathers statistics of the daemon at this moment: jobs, queues, models, streams, process, GPUs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "core/jobs/job.h"
#include "core/jobs/job_book.h"
#include "core/registry/registry.h"
#include "core/solve/decode_batcher.h"
#include "server/roads/road_networks.h"
#include "server/support/metric_family.h"
#include "server/support/stream_tracker.h"
#include "server/support/work_pool.h"
#include "server/telemetry/device_figures.h"
#include "server/telemetry/device_sampler.h"
#include "server/telemetry/process_figures.h"

namespace vrp {

struct QueueFigures {
  std::string queue;     // "solve", "batch", "quick" or "network"
  int64_t waiting = 0;   // tasks
  int64_t capacity = 0;  // largest number of waiting tasks
  int32_t threads = 0;   // for "network": largest number of batches that are decoded at once
};

struct LiveFigures {
  std::vector<QueueFigures> queues;
  std::vector<JobCount> jobs;    // by kind and state, without zero counts
  std::vector<Job> active_jobs;  // jobs that are not queued, paused or finished
  absl::Status jobs_status;      // an error if the two above could not be read
  int32_t models_available = 0;
  int32_t models_loaded = 0;
  int32_t open_streams = 0;
  ProcessFigures process;
  std::vector<DeviceFigures> devices;
  absl::Status devices_status;  // an error if the driver reports nothing
  absl::Time started;
  std::vector<std::string> not_ready;  // reasons why the daemon is not ready; empty: ready
};

// Sources of LiveFigures, which must be valid during GatherFigures. Each may be null.
struct LiveSources {
  const JobBook* book = nullptr;
  const Registry* registry = nullptr;
  const WorkPool* solve_pool = nullptr;
  const WorkPool* batch_pool = nullptr;
  const WorkPool* quick_pool = nullptr;
  const DecodeBatcher* batcher = nullptr;
  const StreamTracker* streams = nullptr;
  const RoadNetworks* roads = nullptr;
  const DeviceSampler* devices = nullptr;
  const BusyThreads* busy = nullptr;
};

// Reads all figures except `started` and `not_ready`. Blocks on the disk for jobs and models.
LiveFigures GatherFigures(const LiveSources& sources);

// Converts the figures to metric families for Prometheus.
std::vector<MetricFamily> ToFamilies(const LiveFigures& figures);

}  // namespace vrp
