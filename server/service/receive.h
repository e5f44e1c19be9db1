// Builds handlers that receive messages as Received ones. The caller gives them to
// grpc::Service::MarkMethodCallback, which takes ownership.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "google/protobuf/descriptor.h"
#include "grpcpp/grpcpp.h"
#include "grpcpp/support/server_callback.h"
#include "server/convert/status_convert.h"
#include "server/service/received.h"
#include "server/support/message_budget.h"

namespace vrp {

// Returns the index of an RPC ("vrp.v1.SolverService.BatchSolve") in its service.
inline int MethodIndex(const std::string& full_name) {
  const google::protobuf::MethodDescriptor* method =
      google::protobuf::DescriptorPool::generated_pool()->FindMethodByName(full_name);
  if (method == nullptr) std::abort();  // not null: the protos are linked in
  return method->index();
}

// A stream that ends immediately with an error.
template <typename Response>
class RefusedStream final : public grpc::ServerWriteReactor<Response> {
 public:
  explicit RefusedStream(const absl::Status& status) { this->Finish(ToGrpcStatus(status)); }
  void OnDone() override { delete this; }
};

// Limits and admission of the messages of an RPC.
struct Reception {
  MessageBudget& budget;  // outlives the server
  int64_t max_bytes = 0;  // bytes of a message on the wire; 0: gRPC's own limit
  // Called before a message is unpacked, however large it is. Optional.
  std::function<absl::Status()> admit = nullptr;
};

// Admits, checks and unpacks the message of a call. `copies` counts the message and its copies.
// gRPC owns the message until the call ends.
template <typename Request>
absl::StatusOr<const Request*> UnpackRequest(const Received<Request>* received,
                                             const Reception& reception, int64_t copies) {
  if (reception.admit != nullptr) VRP_RETURN_IF_ERROR(reception.admit());
  // gRPC builds the message only for this call, but passes it as const.
  auto* message = const_cast<Received<Request>*>(received);
  VRP_RETURN_IF_ERROR(message->CheckSize(reception.max_bytes));
  message->Unpack(reception.budget, copies);
  VRP_RETURN_IF_ERROR(message->status());
  return &message->message();
}

// Returns the handler of a unary RPC. `start` creates the reactor of each call.
template <typename Request, typename Response>
grpc::internal::MethodHandler* ReceiveUnary(
    Reception reception, std::function<grpc::ServerUnaryReactor*(grpc::CallbackServerContext&,
                                                                 const Request&, Response&)>
                             start) {
  return new grpc::internal::CallbackUnaryHandler<Received<Request>, Response>(
      [reception = std::move(reception), start = std::move(start)](
          grpc::CallbackServerContext* context, const Received<Request>* received,
          Response* response) {
        const absl::StatusOr<const Request*> request = UnpackRequest(received, reception, 1);
        if (request.ok()) return start(*context, **request, *response);
        grpc::ServerUnaryReactor* const refused = context->DefaultReactor();
        refused->Finish(ToGrpcStatus(request.status()));
        return refused;
      });
}

// Returns the handler of a server stream, which copies its request. `start` creates the reactor of
// each call.
template <typename Request, typename Response>
grpc::internal::MethodHandler* ReceiveServerStream(
    Reception reception,
    std::function<grpc::ServerWriteReactor<Response>*(grpc::CallbackServerContext&, const Request&)>
        start) {
  return new grpc::internal::CallbackServerStreamingHandler<Received<Request>, Response>(
      [reception = std::move(reception), start = std::move(start)](
          grpc::CallbackServerContext* context,
          const Received<Request>* received) -> grpc::ServerWriteReactor<Response>* {
        const absl::StatusOr<const Request*> request = UnpackRequest(received, reception, 2);
        if (request.ok()) return start(*context, **request);
        return new RefusedStream<Response>(request.status());
      });
}

// Returns the handler of a client stream. `start` creates the reactor of each call.
template <typename Request, typename Response>
grpc::internal::MethodHandler* ReceiveStream(
    std::function<grpc::ServerReadReactor<Received<Request>>*(grpc::CallbackServerContext*,
                                                              Response*)>
        start) {
  return new grpc::internal::CallbackClientStreamingHandler<Received<Request>, Response>(
      std::move(start));
}

// Returns the handler of a bidirectional stream. `start` creates the reactor of each call.
template <typename Request, typename Response>
grpc::internal::MethodHandler* ReceiveBatch(
    std::function<
        grpc::ServerBidiReactor<Received<Request>, Response>*(grpc::CallbackServerContext*)>
        start) {
  return new grpc::internal::CallbackBidiHandler<Received<Request>, Response>(std::move(start));
}

}  // namespace vrp
