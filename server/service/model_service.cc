#include "server/service/model_service.h"

namespace vrp {

ModelService::ModelService(const ServiceContext& context, const ModelHandler& handler)
    : RpcService(context) {
  Unary(handler, &ModelHandler::List);
  Unary(handler, &ModelHandler::Get);
  Stream(handler, &ModelHandler::Evaluate);
  Upload<v1::ImportModelRequest, v1::Model>([&handler] { return handler.Import(); });
  Stream(handler, &ModelHandler::Export);
  Unary(handler, &ModelHandler::SetAlias);
  Unary(handler, &ModelHandler::DeleteAlias);
  Unary(handler, &ModelHandler::Load);
  Unary(handler, &ModelHandler::Unload);
  Unary(handler, &ModelHandler::DeleteVersion);
}

}  // namespace vrp
