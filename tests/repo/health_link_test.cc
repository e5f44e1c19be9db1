// Tests that a program with our own copy of grpc.health.v1 starts and serves beside Debian's
// gRPC++, which registers the default health service and reflection. Protobuf aborts a program that
// registers the same file twice.

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "google/rpc/error_details.pb.h"
#include "grpc/health/v1/health.grpc.pb.h"

namespace vrp {
namespace {

using HealthProto = ::grpc::health::v1::HealthCheckResponse;

TEST(HealthLinkTest, CallsTheBuiltInHealthServiceBesideOurCopy) {
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::CallbackGenericService no_other_service;  // a server without a service does not start
  grpc::ServerBuilder builder;
  builder.RegisterCallbackGenericService(&no_other_service);
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  ASSERT_NE(server, nullptr);
  server->GetHealthCheckService()->SetServingStatus("vrp.test", false);

  auto stub = ::grpc::health::v1::Health::NewStub(server->InProcessChannel({}));
  auto status_of = [&stub](const std::string& service) {
    ::grpc::health::v1::HealthCheckRequest request;
    request.set_service(service);
    HealthProto response;
    grpc::ClientContext context;
    const grpc::Status status = stub->Check(&context, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.status();
  };

  EXPECT_EQ(status_of(""), HealthProto::SERVING);
  EXPECT_EQ(status_of("vrp.test"), HealthProto::NOT_SERVING);
  server->Shutdown();
}

TEST(HealthLinkTest, RegistersErrorDetailsOnce) {
  google::rpc::ErrorInfo info;
  info.set_reason("OK");
  EXPECT_EQ(info.GetDescriptor()->full_name(), "google.rpc.ErrorInfo");
}

}  // namespace
}  // namespace vrp
