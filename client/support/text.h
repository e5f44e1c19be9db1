// Small pieces of text that several outputs share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "google/protobuf/duration.pb.h"
#include "google/protobuf/timestamp.pb.h"

namespace vrp::client {

bool IsValidUtf8(std::string_view text);
// With each byte that is not part of valid UTF-8 replaced by '?': protobuf strings and JSON take
// nothing else.
std::string ToValidUtf8(std::string_view text);

// "375", "27591.5", "0.1235": a whole number without decimals, others with at most four.
std::string FormatNumber(double value);
// Returns (cost - reference) / reference as "+1.25 % vs search 1 s"; every gap names its reference.
// Where an earlier daemon did not tell it: "+1.25 % vs reference".
std::string FormatGap(double gap, const std::string& reference);
// Names of the references that an instance's own file states: for many instances, and for one.
inline constexpr char kFileReferences[] = "file's reference costs";
inline constexpr char kFileReference[] = "file's reference";
// Returns seconds with three significant digits: "0.0521", "12.3", "1234".
std::string FormatSeconds(double seconds);
// "45s", "1m20s", "2h05m": for people, to two units.
std::string FormatSpan(absl::Duration duration);
// "12.3k", "1.2M".
std::string FormatRate(double per_second);
// "850 MiB".
std::string FormatBytes(int64_t bytes);

// RFC 3339 in UTC with milliseconds.
std::string FormatTime(const google::protobuf::Timestamp& time);
absl::Time ToTime(const google::protobuf::Timestamp& time);
absl::Duration ToDuration(const google::protobuf::Duration& duration);
google::protobuf::Duration ToProtoDuration(absl::Duration duration);

}  // namespace vrp::client
