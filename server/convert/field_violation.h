// Errors that name the fields of a message: an absl::Status whose payload is a
// google.rpc.BadRequest.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace vrp {

// Payload type URLs under which a status carries google.rpc details.
inline constexpr std::string_view kBadRequestUrl = "type.googleapis.com/google.rpc.BadRequest";
inline constexpr std::string_view kRetryInfoUrl = "type.googleapis.com/google.rpc.RetryInfo";

struct FieldViolation {
  std::string field;  // path, as `customers[17].demand`
  std::string description;

  bool operator==(const FieldViolation&) const = default;
};

// `field: description`.
std::string ToLine(const FieldViolation& violation);
// The inverse for an error text of the core; without a path in front the field is empty.
FieldViolation FromLine(std::string_view line);

// Message: one line a violation (the first 20); payload: all of them. `violations` is not empty.
absl::Status FieldError(absl::StatusCode code, const std::vector<FieldViolation>& violations);
absl::Status InvalidField(std::string_view field, std::string_view description);

// `status` with its message as it is and `violations` as payload. OK stays OK.
absl::Status WithViolations(absl::Status status, const std::vector<FieldViolation>& violations);
// A kInvalidArgument or kUnimplemented of the core that carries no payload yet: each line of its
// message becomes a violation of `field` (empty: of the path that the line begins with). Any other
// status as it is.
absl::Status WithField(absl::Status status, std::string_view field = "");

// The payload's violations; empty without one.
std::vector<FieldViolation> ViolationsOf(const absl::Status& status);

}  // namespace vrp
