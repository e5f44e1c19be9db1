// Converts serialized messages to and from JSON, by protobuf's JSON mapping.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "google/protobuf/descriptor.h"

namespace vrp {

// Returns the serialized message of `type` that `json` describes. Memory grows with the size of
// the serialized message, not with the number of its parts. Returns kInvalidArgument for unreadable
// JSON, more than 100 nested levels, unknown fields, and fields that are given twice.
absl::StatusOr<std::string> BinaryFromJson(const google::protobuf::Descriptor& type,
                                           std::string_view json);

// Returns the serialized message of `type` with the fields of a URL's query, such as
// "pageSize=10&labels.team=blue". Returns kInvalidArgument for unknown fields, fields that are
// given twice, broken escapes and text that is not printable UTF-8.
absl::StatusOr<std::string> BinaryFromQuery(const google::protobuf::Descriptor& type,
                                            std::string_view query);

// Returns the JSON of a serialized message of `type`. Fields with default values are absent.
// Returns kInternal for bytes without a JSON form, such as an Any of an unknown type.
absl::StatusOr<std::string> JsonFromBinary(const google::protobuf::Descriptor& type,
                                           const std::string& binary);

// Returns kInvalidArgument if a serialized message of `type` has a field twice that is not
// repeated, at any depth. Names the field.
absl::Status CheckFieldsGivenOnce(const google::protobuf::Descriptor& type,
                                  const std::string& binary);

}  // namespace vrp
