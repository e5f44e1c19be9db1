#include "server/convert/time_convert.h"

#include <algorithm>
#include <cstdint>

#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {
namespace {

constexpr int64_t kMaxSeconds = 315'576'000'000;  // 10,000 years, the limit in duration.proto

}  // namespace

google::protobuf::Duration ToProto(absl::Duration duration) {
  duration = std::clamp(duration, -absl::Seconds(kMaxSeconds), absl::Seconds(kMaxSeconds));
  google::protobuf::Duration message;
  absl::Duration rest;
  message.set_seconds(absl::IDivDuration(duration, absl::Seconds(1), &rest));
  message.set_nanos(static_cast<int32_t>(absl::ToInt64Nanoseconds(rest)));
  return message;
}

google::protobuf::Timestamp ToProto(absl::Time time) {
  constexpr int64_t kFirst = -62'135'596'800;  // 0001-01-01, the limit in timestamp.proto
  constexpr int64_t kLast = 253'402'300'799;   // 9999-12-31
  time = std::clamp(time, absl::FromUnixSeconds(kFirst), absl::FromUnixSeconds(kLast));
  google::protobuf::Timestamp message;
  message.set_seconds(absl::ToUnixSeconds(time));
  message.set_nanos(static_cast<int32_t>(
      absl::ToInt64Nanoseconds(time - absl::FromUnixSeconds(message.seconds()))));
  return message;
}

absl::StatusOr<absl::Duration> FromProto(const google::protobuf::Duration& duration) {
  const int64_t seconds = duration.seconds();
  const int32_t nanos = duration.nanos();
  const bool in_range = seconds >= -kMaxSeconds && seconds <= kMaxSeconds &&
                        nanos > -1'000'000'000 && nanos < 1'000'000'000;
  const bool same_sign = !((seconds > 0 && nanos < 0) || (seconds < 0 && nanos > 0));
  if (!in_range || !same_sign) {
    return absl::InvalidArgumentError(Concat("got ", seconds, " seconds and ", nanos,
                                             " nanos, wanted at most 10,000 years, with seconds "
                                             "and nanos of the same sign and fewer than "
                                             "1,000,000,000 nanos"));
  }
  return absl::Seconds(seconds) + absl::Nanoseconds(nanos);
}

absl::StatusOr<absl::Duration> BudgetFromProto(const google::protobuf::Duration& duration,
                                               absl::Duration min, absl::Duration max) {
  VRP_ASSIGN_OR_RETURN(const absl::Duration budget, FromProto(duration));
  if (budget >= min && budget <= max) return budget;
  return absl::InvalidArgumentError(Concat("got ", absl::FormatDuration(budget), ", wanted ",
                                           absl::FormatDuration(min), " to ",
                                           absl::FormatDuration(max)));
}

}  // namespace vrp
