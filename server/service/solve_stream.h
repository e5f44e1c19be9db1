// Implements StreamSolve without gRPC.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/service/solver_handler.h"
#include "server/service/stream_source.h"
#include "server/support/work_pool.h"
#include "vrp/v1/solver_service.pb.h"

namespace vrp {

struct SolveStreamContext {
  const SolverHandler* handler = nullptr;  // outlives the source
  WorkPool* pool = nullptr;                // runs the solve itself; outlives the source
  absl::Time received;
  absl::Time deadline = absl::InfiniteFuture();
  std::shared_ptr<const CancelFlag> drain;  // ends the search early with its result
};

// Queues a solve and returns. Next of the source returns the newest improvement since the previous
// call. The source ends with the result or the error of the solve. Its destructor cancels the
// solve. Returns the errors of WorkPool::TryRun.
absl::StatusOr<std::unique_ptr<StreamSource<v1::StreamSolveResponse>>> OpenSolveStream(
    const SolveStreamContext& context, const v1::SolveRequest& request);

}  // namespace vrp
