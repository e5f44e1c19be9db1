// Implements the RPCs of DispatchService, without gRPC.
#pragma once

#include <algorithm>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/base/clock.h"
#include "core/problem/instance/instance.h"
#include "core/problem/instance/matrix_source.h"
#include "core/registry/registry.h"
#include "server/convert/dispatch_convert.h"
#include "server/roads/road_source.h"
#include "server/service/call_context.h"
#include "server/service/uploaded_logs.h"
#include "server/support/busy_threads.h"
#include "server/support/forecast.h"
#include "server/support/metrics.h"
#include "server/telemetry/watchdog.h"
#include "vrp/v1/dispatch_service.pb.h"

namespace vrp {

// A handler that makes dispatch decisions, each on one thread. Thread-safe. See
// dispatch_service.proto for the errors.
class DispatchHandler {
 public:
  // All pointers outlive the handler.
  struct Options {
    const MatrixSource* matrices = nullptr;
    const Registry* registry = nullptr;
    UploadedLogs* logs = nullptr;
    RoadSource* roads = nullptr;
    const Clock* clock = nullptr;
    Metrics* metrics = nullptr;
    Watchdog* watchdog = nullptr;
    BusyThreads* busy = nullptr;
    // The limits below apply to one request.
    int32_t max_nodes = kMaxNodes;
    absl::Duration max_budget = kMaxBudget;
  };
  explicit DispatchHandler(const Options& options) : options_(options) {}

  // Decides. Blocks until the budget is used up or the searches end.
  absl::StatusOr<v1::DecideResponse> Decide(const v1::DecideRequest& request,
                                            const CallContext& context) const;
  // Estimates the duration of a request and its latest start, before the handler checks the
  // request.
  Forecast ForecastOf(const v1::DecideRequest& request, const CallContext& context) const;

 private:
  struct Prepared;
  absl::StatusOr<Prepared> Prepare(const v1::DecideRequest& request,
                                   const CallContext& context) const;
  absl::StatusOr<v1::DecideResponse> Run(const v1::DecideRequest& request, const Prepared& prepared,
                                         const CallContext& context) const;
  SolveLimits limits() const {
    return {.max_budget = options_.max_budget,
            .default_budget = std::min(kDefaultDecisionBudget, options_.max_budget)};
  }

  const Options options_;
};

}  // namespace vrp
