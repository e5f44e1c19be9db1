// Implements the RPCs of SimulationService, without gRPC.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "core/jobs/solve_job_manager.h"
#include "core/problem/instance/instance.h"
#include "core/registry/registry.h"
#include "server/service/stream_source.h"
#include "server/service/uploaded_logs.h"
#include "vrp/v1/simulation_service.pb.h"

namespace vrp {

// A handler of the RPCs. Thread-safe. Methods block on the store, Create also on the reading of the
// sites. See simulation_service.proto for the errors.
class SimulationHandler {
 public:
  // All references outlive the handler.
  struct Context {
    SolveJobManager& jobs;  // manages simulations
    const Registry& registry;
    UploadedLogs& logs;
    int32_t max_nodes = kMaxNodes;  // of sites and days
  };
  explicit SimulationHandler(const Context& context)
      : jobs_(context.jobs),
        registry_(context.registry),
        logs_(context.logs),
        max_nodes_(context.max_nodes) {}

  absl::StatusOr<v1::Simulation> Create(const v1::CreateSimulationRequest& request) const;
  absl::StatusOr<v1::Simulation> Get(const v1::GetSimulationRequest& request) const;
  absl::StatusOr<v1::ListSimulationsResponse> List(const v1::ListSimulationsRequest& request) const;
  absl::StatusOr<v1::Simulation> Stop(const v1::StopSimulationRequest& request) const;
  absl::StatusOr<v1::DeleteSimulationResponse> Delete(
      const v1::DeleteSimulationRequest& request) const;
  absl::StatusOr<std::unique_ptr<StreamSource<v1::WatchSimulationResponse>>> Watch(
      const v1::WatchSimulationRequest& request) const;
  // Returns the queue position, or 0 if the simulation is not queued or does not exist.
  int32_t QueuePosition(const std::string& name) const;

 private:
  // Checks a specification and sets its number of days. Returns what the store keeps.
  absl::StatusOr<SolveSpec> Check(v1::SimulationSpec spec) const;
  // Returns the message of a simulation with its days and its summary.
  absl::StatusOr<v1::Simulation> ToMessage(const Job& job) const;

  SolveJobManager& jobs_;
  const Registry& registry_;
  UploadedLogs& logs_;
  const int32_t max_nodes_;
};

}  // namespace vrp
