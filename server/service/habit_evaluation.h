// Implements EvaluateModel for habit models, without gRPC.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "core/registry/registry.h"
#include "server/service/model_evaluation.h"
#include "server/service/stream_source.h"
#include "vrp/v1/model_service.pb.h"

namespace vrp {

// Loads the habit model and reads the history. The source asks the model for some routes in each
// step, and returns progress; it ends with the report. See model_service.proto for the errors.
absl::StatusOr<std::unique_ptr<StreamSource<v1::EvaluateModelResponse>>> OpenHabitEvaluation(
    const ModelEvaluationContext& context, const ModelVersion& version,
    const v1::EvaluateModelRequest& request);

}  // namespace vrp
