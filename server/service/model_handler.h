// Implements ModelService without gRPC.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "server/service/model_evaluation.h"
#include "server/service/model_import.h"
#include "vrp/v1/model_service.pb.h"

namespace vrp {

// A handler of the RPCs. Thread-safe. Methods read the disk. See model_service.proto for the
// errors.
class ModelHandler {
 public:
  // `quota` bounds imports and outlives the handler; null means no quota.
  ModelHandler(const ModelEvaluationContext& context, const StateQuota* quota)
      : context_(context), registry_(*context.registry), quota_(quota) {}

  absl::StatusOr<v1::ListModelsResponse> List(const v1::ListModelsRequest& request) const;
  absl::StatusOr<v1::Model> Get(const v1::GetModelRequest& request) const;
  absl::StatusOr<std::unique_ptr<StreamSource<v1::EvaluateModelResponse>>> Evaluate(
      const v1::EvaluateModelRequest& request) const {
    return OpenModelEvaluation(context_, request);
  }
  absl::StatusOr<std::unique_ptr<StreamSource<v1::ExportModelResponse>>> Export(
      const v1::ExportModelRequest& request) const {
    return OpenModelExport(registry_, request);
  }
  std::shared_ptr<ModelImport> Import() const {
    return std::make_shared<ModelImport>(registry_, quota_);
  }
  // Blocks while the version loads, like Load.
  absl::StatusOr<v1::SetModelAliasResponse> SetAlias(const v1::SetModelAliasRequest& request) const;
  absl::StatusOr<v1::DeleteModelAliasResponse> DeleteAlias(
      const v1::DeleteModelAliasRequest& request) const;
  absl::StatusOr<v1::Model> Load(const v1::LoadModelRequest& request) const;
  absl::StatusOr<v1::UnloadModelResponse> Unload(const v1::UnloadModelRequest& request) const;
  absl::StatusOr<v1::DeleteModelVersionResponse> DeleteVersion(
      const v1::DeleteModelVersionRequest& request) const;

 private:
  // Returns the message of a version with its current state in the registry.
  v1::Model ToMessage(const ModelVersion& version) const;

  const ModelEvaluationContext context_;
  Registry& registry_;
  const StateQuota* const quota_;
};

}  // namespace vrp
