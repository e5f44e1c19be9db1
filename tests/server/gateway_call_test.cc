// Tests calls of the HTTP gateway that end while messages are written.
#include "server/http/gateway_call.h"

#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "core/base/steady_time.h"
#include "grpcpp/generic/async_generic_service.h"
#include "grpcpp/grpcpp.h"
#include "gtest/gtest.h"
#include "tests/server/daemon_fixture.h"

namespace vrp::test {
namespace {

// Returns the status of `call`. Fails the test after a minute without one.
grpc::Status AwaitStatus(GatewayCall& call) {
  const absl::Time end = SteadyNow() + absl::Minutes(1);
  while (true) {
    while (call.Take().has_value()) {
    }
    if (const auto status = call.status(); status.has_value()) return *status;
    if (SteadyNow() > end) {
      ADD_FAILURE() << "the call has no status";
      return grpc::Status::OK;
    }
    std::this_thread::yield();
  }
}

// Starts a call to a method that no server has, writes a message at once and ends the request.
// The server refuses the call at an arbitrary moment of this.
grpc::Status WriteToRefusedCall(const std::shared_ptr<grpc::Channel>& channel) {
  GatewayCall::Options options;
  options.path = "/vrp.v1.Missing/Call";
  options.on_change = [] {};
  options.on_end = [] {};
  const std::shared_ptr<GatewayCall> call = GatewayCall::Start(channel, std::move(options));
  call->Write("message");
  while (!call->can_write()) std::this_thread::yield();
  call->WritesDone();
  return AwaitStatus(*call);
}

TEST(GatewayCallTest, MayBeRefusedByTheServerDuringAWrite) {
  grpc::CallbackGenericService methods;
  grpc::ServerBuilder builder;
  builder.RegisterCallbackGenericService(&methods);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  const std::shared_ptr<grpc::Channel> channel = server->InProcessChannel({});
  // Repeats the call for at most 20 s, because a busy machine takes minutes for all.
  const absl::Time end = SteadyNow() + absl::Seconds(20);
  for (int i = 0; i < 20'000 && SteadyNow() < end; ++i) {
    ASSERT_EQ(WriteToRefusedCall(channel).error_code(), grpc::StatusCode::UNIMPLEMENTED);
  }
}

}  // namespace
}  // namespace vrp::test
