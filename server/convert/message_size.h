// Estimates the memory of an unpacked message from its bytes. An empty message is two bytes on the
// wire but more than a hundred in memory.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/io/zero_copy_stream.h"

namespace vrp {

// Returns an upper estimate of the bytes that a message of `type` takes in memory.
//
// Stops at `max_bytes` and returns kInvalidArgument naming the field reached. If the bytes are not
// such a message, returns the memory needed to detect this. Thread-safe. Keeps the sizes of the
// types that it has seen.
absl::StatusOr<int64_t> EstimateMessageBytes(const google::protobuf::Descriptor& type,
                                             google::protobuf::io::ZeroCopyInputStream& wire,
                                             int64_t max_bytes);

}  // namespace vrp
