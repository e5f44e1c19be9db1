// Builds errors that name fields of a message: an absl::Status with a google.rpc.BadRequest as
// payload.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace vrp {

// Payload type URLs of google.rpc details in a status.
inline constexpr std::string_view kBadRequestUrl = "type.googleapis.com/google.rpc.BadRequest";
inline constexpr std::string_view kRetryInfoUrl = "type.googleapis.com/google.rpc.RetryInfo";

struct FieldViolation {
  std::string field;  // path, such as `customers[17].demand`
  std::string description;

  bool operator==(const FieldViolation&) const = default;
};

// Returns `field: description`, or only the description if the field is empty.
std::string ToLine(const FieldViolation& violation);
// Parses an error line of the core. Leaves the field empty if the line does not begin with a path.
FieldViolation FromLine(std::string_view line);

// Returns an error whose payload has all `violations`. The message has the first 20, one per line.
// `violations` must not be empty.
absl::Status FieldError(absl::StatusCode code, const std::vector<FieldViolation>& violations);
// Returns kInvalidArgument with one violation.
absl::Status InvalidField(std::string_view field, std::string_view description);
// Returns an error about the dataset that a field names, with the field before its message.
absl::Status DatasetError(std::string_view field, const absl::Status& status);

// Returns `status` with `violations` as payload and an unchanged message. OK stays OK.
absl::Status WithViolations(absl::Status status, const std::vector<FieldViolation>& violations);
// Adds a payload to a kInvalidArgument or kUnimplemented error of the core that has none. Each line
// of the message becomes a violation of `field`, or of the path at its beginning if `field` is
// empty. Returns any other status unchanged.
absl::Status WithField(absl::Status status, std::string_view field = "");
// Adds the payload of WithField and puts `prefix` and a dot before the field of each violation.
absl::Status WithPrefix(absl::Status status, std::string_view prefix);

// Returns the violations in the payload; an empty list without a payload.
std::vector<FieldViolation> ViolationsOf(const absl::Status& status);

}  // namespace vrp
