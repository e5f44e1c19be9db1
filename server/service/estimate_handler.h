// Implements the RPCs of EstimateService, without gRPC.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "core/problem/instance/instance.h"
#include "core/problem/instance/matrix_source.h"
#include "core/registry/registry.h"
#include "server/service/call_context.h"
#include "server/support/busy_threads.h"
#include "vrp/v1/estimate_service.pb.h"

namespace vrp {

// The model of requests that name none.
inline constexpr std::string_view kDefaultEstimateModel = "estimate-mixed";

// A handler that estimates costs, on all idle threads. Thread-safe. See estimate_service.proto for
// the errors.
class EstimateHandler {
 public:
  // All pointers outlive the handler.
  struct Options {
    const MatrixSource* matrices = nullptr;
    const Registry* registry = nullptr;
    BusyThreads* busy = nullptr;
    int32_t threads = 1;            // largest number for one request
    int32_t max_nodes = kMaxNodes;  // of one instance
  };
  explicit EstimateHandler(const Options& options) : options_(options) {}

  // Estimates. Blocks for about half a millisecond per 100 customers and thread. Returns kCancelled
  // or kDeadlineExceeded if the caller ends it, and StoppingError() if the daemon does.
  absl::StatusOr<v1::EstimateCostsResponse> EstimateCosts(const v1::EstimateCostsRequest& request,
                                                          const CallContext& context) const;

 private:
  const Options options_;
};

}  // namespace vrp
