// A message of a client that is unpacked by ourselves: within a budget, and it may be none.
//
// gRPC unpacks whatever comes, though a message of 64 MiB may take gigabytes then; and ends a
// stream at one that cannot be read as if the caller had ended it, who would never hear of what is
// lost. All our RPCs receive such messages, in place of the generated handlers.
#pragma once

#include <cstdint>

#include "core/base/status_macros.h"
#include "grpcpp/grpcpp.h"
#include "grpcpp/support/proto_buffer_reader.h"
#include "server/convert/message_weight.h"
#include "server/convert/status_convert.h"
#include "server/support/message_budget.h"

namespace vrp {

template <typename Message>
class Received {
 public:
  // The bytes of a message, which nothing is known of yet.
  void Take(grpc::ByteBuffer& bytes) {
    bytes_.Clear();
    bytes_.Swap(&bytes);
  }

  // `times`: so many copies of the message there will be. Afterwards status() says whether there
  // is a message.
  void Unpack(MessageBudget& budget, int64_t times = 1) {
    share_ = {};
    status_ = TryUnpack(budget, times);
    bytes_.Clear();
  }

  const Message& message() const { return message_; }
  // kInvalidArgument: it cannot be read, or takes too much; kResourceExhausted: as of the budget.
  const absl::Status& status() const { return status_; }

 private:
  absl::Status TryUnpack(MessageBudget& budget, int64_t times) {
    grpc::ProtoBufferReader wire(&bytes_);
    VRP_RETURN_IF_ERROR(wire.status().ok() ? absl::OkStatus()
                                           : UnreadableError(Message::descriptor()->full_name()));
    VRP_ASSIGN_OR_RETURN(const int64_t weight,
                         WeighMessage(*Message::descriptor(), wire, budget.each()));
    VRP_ASSIGN_OR_RETURN(share_, budget.Take(times * weight));
    if (grpc::SerializationTraits<Message>::Deserialize(&bytes_, &message_).ok()) {
      return absl::OkStatus();
    }
    return UnreadableError(Message::descriptor()->full_name());
  }

  grpc::ByteBuffer bytes_;
  MessageBudget::Share share_;
  Message message_;
  absl::Status status_;
};

}  // namespace vrp

namespace grpc {

template <typename Message>
class SerializationTraits<vrp::Received<Message>, void> {
 public:
  static Status Deserialize(ByteBuffer* buffer, vrp::Received<Message>* received) {
    received->Take(*buffer);
    return Status::OK;
  }
};

}  // namespace grpc
