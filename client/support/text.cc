#include "client/support/text.h"

#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"

namespace vrp::client {
namespace {

// Returns the length of the valid UTF-8 sequence at the start of `text`, or 0 (RFC 3629: no
// overlong forms, no surrogates, at most U+10FFFF).
size_t Utf8Length(std::string_view text) {
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto continues = [&](size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  const unsigned first = byte(0);
  if (text.empty()) return 0;
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) > 0x9F;
    return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool overlong = first == 0xF0 && byte(1) < 0x90;
    const bool beyond = first == 0xF4 && byte(1) > 0x8F;
    return continues(1) && continues(2) && continues(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

}  // namespace

bool IsValidUtf8(std::string_view text) {
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string ToValidUtf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    if (length == 0) {
      result += '?';
      text.remove_prefix(1);
    } else {
      result += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return result;
}

std::string WithCollection(std::string_view collection, const std::string& name) {
  const std::string prefix = absl::StrCat(std::string(collection), "/");
  return ToValidUtf8(name.starts_with(prefix) ? name : absl::StrCat(prefix, name));
}

std::string FormatNumber(double value) {
  if (!std::isfinite(value)) return "-";
  std::string text = absl::StrFormat("%.4f", value);
  while (absl::EndsWith(text, "0")) text.pop_back();
  if (absl::EndsWith(text, ".")) text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string FormatGap(double gap, const std::string& reference) {
  return absl::StrFormat("%+.2f %% vs %s", gap * 100, reference.empty() ? "reference" : reference);
}

std::string FormatSeconds(double seconds) {
  return seconds < 100 ? absl::StrFormat("%.3g", seconds) : absl::StrFormat("%.0f", seconds);
}

std::string FormatMilliseconds(const google::protobuf::Duration& duration) {
  return FormatNumber(
      absl::ToDoubleMilliseconds(absl::Floor(ToDuration(duration), absl::Microseconds(100))));
}

std::string FormatSpan(absl::Duration duration) {
  const int64_t seconds = absl::ToInt64Seconds(duration + absl::Milliseconds(500));
  if (seconds < 60) return absl::StrCat(seconds, "s");
  if (seconds < 3600) return absl::StrFormat("%dm%02ds", seconds / 60, seconds % 60);
  return absl::StrFormat("%dh%02dm", seconds / 3600, seconds % 3600 / 60);
}

std::string FormatCount(int64_t count, std::string_view noun) {
  return absl::StrCat(count, " ", std::string(noun), count == 1 ? "" : "s");
}

std::string FormatRate(double per_second) {
  if (!std::isfinite(per_second)) return "-";
  if (per_second >= 999'950) return absl::StrFormat("%.1fM", per_second / 1e6);
  if (per_second >= 9'999.5) return absl::StrFormat("%.1fk", per_second / 1e3);
  return absl::StrFormat("%.0f", per_second);
}

std::string FormatBytes(int64_t bytes) {
  if (bytes >= int64_t{10} << 30)
    return absl::StrFormat("%.0f GiB", std::ldexp(static_cast<double>(bytes), -30));
  if (bytes > 0 && bytes < int64_t{1} << 20)
    return absl::StrFormat("%.0f KiB", std::ceil(std::ldexp(static_cast<double>(bytes), -10)));
  return absl::StrFormat("%.0f MiB", std::ldexp(static_cast<double>(bytes), -20));
}

std::string FormatTime(const google::protobuf::Timestamp& time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", ToTime(time), absl::UTCTimeZone());
}

absl::Time ToTime(const google::protobuf::Timestamp& time) {
  return absl::FromUnixSeconds(time.seconds()) + absl::Nanoseconds(time.nanos());
}

absl::Duration ToDuration(const google::protobuf::Duration& duration) {
  return absl::Seconds(duration.seconds()) + absl::Nanoseconds(duration.nanos());
}

google::protobuf::Duration ToProtoDuration(absl::Duration duration) {
  google::protobuf::Duration result;
  const int64_t seconds = absl::IDivDuration(duration, absl::Seconds(1), &duration);
  result.set_seconds(seconds);
  result.set_nanos(static_cast<int32_t>(absl::ToInt64Nanoseconds(duration)));
  return result;
}

}  // namespace vrp::client
