// Reads a message as the daemon does, which computes the message's memory before parsing it.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "absl/status/statusor.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "server/convert/message_size.h"

namespace vrp::fuzz {

// Bound of the bytes that a message may need in memory.
inline constexpr int64_t kMaxMemory = int64_t{64} << 20;

// Parses a message. Returns false if the message is unreadable or too large. Aborts if the message
// needs more memory than estimated.
template <typename Message>
bool Receive(std::string_view bytes, Message& message) {
  const int size = static_cast<int>(bytes.size());
  google::protobuf::io::ArrayInputStream wire(bytes.data(), size);
  const absl::StatusOr<int64_t> estimate =
      EstimateMessageBytes(*Message::descriptor(), wire, kMaxMemory);
  if (!estimate.ok() || !message.ParseFromArray(bytes.data(), size)) return false;
  if (static_cast<int64_t>(message.SpaceUsedLong()) > *estimate) std::abort();
  return true;
}

}  // namespace vrp::fuzz
