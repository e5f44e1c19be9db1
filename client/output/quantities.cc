#include "client/output/quantities.h"

#include <cmath>
#include <cstdint>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace vrp::client {
namespace {

constexpr int64_t kMinutesPerDay = 24 * 60;

std::string HoursAndMinutes(int64_t minutes) {
  return absl::StrFormat("%d:%02d", minutes / 60, minutes % 60);
}

// Removes trailing zeros from a number's decimals.
std::string WithoutZeros(std::string text) {
  if (!absl::StrContains(text, ".")) return text;
  while (absl::EndsWith(text, "0")) text.pop_back();
  if (absl::EndsWith(text, ".")) text.pop_back();
  return text == "-0" ? "0" : text;
}

}  // namespace

std::string FormatQuantity(double value) {
  if (!std::isfinite(value)) return "-";
  const double size = std::abs(value);
  if (size >= 0.1 || size < 1e-9) return WithoutZeros(absl::StrFormat("%.3f", value));
  const int decimals = 2 - static_cast<int>(std::floor(std::log10(size)));
  return WithoutZeros(absl::StrFormat("%.*f", decimals, value));
}

std::string Quantities::Distance(double value) const {
  const double metres = value * units_.metres_per_distance_unit();
  if (units_.metres_per_distance_unit() == 0 || !std::isfinite(metres))
    return FormatQuantity(value);
  if (std::abs(metres) < 999.5) return absl::StrFormat("%.0f m", metres);
  return absl::StrFormat("%.*f km", std::abs(metres) < 100'000 ? 2 : 1, metres / 1000);
}

std::string Quantities::Duration(double value) const {
  const double seconds = value * units_.seconds_per_time_unit();
  if (units_.seconds_per_time_unit() == 0 || !std::isfinite(seconds)) return FormatQuantity(value);
  if (std::abs(seconds) < 59.5) return absl::StrFormat("%.0f s", seconds);
  const int64_t minutes = std::llround(std::abs(seconds) / 60);
  return absl::StrCat(seconds < 0 ? "-" : "", HoursAndMinutes(minutes), " h");
}

std::string Quantities::Time(double value) const {
  const double seconds = value * units_.seconds_per_time_unit();
  if (!units_.times_of_day() || !std::isfinite(seconds) || seconds < 0) return Duration(value);
  const int64_t minutes = std::llround(seconds / 60);
  const int64_t days = minutes / kMinutesPerDay;
  std::string text = HoursAndMinutes(minutes % kMinutesPerDay);
  if (days > 0) absl::StrAppend(&text, " +", days, days == 1 ? " day" : " days");
  return text;
}

std::string Quantities::Cost(double value) const {
  switch (units_.cost()) {
    case v1::COST_UNIT_DISTANCE:
      return Distance(value);
    case v1::COST_UNIT_TIME:
      return Duration(value);
    default:
      return FormatQuantity(value);
  }
}

}  // namespace vrp::client
