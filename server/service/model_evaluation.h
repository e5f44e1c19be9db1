// Implements EvaluateModel without gRPC.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "core/base/clock.h"
#include "core/base/watch.h"
#include "core/problem/instance/matrix_source.h"
#include "core/registry/dataset_store.h"
#include "core/registry/registry.h"
#include "server/service/stream_source.h"
#include "server/support/busy_threads.h"
#include "vrp/v1/model_service.pb.h"

namespace vrp {

// The parts that an evaluation uses. All pointers must outlive the source.
struct ModelEvaluationContext {
  Registry* registry = nullptr;
  const DatasetStore* datasets = nullptr;  // that histories are read from
  const MatrixSource* matrices = nullptr;  // matrices that files name; null: none
  const Clock* clock = nullptr;
  BusyThreads* busy = nullptr;
  int32_t threads = 1;
  int32_t max_nodes = kMaxNodes;  // largest number of nodes of an instance
  WatchFn watch = nullptr;        // watches each step as the phase "evaluation"
};

// Loads the model and reads the files. The source generates instances and decodes in steps, and
// returns progress after each decoding step. The source ends with the report, after it has tried to
// write the results to the card. See model_service.proto for the errors.
absl::StatusOr<std::unique_ptr<StreamSource<v1::EvaluateModelResponse>>> OpenModelEvaluation(
    const ModelEvaluationContext& context, const v1::EvaluateModelRequest& request);

}  // namespace vrp
