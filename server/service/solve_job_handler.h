// Implements the RPCs of solve jobs, without gRPC.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "core/jobs/solve_job_manager.h"
#include "server/service/solver_handler.h"
#include "server/service/stream_source.h"
#include "vrp/v1/solve_job.pb.h"

namespace vrp {

// A handler of the RPCs. Thread-safe. Methods block on the store. See solver_service.proto for the
// errors.
class SolveJobHandler {
 public:
  // Both arguments must outlive the handler.
  SolveJobHandler(const SolverHandler& solver, SolveJobManager& jobs)
      : solver_(solver), jobs_(jobs) {}

  absl::StatusOr<v1::SolveJob> Create(const v1::CreateSolveJobRequest& request,
                                      const CallContext& context) const;
  absl::StatusOr<v1::SolveJob> Get(const v1::GetSolveJobRequest& request) const;
  absl::StatusOr<v1::ListSolveJobsResponse> List(const v1::ListSolveJobsRequest& request) const;
  absl::StatusOr<v1::SolveJob> Stop(const v1::StopSolveJobRequest& request) const;
  absl::StatusOr<v1::DeleteSolveJobResponse> Delete(const v1::DeleteSolveJobRequest& request) const;
  absl::StatusOr<std::unique_ptr<StreamSource<v1::WatchSolveJobResponse>>> Watch(
      const v1::WatchSolveJobRequest& request) const;
  // Returns kFailedPrecondition if the instance or the file of an unfinished job names these
  // matrices, because the job could not continue after a restart without them. May parse the files
  // of all unfinished jobs.
  absl::Status CheckUnused(const std::string& matrices) const;
  // Returns the queue position, or 0 if the job is not queued or does not exist.
  int32_t QueuePosition(const std::string& name) const;

 private:
  // Returns the message of a job, with the response of one that succeeded.
  absl::StatusOr<v1::SolveJob> ToMessage(const Job& job) const;

  const SolverHandler& solver_;
  SolveJobManager& jobs_;
};

}  // namespace vrp
