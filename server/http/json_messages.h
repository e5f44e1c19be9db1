// Converts serialized messages to and from JSON, by protobuf's JSON mapping.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "google/protobuf/descriptor.h"

namespace vrp {

// Returns the serialized message of `type` that `json` describes. Memory grows with the size of
// the serialized message, not with the number of its parts. Returns kInvalidArgument for unreadable
// JSON, more than 100 nested levels and unknown fields.
absl::StatusOr<std::string> BinaryFromJson(const google::protobuf::Descriptor& type,
                                           std::string_view json);

// Returns the serialized message of `type` with the fields of a URL's query, such as
// "pageSize=10&labels.team=blue". Returns kInvalidArgument for unknown fields and broken escapes.
absl::StatusOr<std::string> BinaryFromQuery(const google::protobuf::Descriptor& type,
                                            std::string_view query);

// Returns the JSON of a serialized message of `type`. Fields with default values are absent.
// Returns kInternal for unreadable bytes.
absl::StatusOr<std::string> JsonFromBinary(const google::protobuf::Descriptor& type,
                                           const std::string& binary);

// Replaces "%2F" and the like, and "+" by a space. Returns kInvalidArgument for broken escapes.
absl::StatusOr<std::string> DecodeUrl(std::string_view text);

}  // namespace vrp
