#include "server/convert/field_violation.h"

#include <algorithm>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_split.h"
#include "core/base/text.h"
#include "google/rpc/error_details.pb.h"

namespace vrp {
namespace {

constexpr size_t kMaxLines = 20;

absl::Cord Payload(const std::vector<FieldViolation>& violations) {
  google::rpc::BadRequest details;
  for (const FieldViolation& violation : violations) {
    auto* added = details.add_field_violations();
    added->set_field(violation.field);
    added->set_description(violation.description);
  }
  return absl::Cord(details.SerializeAsString());
}

}  // namespace

std::string ToLine(const FieldViolation& violation) {
  if (violation.field.empty()) return violation.description;
  return Concat(violation.field, ": ", violation.description);
}

FieldViolation FromLine(std::string_view line) {
  const size_t colon = line.find(": ");
  if (colon == std::string_view::npos ||
      line.substr(0, colon).find(' ') != std::string_view::npos) {
    return {"", std::string(line)};
  }
  return {std::string(line.substr(0, colon)), std::string(line.substr(colon + 2))};
}

absl::Status FieldError(absl::StatusCode code, const std::vector<FieldViolation>& violations) {
  std::string message;
  for (size_t i = 0; i < std::min(violations.size(), kMaxLines); ++i) {
    message += (i == 0 ? "" : "\n") + ToLine(violations[i]);
  }
  if (violations.size() > kMaxLines) {
    message += Concat("\n... and ", violations.size() - kMaxLines, " more");
  }
  return WithViolations(absl::Status(code, message), violations);
}

absl::Status InvalidField(std::string_view field, std::string_view description) {
  return FieldError(absl::StatusCode::kInvalidArgument,
                    {{std::string(field), std::string(description)}});
}

absl::Status DatasetError(std::string_view field, const absl::Status& status) {
  const std::string_view message = FromAbsl(status.message());
  if (absl::IsInvalidArgument(status)) return InvalidField(field, message);
  return absl::Status(status.code(), Concat(field, ": ", message));
}

absl::Status WithViolations(absl::Status status, const std::vector<FieldViolation>& violations) {
  if (!status.ok()) status.SetPayload(ToAbsl(kBadRequestUrl), Payload(violations));
  return status;
}

absl::Status WithField(absl::Status status, std::string_view field) {
  if (!absl::IsInvalidArgument(status) && !absl::IsUnimplemented(status)) return status;
  if (status.GetPayload(ToAbsl(kBadRequestUrl)).has_value()) return status;
  std::vector<FieldViolation> violations;
  for (const absl::string_view line : absl::StrSplit(status.message(), '\n', absl::SkipEmpty())) {
    violations.push_back(field.empty() ? FromLine(FromAbsl(line))
                                       : FieldViolation{std::string(field), std::string(line)});
  }
  return WithViolations(std::move(status), violations);
}

absl::Status WithPrefix(absl::Status status, std::string_view prefix) {
  status = WithField(std::move(status));
  std::vector<FieldViolation> violations = ViolationsOf(status);
  if (violations.empty()) return status;
  for (FieldViolation& violation : violations) {
    violation.field = Concat(prefix, violation.field.empty() ? "" : ".", violation.field);
  }
  return FieldError(status.code(), violations);
}

std::vector<FieldViolation> ViolationsOf(const absl::Status& status) {
  std::vector<FieldViolation> violations;
  const auto payload = status.GetPayload(ToAbsl(kBadRequestUrl));
  google::rpc::BadRequest details;
  if (!payload.has_value() || !details.ParseFromString(std::string(*payload))) return violations;
  for (const auto& violation : details.field_violations()) {
    violations.push_back({violation.field(), violation.description()});
  }
  return violations;
}

}  // namespace vrp
