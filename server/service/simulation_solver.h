// Runs simulations, whose requests and results are stored as messages.
#pragma once

#include "absl/status/statusor.h"
#include "core/jobs/job_solver.h"
#include "core/registry/registry.h"
#include "server/service/uploaded_logs.h"
#include "server/support/busy_threads.h"
#include "server/telemetry/watchdog.h"
#include "vrp/v1/simulation_service.pb.h"

namespace vrp {

// A runner of simulations: each request is a v1.SimulationSpec with a number of days, each part a
// v1.SimulatedDayResults, and the answer a v1.SimulationSummary. Thread-safe.
class SimulationSolver final : public JobSolver {
 public:
  // The parts of the daemon that the solver uses. All outlive it.
  struct Context {
    const Registry& registry;
    UploadedLogs& logs;
    BusyThreads& busy;
    Watchdog& watchdog;
  };
  explicit SimulationSolver(const Context& context) : context_(context) {}

  // Replays the days after those in task.parts, on this thread.
  absl::StatusOr<TaskAnswer> Solve(const SolveTask& task, TaskReporter& reporter) override;

 private:
  class Run;

  const Context context_;
};

}  // namespace vrp
