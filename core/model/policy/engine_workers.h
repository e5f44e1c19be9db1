// Division of a batch among an engine's threads on the CPU. Each thread reuses its own memory and
// processes its groups of instances one after the other. Only the batch, the request and the number
// of threads determine which thread gets a group, so that sums are bitwise reproducible.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "core/base/cpu_pool.h"
#include "core/base/guard_memory.h"
#include "core/model/policy/batch_parts.h"
#include "core/model/policy/policy_engine.h"

namespace vrp {

// The options of CutIntoGroups.
struct GroupOptions {
  int32_t instances = 0;
  int64_t max_rows = 1;  // approximate maximum of a group's rows; a group has at least one instance
  int threads = 1;
  // Bound on the instances of all threads' current groups, at least one per thread. 0: no bound.
  int32_t max_active_instances = 0;
};
// Divides the instances into groups with nearly equal rows. If there are enough instances and
// `max_active_instances` is 0, each thread gets the same number of groups. rows_before(b) returns
// the rows of instances 0 .. b - 1.
std::vector<InstanceRange> CutIntoGroups(const GroupOptions& options,
                                         absl::FunctionRef<int64_t(int32_t)> rows_before);

inline int EngineThreads(const RolloutRequest& request) {
  return request.pool == nullptr ? 1 : request.pool->threads();
}

// Calls body(0) .. body(count - 1) on the pool's threads, or on the calling thread if `count` is 1.
// Without a pool, `count` must be 1.
void ForEachWorker(CpuPool* pool, int64_t count, absl::FunctionRef<void(int64_t)> body);

// The memory and results of one thread.
template <typename Group, typename T>
struct EngineWorker {
  Group group;                  // the network's activations
  std::vector<T> gradient;      // gradient with respect to the parameters
  std::vector<double> weights;  // [count, P]: weights of the group's trajectories in the loss
  PhaseSeconds seconds{};
  double loss = 0;
  double pass_difference = 0;
  absl::Status status;
};

template <typename Worker>
using EngineWorkers = std::vector<std::unique_ptr<Worker>>;

// Calls `body` like ForEachWorker for the workers without an error. If a worker runs out of memory,
// its status says so.
template <typename Worker>
void ForEachOkWorker(CpuPool* pool, const EngineWorkers<Worker>& workers,
                     absl::FunctionRef<void(Worker&, size_t)> body) {
  ForEachWorker(pool, std::ssize(workers), [&](int64_t w) {
    Worker& worker = *workers[w];
    if (!worker.status.ok()) return;
    const absl::Status memory = GuardMemory([&] { body(worker, static_cast<size_t>(w)); });
    if (!memory.ok()) worker.status = memory;
  });
}

// Calls `body` for the groups of worker `w`, until it has an error.
template <typename Worker, typename Body>
void ForEachGroupOf(const std::vector<InstanceRange>& groups, size_t w,
                    const EngineWorkers<Worker>& workers, const Body& body) {
  for (size_t g = w; g < groups.size() && workers[w]->status.ok(); g += workers.size()) {
    body(groups[g]);
  }
}

// Calls `body` for each worker's groups, until the worker has an error.
template <typename Worker>
void ForEachGroup(const std::vector<InstanceRange>& groups, CpuPool* pool,
                  const EngineWorkers<Worker>& workers,
                  absl::FunctionRef<void(Worker&, InstanceRange)> body) {
  ForEachOkWorker<Worker>(pool, workers, [&](Worker& worker, size_t w) {
    ForEachGroupOf(groups, w, workers, [&](InstanceRange range) { body(worker, range); });
  });
}

template <typename Worker>
bool AllWorkersOk(const EngineWorkers<Worker>& workers) {
  return std::all_of(workers.begin(), workers.end(),
                     [](const auto& worker) { return worker->status.ok(); });
}

// Returns the sums of the workers' results, without the trajectories.
template <typename Worker>
GradientOutcome SumOutcomes(const EngineWorkers<Worker>& workers) {
  GradientOutcome outcome;
  for (const auto& worker : workers) {
    outcome.loss += worker->loss;
    outcome.pass_difference = std::max(outcome.pass_difference, worker->pass_difference);
    for (size_t i = 0; i < outcome.seconds.size(); ++i) outcome.seconds[i] += worker->seconds[i];
  }
  return outcome;
}

// Workers that are reused between calls. Thread-safe.
template <typename Worker>
class WorkerPool {
 public:
  // Returns `count` workers, idle ones first. Resets their seconds, loss, difference and status.
  EngineWorkers<Worker> Checkout(int count) {
    EngineWorkers<Worker> taken;
    {
      const absl::MutexLock lock(&mu_);
      while (!idle_.empty() && static_cast<int>(taken.size()) < count) {
        taken.push_back(std::move(idle_.back()));
        idle_.pop_back();
      }
    }
    while (static_cast<int>(taken.size()) < count) taken.push_back(std::make_unique<Worker>());
    for (auto& worker : taken) {
      worker->seconds = {};
      worker->loss = worker->pass_difference = 0;
      worker->status = absl::OkStatus();
    }
    return taken;
  }

  // Stores `workers` for reuse and returns their first error. If that is kResourceExhausted, frees
  // the workers instead.
  absl::Status Return(EngineWorkers<Worker> workers) {
    absl::Status status;
    for (const auto& worker : workers) {
      if (status.ok()) status = worker->status;
    }
    if (absl::IsResourceExhausted(status)) return status;
    const absl::MutexLock lock(&mu_);
    for (auto& worker : workers) idle_.push_back(std::move(worker));
    return status;
  }

 private:
  absl::Mutex mu_;
  EngineWorkers<Worker> idle_ ABSL_GUARDED_BY(mu_);
};

}  // namespace vrp
