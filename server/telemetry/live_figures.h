// What the daemon is doing at this moment: jobs, queues, models, memory.
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
#include "server/support/stream_hub.h"
#include "server/support/work_pool.h"
#include "server/telemetry/device_figures.h"
#include "server/telemetry/device_sampler.h"
#include "server/telemetry/process_figures.h"

namespace prometheus {
struct MetricFamily;
}

namespace vrp {

struct QueueFigures {
  std::string queue;
  int64_t waiting = 0;
  int64_t capacity = 0;
  int32_t threads = 0;
};

struct LiveFigures {
  std::vector<QueueFigures> queues;
  std::vector<JobCount> jobs;    // states in which there are jobs
  std::vector<Job> active_jobs;  // neither queued, paused nor ended
  absl::Status jobs_status;      // why the two above are empty
  int32_t models_available = 0;
  int32_t models_loaded = 0;
  int32_t open_streams = 0;
  ProcessFigures process;
  std::vector<DeviceFigures> devices;
  absl::Status devices_status;  // why the driver tells nothing of them
  absl::Time started;
  std::vector<std::string> not_ready;  // why; empty: it is ready
};

// Whom to ask. All of it outlives the asking.
struct LiveSources {
  const JobBook* book = nullptr;
  const Registry* registry = nullptr;
  const WorkPool* solve_pool = nullptr;
  const WorkPool* patient_pool = nullptr;
  const WorkPool* quick_pool = nullptr;
  const DecodeBatcher* batcher = nullptr;
  const StreamHub* streams = nullptr;
  const DeviceSampler* devices = nullptr;
};

// All but `started` and `not_ready`. Blocks on the disk for the jobs and the models' folders.
LiveFigures GatherFigures(const LiveSources& sources);

// As Prometheus reads them.
std::vector<prometheus::MetricFamily> ToFamilies(const LiveFigures& figures);

}  // namespace vrp
