// Formats numbers, times and bytes, and checks UTF-8.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "google/protobuf/duration.pb.h"
#include "google/protobuf/timestamp.pb.h"

namespace vrp::client {

bool IsValidUtf8(std::string_view text);
// Replaces each byte that is not part of valid UTF-8 by '?', as protobuf strings and JSON require.
std::string ToValidUtf8(std::string_view text);
// Returns "{collection}/{name}", or `name` if it begins with "{collection}/", as valid UTF-8.
std::string WithCollection(std::string_view collection, const std::string& name);

// Returns a number with at most four decimals, such as "375", "27591.5" or "0.1235"; "-" if it is
// not finite.
std::string FormatNumber(double value);
// Returns `gap`, (cost - reference) / reference, in percent with the reference's name, such as
// "+1.25 % vs search 1 s". Older daemons do not send the name; the text is then "+1.25 % vs
// reference".
std::string FormatGap(double gap, const std::string& reference);
// Names of the reference costs in the instances' own files, for many instances and for one.
inline constexpr char kFileReferences[] = "file's reference costs";
inline constexpr char kFileReference[] = "file's reference";
// Returns seconds with three significant digits, or whole seconds from 100 on, such as "0.0521",
// "12.3" or "1234".
std::string FormatSeconds(double seconds);
// Returns milliseconds, rounded down to one decimal, such as "499.9".
std::string FormatMilliseconds(const google::protobuf::Duration& duration);
// Returns a duration in at most two units, such as "45s", "1m20s" or "2h05m".
std::string FormatSpan(absl::Duration duration);
// Returns a count with its noun, such as "1 route" or "3 routes".
std::string FormatCount(int64_t count, std::string_view noun);
// Returns a rate such as "850", "12.3k" or "1.2M"; "-" if it is not finite.
std::string FormatRate(double per_second);
// Returns a size such as "3 KiB", "850 MiB" or "12 GiB".
std::string FormatBytes(int64_t bytes);

// Returns the time as in RFC 3339, in UTC with milliseconds.
std::string FormatTime(const google::protobuf::Timestamp& time);
absl::Time ToTime(const google::protobuf::Timestamp& time);
absl::Duration ToDuration(const google::protobuf::Duration& duration);
google::protobuf::Duration ToProtoDuration(absl::Duration duration);

}  // namespace vrp::client
