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
// Stops at `most` bytes and returns kInvalidArgument naming the field reached. For bytes that are
// not such a message, returns the memory needed to detect that. Thread-safe. Allocates memory only
// for the first message of a type.
absl::StatusOr<int64_t> WeighMessage(const google::protobuf::Descriptor& type,
                                     google::protobuf::io::ZeroCopyInputStream& wire, int64_t most);

}  // namespace vrp
