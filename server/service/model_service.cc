#include "server/service/model_service.h"

#include "server/service/stream_call.h"
#include "server/service/upload_call.h"

namespace vrp {

ModelService::ModelService(const ServiceContext& context, const ModelHandler& handler)
    : context_(context), handler_(handler) {
  Receive("ListModels", {context_.messages}, &ModelService::ListModels);
  Receive("GetModel", {context_.messages}, &ModelService::GetModel);
  Receive("EvaluateModel", {context_.messages}, &ModelService::EvaluateModel);
  Receive("ExportModel", {context_.messages}, &ModelService::ExportModel);
  Receive("SetModelAlias", {context_.messages}, &ModelService::SetModelAlias);
  Receive("DeleteModelAlias", {context_.messages}, &ModelService::DeleteModelAlias);
  Receive("LoadModel", {context_.messages}, &ModelService::LoadModel);
  Receive("UnloadModel", {context_.messages}, &ModelService::UnloadModel);
  Receive("DeleteModelVersion", {context_.messages}, &ModelService::DeleteModelVersion);
  MarkMethodCallback(MethodIndex("vrp.v1.ModelService.ImportModel"),
                     ReceiveStream<v1::ImportModelRequest, v1::Model>(
                         [this](grpc::CallbackServerContext* call, v1::Model* response) {
                           return Import(*call, *response);
                         }));
}

grpc::ServerUnaryReactor* ModelService::ListModels(grpc::CallbackServerContext* context,
                                                   const v1::ListModelsRequest* request,
                                                   v1::ListModelsResponse* response) {
  return RunUnary(*context, context_.quick_pool, *response,
                  [this, request](const CallContext&) { return handler_.List(*request); });
}

grpc::ServerUnaryReactor* ModelService::GetModel(grpc::CallbackServerContext* context,
                                                 const v1::GetModelRequest* request,
                                                 v1::Model* response) {
  return RunUnary(*context, context_.quick_pool, *response,
                  [this, request](const CallContext&) { return handler_.Get(*request); });
}

grpc::ServerWriteReactor<v1::EvaluateModelResponse>* ModelService::EvaluateModel(
    grpc::CallbackServerContext*, const v1::EvaluateModelRequest* request) {
  return StreamCall<v1::EvaluateModelResponse>::Start(
      {.pool = &context_.solve_pool,
       .hub = &context_.streams,
       .open = [this, request = *request] { return handler_.Evaluate(request); },
       .heartbeat = nullptr});
}

grpc::ServerReadReactor<Received<v1::ImportModelRequest>>* ModelService::Import(
    grpc::CallbackServerContext& call, v1::Model& response) {
  const std::shared_ptr<ModelImport> import = handler_.Import();
  return UploadCall<v1::ImportModelRequest, v1::Model>::Start(
      call, response,
      {.pool = &context_.quick_pool,
       .hub = &context_.streams,
       .messages = &context_.messages,
       .take = [import](const v1::ImportModelRequest& message) { return import->Take(message); },
       .finish = [import] { return import->Finish(); }});
}

grpc::ServerWriteReactor<v1::ExportModelResponse>* ModelService::ExportModel(
    grpc::CallbackServerContext*, const v1::ExportModelRequest* request) {
  return StreamCall<v1::ExportModelResponse>::Start(
      {.pool = &context_.quick_pool,
       .hub = &context_.streams,
       .open = [this, request = *request] { return handler_.Export(request); },
       .heartbeat = nullptr});
}

grpc::ServerUnaryReactor* ModelService::SetModelAlias(grpc::CallbackServerContext* context,
                                                      const v1::SetModelAliasRequest* request,
                                                      v1::SetModelAliasResponse* response) {
  return RunUnary(*context, context_.patient_pool, *response,
                  [this, request](const CallContext&) { return handler_.SetAlias(*request); });
}

grpc::ServerUnaryReactor* ModelService::DeleteModelAlias(grpc::CallbackServerContext* context,
                                                         const v1::DeleteModelAliasRequest* request,
                                                         v1::DeleteModelAliasResponse* response) {
  return RunUnary(*context, context_.quick_pool, *response,
                  [this, request](const CallContext&) { return handler_.DeleteAlias(*request); });
}

grpc::ServerUnaryReactor* ModelService::LoadModel(grpc::CallbackServerContext* context,
                                                  const v1::LoadModelRequest* request,
                                                  v1::Model* response) {
  return RunUnary(*context, context_.patient_pool, *response,
                  [this, request](const CallContext&) { return handler_.Load(*request); });
}

grpc::ServerUnaryReactor* ModelService::UnloadModel(grpc::CallbackServerContext* context,
                                                    const v1::UnloadModelRequest* request,
                                                    v1::UnloadModelResponse* response) {
  return RunUnary(*context, context_.quick_pool, *response,
                  [this, request](const CallContext&) { return handler_.Unload(*request); });
}

grpc::ServerUnaryReactor* ModelService::DeleteModelVersion(
    grpc::CallbackServerContext* context, const v1::DeleteModelVersionRequest* request,
    v1::DeleteModelVersionResponse* response) {
  return RunUnary(*context, context_.quick_pool, *response,
                  [this, request](const CallContext&) { return handler_.DeleteVersion(*request); });
}

}  // namespace vrp
