// Connects each RPC of ModelService with its handler.
#pragma once

#include "server/service/model_handler.h"
#include "server/service/rpc_service.h"
#include "server/service/service_context.h"
#include "vrp/v1/model_service.grpc.pb.h"

namespace vrp {

class ModelService final : public RpcService<v1::ModelService> {
 public:
  ModelService(const ServiceContext& context, const ModelHandler& handler);
};

}  // namespace vrp
