// A message of a client's stream that may be none.
//
// gRPC ends a stream at a message that cannot be parsed as if the caller had ended it, so that the
// caller would never hear of what is lost. Streams of Received tell the two apart.
#pragma once

#include <cstdlib>
#include <functional>
#include <string>

#include "google/protobuf/descriptor.h"
#include "grpcpp/grpcpp.h"
#include "grpcpp/support/server_callback.h"
#include "server/convert/status_convert.h"

namespace vrp {

template <typename Message>
struct Received {
  Message message;
  bool readable = false;

  // OK, or why there is no message.
  absl::Status status() const {
    return readable ? absl::OkStatus() : UnreadableError(Message::descriptor()->full_name());
  }
};

// The index of the RPC "vrp.v1.SolverService.BatchSolve" for grpc::Service::MarkMethodCallback,
// which replaces the generated handler by one of Received.
inline int MethodIndex(const std::string& full_name) {
  const google::protobuf::MethodDescriptor* method =
      google::protobuf::DescriptorPool::generated_pool()->FindMethodByName(full_name);
  if (method == nullptr) std::abort();  // the protos are linked in
  return method->index();
}

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

namespace grpc {

template <typename Message>
class SerializationTraits<vrp::Received<Message>, void> {
 public:
  static Status Deserialize(ByteBuffer* buffer, vrp::Received<Message>* received) {
    received->readable = SerializationTraits<Message>::Deserialize(buffer, &received->message).ok();
    return Status::OK;
  }
};

}  // namespace grpc
