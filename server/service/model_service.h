// ModelService's RPCs: each hands its request to a pool and calls the handler.
#pragma once

#include "grpcpp/support/server_callback.h"
#include "server/service/model_handler.h"
#include "server/service/receive.h"
#include "server/service/service_context.h"
#include "vrp/v1/model_service.grpc.pb.h"

namespace vrp {

class ModelService final : public ReceivingService<v1::ModelService> {
 public:
  ModelService(const ServiceContext& context, const ModelHandler& handler);
  grpc::ServerUnaryReactor* ListModels(grpc::CallbackServerContext* context,
                                       const v1::ListModelsRequest* request,
                                       v1::ListModelsResponse* response) override;
  grpc::ServerUnaryReactor* GetModel(grpc::CallbackServerContext* context,
                                     const v1::GetModelRequest* request,
                                     v1::Model* response) override;
  grpc::ServerWriteReactor<v1::EvaluateModelResponse>* EvaluateModel(
      grpc::CallbackServerContext* context, const v1::EvaluateModelRequest* request) override;
  grpc::ServerWriteReactor<v1::ExportModelResponse>* ExportModel(
      grpc::CallbackServerContext* context, const v1::ExportModelRequest* request) override;
  grpc::ServerUnaryReactor* SetModelAlias(grpc::CallbackServerContext* context,
                                          const v1::SetModelAliasRequest* request,
                                          v1::SetModelAliasResponse* response) override;
  grpc::ServerUnaryReactor* DeleteModelAlias(grpc::CallbackServerContext* context,
                                             const v1::DeleteModelAliasRequest* request,
                                             v1::DeleteModelAliasResponse* response) override;
  grpc::ServerUnaryReactor* LoadModel(grpc::CallbackServerContext* context,
                                      const v1::LoadModelRequest* request,
                                      v1::Model* response) override;
  grpc::ServerUnaryReactor* UnloadModel(grpc::CallbackServerContext* context,
                                        const v1::UnloadModelRequest* request,
                                        v1::UnloadModelResponse* response) override;
  grpc::ServerUnaryReactor* DeleteModelVersion(grpc::CallbackServerContext* context,
                                               const v1::DeleteModelVersionRequest* request,
                                               v1::DeleteModelVersionResponse* response) override;

 private:
  // ImportModel.
  grpc::ServerReadReactor<Received<v1::ImportModelRequest>>* Import(
      grpc::CallbackServerContext& call, v1::Model& response);

  const ServiceContext context_;
  const ModelHandler& handler_;
};

}  // namespace vrp
