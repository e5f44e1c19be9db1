// Handlers of RPCs that receive their messages as Received ones, for
// grpc::Service::MarkMethodCallback.
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

// The index of the RPC "vrp.v1.SolverService.BatchSolve", of which the handler is replaced.
inline int MethodIndex(const std::string& full_name) {
  const google::protobuf::MethodDescriptor* method =
      google::protobuf::DescriptorPool::generated_pool()->FindMethodByName(full_name);
  if (method == nullptr) std::abort();  // the protos are linked in
  return method->index();
}

// A stream that ends at once.
template <typename Response>
class RefusedStream final : public grpc::ServerWriteReactor<Response> {
 public:
  explicit RefusedStream(const absl::Status& status) { this->Finish(ToGrpcStatus(status)); }
  void OnDone() override { delete this; }
};

// How messages are received.
struct Reception {
  MessageBudget& budget;  // outlives the server
  // Asked before anything is made of a message, however large; null: all are welcome.
  std::function<absl::Status()> admit = nullptr;
};

// The message of a call, of which there will be so many copies; gRPC keeps it to the call's end.
template <typename Request>
absl::StatusOr<const Request*> Unpacked(const Received<Request>* received,
                                        const Reception& reception, int64_t times) {
  if (reception.admit != nullptr) VRP_RETURN_IF_ERROR(reception.admit());
  // gRPC gives what it has made for this call alone, and is not const.
  const_cast<Received<Request>*>(received)->Unpack(reception.budget, times);
  VRP_RETURN_IF_ERROR(received->status());
  return &received->message();
}

// `service` outlives the server.
template <typename Service, typename Request, typename Response>
grpc::internal::MethodHandler* ReceiveCall(
    Service* service, const Reception& reception,
    grpc::ServerUnaryReactor* (Service::*call)(grpc::CallbackServerContext*, const Request*,
                                               Response*)) {
  return new grpc::internal::CallbackUnaryHandler<Received<Request>, Response>(
      [service, reception, call](grpc::CallbackServerContext* context,
                                 const Received<Request>* received, Response* response) {
        const absl::StatusOr<const Request*> request = Unpacked(received, reception, 1);
        if (request.ok()) return (service->*call)(context, *request, response);
        grpc::ServerUnaryReactor* const refused = context->DefaultReactor();
        refused->Finish(ToGrpcStatus(request.status()));
        return refused;
      });
}

// Of a server stream, which copies its request.
template <typename Service, typename Request, typename Response>
grpc::internal::MethodHandler* ReceiveCall(Service* service, const Reception& reception,
                                           grpc::ServerWriteReactor<Response>* (Service::*call)(
                                               grpc::CallbackServerContext*, const Request*)) {
  return new grpc::internal::CallbackServerStreamingHandler<Received<Request>, Response>(
      [service, reception, call](
          grpc::CallbackServerContext* context,
          const Received<Request>* received) -> grpc::ServerWriteReactor<Response>* {
        const absl::StatusOr<const Request*> request = Unpacked(received, reception, 2);
        if (request.ok()) return (service->*call)(context, *request);
        return new RefusedStream<Response>(request.status());
      });
}

// The service V1 (v1::SolverService), of whose RPCs each has to be received.
template <typename V1>
class ReceivingService : public V1::CallbackService {
 protected:
  // The RPC `name`, which `call` answers.
  template <typename Service, typename Result, typename... Arguments>
  void Receive(const char* name, const Reception& reception,
               Result (Service::*call)(Arguments...)) {
    this->MarkMethodCallback(MethodIndex(Concat(V1::service_full_name(), ".", name)),
                             ReceiveCall(static_cast<Service*>(this), reception, call));
  }
};

template <typename Request, typename Response>
grpc::internal::MethodHandler* ReceiveStream(
    std::function<grpc::ServerReadReactor<Received<Request>>*(grpc::CallbackServerContext*,
                                                              Response*)>
        start) {
  return new grpc::internal::CallbackClientStreamingHandler<Received<Request>, Response>(
      std::move(start));
}

template <typename Request, typename Response>
grpc::internal::MethodHandler* ReceiveBatch(
    std::function<
        grpc::ServerBidiReactor<Received<Request>, Response>*(grpc::CallbackServerContext*)>
        start) {
  return new grpc::internal::CallbackBidiHandler<Received<Request>, Response>(std::move(start));
}

}  // namespace vrp
