// Implements EvaluateModel without gRPC.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "core/base/clock.h"
#include "core/base/watch.h"
#include "core/problem/instance/matrix_source.h"
#include "core/registry/registry.h"
#include "server/service/stream_source.h"
#include "server/support/busy_threads.h"
#include "vrp/v1/model_service.pb.h"

namespace vrp {

struct ModelEvaluationContext {
  Registry* registry = nullptr;            // these outlive the source
  const MatrixSource* matrices = nullptr;  // matrices that files name; null: none
  const Clock* clock = nullptr;
  BusyThreads* busy = nullptr;
  int32_t threads = 1;
  int32_t max_nodes = kMaxNodes;  // largest number of nodes of an instance
  WatchFn watch = nullptr;        // called for each step of an "evaluation"
};

// Loads the model and reads or generates the instances. The source sends progress for each step of
// the work. It ends with the report after it has written the card. See model_service.proto for the
// errors.
absl::StatusOr<std::unique_ptr<StreamSource<v1::EvaluateModelResponse>>> OpenModelEvaluation(
    const ModelEvaluationContext& context, const v1::EvaluateModelRequest& request);

}  // namespace vrp
