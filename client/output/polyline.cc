#include "client/output/polyline.h"

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace vrp::client {
namespace {

// Each character has five bits of a number, the lowest first, and a bit that says whether more
// follow.
constexpr int kGroupBits = 5;
constexpr int kGroupMask = 31;
constexpr int kMoreFollows = 32;
constexpr char kFirstCharacter = 63;
constexpr int kMaxShift = 30;
constexpr double kUnits = 1e6;

std::optional<int64_t> TakeNumber(absl::string_view& text) {
  int64_t bits = 0;
  for (int shift = 0; shift <= kMaxShift && !text.empty(); shift += kGroupBits) {
    const int group = text.front() - kFirstCharacter;
    if (group < 0 || group > (kGroupMask | kMoreFollows)) return std::nullopt;
    text.remove_prefix(1);
    bits |= int64_t{group & kGroupMask} << shift;
    if ((group & kMoreFollows) == 0) return (bits & 1) != 0 ? ~(bits >> 1) : bits >> 1;
  }
  return std::nullopt;
}

}  // namespace

std::vector<v1::Location> DecodePolyline(const std::string& text) {
  std::vector<v1::Location> line;
  int64_t latitude = 0, longitude = 0;
  absl::string_view rest = text;
  while (!rest.empty()) {
    const std::optional<int64_t> up = TakeNumber(rest);
    const std::optional<int64_t> right = up.has_value() ? TakeNumber(rest) : std::nullopt;
    if (!right.has_value()) return {};
    latitude += *up;
    longitude += *right;
    v1::Location& location = line.emplace_back();
    location.set_x(static_cast<double>(longitude) / kUnits);
    location.set_y(static_cast<double>(latitude) / kUnits);
  }
  return line;
}

std::vector<v1::Location> LineOf(const v1::Route& route) {
  std::vector<v1::Location> line;
  for (int i = 0; i < route.stops_size(); ++i) {
    if (i > 0 && i - 1 < route.leg_polylines_size()) {
      for (v1::Location& location : DecodePolyline(route.leg_polylines(i - 1))) {
        line.push_back(std::move(location));
      }
    }
    line.push_back(route.stops(i).location());
  }
  return line;
}

}  // namespace vrp::client
