// A client's message that the daemon itself unpacks, within a memory budget.
//
// gRPC unpacks every message, although one of 64 MiB may take gigabytes of memory. If a message is
// unreadable, gRPC ends the stream as if the caller had ended it, and the caller never learns of
// the loss. Therefore all RPCs of the daemon receive messages of this type instead of the generated
// ones.
#pragma once

#include <cstdint>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "grpcpp/grpcpp.h"
#include "grpcpp/support/proto_buffer_reader.h"
#include "server/convert/message_size.h"
#include "server/convert/status_convert.h"
#include "server/support/message_budget.h"

namespace vrp {

template <typename Message>
class Received {
 public:
  // Takes ownership of the bytes of a message, which are still unchecked.
  void Take(grpc::ByteBuffer& bytes) {
    bytes_.Clear();
    bytes_.Swap(&bytes);
  }

  // Returns kInvalidArgument for a message of more than `max_bytes`; 0 means no limit.
  absl::Status CheckSize(int64_t max_bytes) const {
    const auto bytes = static_cast<int64_t>(bytes_.Length());
    if (max_bytes == 0 || bytes <= max_bytes) return absl::OkStatus();
    return absl::InvalidArgumentError(
        Concat("the request has ", bytes, " bytes, wanted at most ", max_bytes));
  }

  // Unpacks the message, and reserves the memory of `copies` such messages in `budget` until the
  // next Unpack or destruction. status() returns the result.
  void Unpack(MessageBudget& budget, int64_t copies = 1) {
    share_ = {};
    status_ = TryUnpack(budget, copies);
    bytes_.Clear();
  }

  const Message& message() const { return message_; }
  // Returns kInvalidArgument if the message is unreadable or too large, and kResourceExhausted as
  // MessageBudget::Take does.
  const absl::Status& status() const { return status_; }

 private:
  absl::Status TryUnpack(MessageBudget& budget, int64_t copies) {
    grpc::ProtoBufferReader wire(&bytes_);
    VRP_RETURN_IF_ERROR(wire.status().ok() ? absl::OkStatus()
                                           : UnreadableError(Message::descriptor()->full_name()));
    VRP_ASSIGN_OR_RETURN(const int64_t estimate,
                         EstimateMessageBytes(*Message::descriptor(), wire, budget.per_message()));
    VRP_ASSIGN_OR_RETURN(share_, budget.Take(copies * estimate));
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
