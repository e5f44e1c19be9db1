#include "server/roads/polyline.h"

#include <cmath>
#include <cstdint>
#include <optional>

namespace vrp {
namespace {

// The algorithm writes each number in groups of five bits, the lowest first. A bit above them says
// that another group follows; 63 makes each group a printable character.
constexpr int kGroupBits = 5;
constexpr int kGroupMask = (1 << kGroupBits) - 1;
constexpr int kMoreFollows = 1 << kGroupBits;
constexpr char kFirstCharacter = 63;
constexpr int kMaxBits = 30;    // 360 degrees are 3.6e8 units, below 2^29, and a bit for the sign
constexpr double kUnits = 1e6;  // in a degree
constexpr size_t kMaxPositions = 1'000'000;

std::optional<int64_t> TakeNumber(std::string_view& text) {
  int64_t bits = 0;
  for (int shift = 0; shift <= kMaxBits && !text.empty(); shift += kGroupBits) {
    const int group = text.front() - kFirstCharacter;
    if (group < 0 || group > (kGroupMask | kMoreFollows)) return std::nullopt;
    text.remove_prefix(1);
    bits |= int64_t{group & kGroupMask} << shift;
    if ((group & kMoreFollows) == 0) return (bits & 1) != 0 ? ~(bits >> 1) : bits >> 1;
  }
  return std::nullopt;
}

void AppendNumber(int64_t number, std::string& text) {
  uint64_t bits = static_cast<uint64_t>(number) << 1;
  if (number < 0) bits = ~bits;
  for (; bits > kGroupMask; bits >>= kGroupBits) {
    text +=
        static_cast<char>((static_cast<int>(bits & kGroupMask) | kMoreFollows) + kFirstCharacter);
  }
  text += static_cast<char>(static_cast<int>(bits) + kFirstCharacter);
}

}  // namespace

absl::StatusOr<RoadLine> DecodePolyline(std::string_view text) {
  RoadLine line;
  int64_t latitude = 0;
  int64_t longitude = 0;
  while (!text.empty()) {
    const std::optional<int64_t> up = TakeNumber(text);
    const std::optional<int64_t> right = up.has_value() ? TakeNumber(text) : std::nullopt;
    if (!right.has_value()) return absl::InvalidArgumentError("malformed polyline");
    latitude += *up;
    longitude += *right;
    if (std::abs(latitude) > 90 * kUnits || std::abs(longitude) > 180 * kUnits ||
        line.size() == kMaxPositions) {
      return absl::InvalidArgumentError(
          "polyline out of range: wanted at most 1,000,000 positions, with latitudes within 90 and "
          "longitudes within 180 degrees");
    }
    line.push_back(
        {static_cast<double>(longitude) / kUnits, static_cast<double>(latitude) / kUnits});
  }
  return line;
}

std::string EncodePolyline(const RoadLine& line) {
  std::string text;
  RoadPlace previous;
  for (const Position& position : line) {
    const RoadPlace place = PlaceOf(position);
    AppendNumber(int64_t{place.latitude} - previous.latitude, text);
    AppendNumber(int64_t{place.longitude} - previous.longitude, text);
    previous = place;
  }
  return text;
}

}  // namespace vrp
