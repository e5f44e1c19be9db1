#include "server/convert/status_convert.h"

#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/cord.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_split.h"
#include "core/base/text.h"
#include "google/rpc/error_details.pb.h"
#include "server/convert/field_violation.h"
#include "server/convert/time_convert.h"

namespace vrp {
namespace {

// Bounds in bytes of the message, of a violation's field or description, and of all violations.
// They keep the trailers within gRPC's 8 KiB. Trailers contain the message twice and the details
// once. gRPC replaces an error whose trailers are larger with its own.
constexpr size_t kMaxMessageBytes = 1500;
constexpr size_t kMaxViolationBytes = 300;
constexpr size_t kMaxViolationsBytes = 2500;

// URL of the payload of WithReason.
constexpr std::string_view kReasonUrl = "vrp/reason";

bool IsText(std::string_view text) {
  for (const absl::string_view line : absl::StrSplit(ToAbsl(text), '\n')) {
    if (!IsPrintableUtf8(FromAbsl(line))) return false;
  }
  return true;
}

// Returns at most `limit` bytes of `text`. Escapes a text that is not printable UTF-8.
std::string Bounded(std::string_view text, size_t limit) {
  std::string result(text);
  if (!IsText(text)) result = absl::Utf8SafeCHexEscape(ToAbsl(text));
  if (!IsText(result)) result = absl::CHexEscape(ToAbsl(text));
  if (result.size() <= limit) return result;
  size_t end = limit - 3;
  while (end > 0 && (static_cast<unsigned char>(result[end]) & 0xC0) == 0x80) --end;
  return result.substr(0, end) + "...";
}

google::rpc::BadRequest BoundedBadRequest(const absl::Status& status) {
  google::rpc::BadRequest details;
  size_t bytes = 0;
  const std::vector<FieldViolation> violations = ViolationsOf(status);
  for (size_t i = 0; i < violations.size(); ++i) {
    auto& added = *details.add_field_violations();
    added.set_field(Bounded(violations[i].field, kMaxViolationBytes));
    added.set_description(Bounded(violations[i].description, kMaxViolationBytes));
    bytes += added.ByteSizeLong();
    if (bytes > kMaxViolationsBytes && i + 1 < violations.size()) {
      details.mutable_field_violations()->RemoveLast();
      details.add_field_violations()->set_description(
          Concat("and ", violations.size() - i, " more"));
      break;
    }
  }
  return details;
}

void AddRetryInfo(const absl::Status& status, google::rpc::Status& target) {
  const auto payload = status.GetPayload(ToAbsl(kRetryInfoUrl));
  google::rpc::RetryInfo retry;
  if (payload.has_value() && retry.ParseFromString(std::string(*payload))) {
    target.add_details()->PackFrom(retry);
  } else if (absl::IsResourceExhausted(status) || absl::IsUnavailable(status)) {
    *retry.mutable_retry_delay() = ToProto(absl::Seconds(1));
    target.add_details()->PackFrom(retry);
  }
}

}  // namespace

absl::Status WithRetry(absl::Status status, absl::Duration delay) {
  google::rpc::RetryInfo retry;
  *retry.mutable_retry_delay() = ToProto(delay);
  status.SetPayload(ToAbsl(kRetryInfoUrl), absl::Cord(retry.SerializeAsString()));
  return status;
}

absl::Status WithReason(absl::Status status, std::string_view reason) {
  status.SetPayload(ToAbsl(kReasonUrl), absl::Cord(ToAbsl(reason)));
  return status;
}

absl::Status StoppingError() {
  return WithReason(absl::UnavailableError("the daemon is stopping; call again"), "STOPPING");
}

absl::Status UnreadableError(std::string_view type) {
  return WithReason(absl::InvalidArgumentError(Concat(
                        "the message is missing or unreadable as ", type,
                        ": it is truncated, of another type, or contains text that is not UTF-8")),
                    "UNREADABLE_MESSAGE");
}

google::rpc::Status ToDetailedStatus(const absl::Status& status) {
  google::rpc::Status details;
  details.set_code(static_cast<int>(status.code()));
  details.set_message(Bounded(FromAbsl(status.message()), kMaxMessageBytes));
  google::rpc::ErrorInfo info;
  info.set_domain(kErrorDomain);
  const auto reason = status.GetPayload(ToAbsl(kReasonUrl));
  info.set_reason(reason.has_value() ? std::string(*reason)
                                     : absl::StatusCodeToString(status.code()));
  details.add_details()->PackFrom(info);
  const google::rpc::BadRequest bad_request = BoundedBadRequest(status);
  if (bad_request.field_violations_size() > 0) details.add_details()->PackFrom(bad_request);
  AddRetryInfo(status, details);
  return details;
}

grpc::Status ToGrpcStatus(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  const google::rpc::Status details = ToDetailedStatus(status);
  // Both enums have the numbers of google.rpc.Code.
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), details.message(),
                      details.SerializeAsString());
}

std::string ReasonOf(const grpc::Status& status) {
  google::rpc::Status details;
  google::rpc::ErrorInfo info;
  if (details.ParseFromString(status.error_details())) {
    for (const auto& detail : details.details()) {
      if (detail.Is<google::rpc::ErrorInfo>() && detail.UnpackTo(&info)) break;
    }
  }
  return absl::AsciiStrToLower(
      info.domain() == kErrorDomain
          ? info.reason()
          : absl::StatusCodeToString(static_cast<absl::StatusCode>(status.error_code())));
}

google::rpc::Status ToRpcStatus(const absl::Status& status) {
  google::rpc::Status result;
  result.set_code(static_cast<int>(status.code()));
  constexpr size_t kMaxBytes = 64 << 10;
  result.set_message(Bounded(FromAbsl(status.message()), kMaxBytes));
  return result;
}

}  // namespace vrp
