// What a message takes in memory once it is unpacked, told from its bytes: two of them may be an
// empty message of some hundred.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/io/zero_copy_stream.h"

namespace vrp {

// Bytes, rather too many than too few, of a message of `type` that is read from `wire`. Reads no
// further than to `most`: kInvalidArgument then names the field that it was come to. Of bytes that
// are no such message: what it takes to find that out. Takes nothing itself but for the first
// message of a type; thread-safe.
absl::StatusOr<int64_t> WeighMessage(const google::protobuf::Descriptor& type,
                                     google::protobuf::io::ZeroCopyInputStream& wire, int64_t most);

}  // namespace vrp
