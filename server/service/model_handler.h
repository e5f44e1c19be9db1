// ModelService without gRPC.
#pragma once

#include "absl/status/statusor.h"
#include "core/registry/registry.h"
#include "vrp/v1/model_service.pb.h"

namespace vrp {

// Thread-safe; methods read the disk. Codes and remedies: see model_service.proto.
class ModelHandler {
 public:
  // `registry` outlives the handler.
  explicit ModelHandler(const Registry& registry) : registry_(registry) {}

  absl::StatusOr<v1::ListModelsResponse> List(const v1::ListModelsRequest& request) const;
  absl::StatusOr<v1::Model> Get(const v1::GetModelRequest& request) const;

 private:
  const Registry& registry_;
};

}  // namespace vrp
