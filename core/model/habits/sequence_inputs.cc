#include "core/model/habits/sequence_inputs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace vrp {
namespace {

// Places of the features in a row; zones and drivers follow.
enum Feature : size_t {
  kKnown,
  kX,
  kY,
  kXSquare,
  kYSquare,
  kRadius,
  kCosine,
  kSine,
  kDemand,
  kHasWindow,
  kOpen,
  kClose,
  kIsDepot,
  // Candidates have 0 in all that follow.
  kLeg,
  kShare,
  kPartial,
  kHeadingX,
  kHeadingY,
  kFeatureCount
};

// Bounds of features and relations, so that no coordinate gives a number that is not finite.
constexpr float kMostFeature = 4;
constexpr float kMostLegs = 10;
// Number of mean legs that stand for an unknown distance.
constexpr float kUnknownLegs = 2;

float Clip(double value, float most) {
  return static_cast<float>(std::clamp<double>(value, -most, most));
}

struct Direction {
  float x = 0;
  float y = 0;
};

// Returns the direction between two places, or 0 if there is none.
Direction DirectionOf(const SequencePlace& from, const SequencePlace& to) {
  if (!from.known || !to.known) return {};
  const float x = to.x - from.x;
  const float y = to.y - from.y;
  const float length = std::hypot(x, y);
  if (length <= 0) return {};
  return {.x = x / length, .y = y / length};
}

// Writes how much a place belongs to each zone: sums to 1.
void WriteZones(const SequencePlace& place, const SequenceScales& scales, std::span<float> to) {
  const size_t zones = scales.zones.size();
  if (!place.known || zones == 0) return;
  // Zones are as wide as if they divided the square of the typical places evenly.
  const float width = 1.5F / std::sqrt(static_cast<float>(zones));
  float nearest = std::numeric_limits<float>::infinity();
  for (size_t z = 0; z < zones; ++z) {
    const float x = (place.x - scales.zones[z][0]) / width;
    const float y = (place.y - scales.zones[z][1]) / width;
    to[z] = x * x + y * y;
    nearest = std::min(nearest, to[z]);
  }
  float sum = 0;
  for (size_t z = 0; z < zones; ++z) {
    to[z] = std::exp(nearest - to[z]);
    sum += to[z];
  }
  for (size_t z = 0; z < zones; ++z) to[z] /= sum;
}

void WriteFeatures(const HabitStop& stop, const SequencePlace& place, bool is_depot,
                   const SequenceScales& scales, std::span<float> to) {
  std::fill(to.begin(), to.end(), 0.0F);
  to[kIsDepot] = is_depot ? 1 : 0;
  to[kDemand] = Clip(stop.demand / scales.demand, kMostFeature);
  const bool has_window = stop.window.open > 0 || std::isfinite(stop.window.close);
  if (has_window) {
    to[kHasWindow] = 1;
    to[kOpen] = Clip(stop.window.open / scales.time, kMostFeature);
    to[kClose] = Clip(stop.window.close / scales.time, kMostFeature);
  }
  if (!place.known) return;
  to[kKnown] = 1;
  to[kX] = place.x;
  to[kY] = place.y;
  to[kXSquare] = place.x * place.x;
  to[kYSquare] = place.y * place.y;
  to[kRadius] = std::hypot(place.x, place.y);
  if (to[kRadius] > 0) {
    to[kCosine] = place.x / to[kRadius];
    to[kSine] = place.y / to[kRadius];
  }
  WriteZones(place, scales, to.subspan(kFeatureCount));
}

}  // namespace

int32_t SequenceScales::features() const {
  return static_cast<int32_t>(kFeatureCount + zones.size() + drivers.size());
}

int32_t SequenceScales::DriverInput(std::string_view driver) const {
  const auto found = std::find(drivers.begin(), drivers.end(), driver);
  return found == drivers.end() ? -1 : static_cast<int32_t>(found - drivers.begin());
}

SequencePlace PlaceOf(const std::optional<Position>& position, const std::optional<Position>& depot,
                      const SequenceScales& scales) {
  if (!position.has_value()) return {};
  const Position from = depot.value_or(scales.depot);
  double x = position->x - from.x;
  double y = position->y - from.y;
  if (scales.coordinates == CoordinateSystem::kLonLat) {
    constexpr double kRadian = std::numbers::pi / 180;
    x *= kRadian * kEarthRadius * std::cos(from.y * kRadian);
    y *= kRadian * kEarthRadius;
  }
  return {.known = true,
          .x = Clip(x / scales.distance, kMostFeature),
          .y = Clip(y / scales.distance, kMostFeature)};
}

SequenceDay::SequenceDay(std::span<const HabitStop> stops, const SequenceScales& scales)
    : scales_(scales),
      width_(static_cast<size_t>(scales.features())),
      unit_(static_cast<float>(scales.distance / scales.leg_length)),
      features_(stops.size() * width_),
      nearest_(stops.size()) {
  for (size_t i = 0; i < stops.size(); ++i) {
    places_.push_back(i == 0 ? SequencePlace{.known = stops[0].position.has_value()}
                             : PlaceOf(stops[i].position, stops[0].position, scales));
    WriteFeatures(stops[i], places_[i], i == 0, scales,
                  std::span(features_).subspan(i * width_, width_));
  }
  std::vector<int32_t> others;
  for (int32_t i = 0; i < size(); ++i) {
    others.clear();
    for (int32_t j = 1; j < size(); ++j) {
      if (j != i) others.push_back(j);
    }
    auto& nearest = nearest_[static_cast<size_t>(i)];
    nearest.fill(-1);
    const size_t count = std::min(nearest.size(), others.size());
    std::partial_sort(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(count),
                      others.end(), [&](int32_t a, int32_t b) {
                        return std::pair(DistanceOf(i, a), a) < std::pair(DistanceOf(i, b), b);
                      });
    std::copy_n(others.begin(), count, nearest.begin());
  }
}

float SequenceDay::DistanceOf(int32_t a, int32_t b) const {
  const SequencePlace& from = places_[static_cast<size_t>(a)];
  const SequencePlace& to = places_[static_cast<size_t>(b)];
  if (!from.known || !to.known) return kUnknownLegs;
  return unit_ * std::hypot(to.x - from.x, to.y - from.y);
}

float SequenceDay::Isolation(int32_t stop, const Choice& choice) const {
  const auto is_open = [&](int32_t other) {
    return other != stop && choice.closed[static_cast<size_t>(other)] == 0;
  };
  for (const int32_t other : nearest_[static_cast<size_t>(stop)]) {
    if (other >= 0 && is_open(other)) return DistanceOf(stop, other);
  }
  float least = std::numeric_limits<float>::infinity();
  for (int32_t other = 1; other < size(); ++other) {
    if (is_open(other)) least = std::min(least, DistanceOf(stop, other));
  }
  return std::isfinite(least) ? least : DistanceOf(stop, 0);
}

void SequenceDay::WriteToken(int32_t stop, int32_t previous, float share,
                             std::span<float> to) const {
  const std::span<const float> features = Features(stop);
  std::copy(features.begin(), features.end(), to.begin());
  to[kShare] = share;
  if (previous < 0) return;
  to[kLeg] = std::log1p(std::min(DistanceOf(previous, stop), kMostLegs));
  const Direction heading =
      DirectionOf(places_[static_cast<size_t>(previous)], places_[static_cast<size_t>(stop)]);
  to[kHeadingX] = heading.x;
  to[kHeadingY] = heading.y;
}

void SequenceDay::WriteBegin(int32_t driver, bool partial, std::span<float> to) const {
  const std::span<const float> features = Features(0);
  std::copy(features.begin(), features.end(), to.begin());
  to[kPartial] = partial ? 1 : 0;
  if (driver >= 0) to[kFeatureCount + scales_.zones.size() + static_cast<size_t>(driver)] = 1;
}

void SequenceDay::WriteRelations(const Choice& choice, std::span<float> to) const {
  std::fill(to.begin(), to.end(), 0.0F);
  const auto place_of = [&](int32_t stop) { return places_[static_cast<size_t>(stop)]; };
  const SequencePlace from = place_of(choice.from);
  const Direction heading =
      choice.previous < 0 ? Direction{} : DirectionOf(place_of(choice.previous), from);
  const Direction out = DirectionOf(place_of(0), from);
  const float radius = from.known ? unit_ * std::hypot(from.x, from.y) : kUnknownLegs;
  int32_t nearest = -1;
  float least = std::numeric_limits<float>::infinity();
  for (int32_t stop = 0; stop < size(); ++stop) {
    if (choice.closed[static_cast<size_t>(stop)] != 0 || stop == choice.from) continue;
    float* const row = to.data() + static_cast<size_t>(stop) * kLegRelations;
    const float distance = DistanceOf(choice.from, stop);
    const SequencePlace place = place_of(stop);
    const Direction leg = DirectionOf(from, place);
    const Direction away = DirectionOf(place_of(0), place);
    row[0] = -std::log1p(distance);
    row[1] = -std::min(distance, kMostLegs);
    row[2] = heading.x * leg.x + heading.y * leg.y;
    row[3] = heading.x * leg.y - heading.y * leg.x;
    row[4] = out.x * away.y - out.y * away.x;
    if (place.known) row[5] = Clip(unit_ * std::hypot(place.x, place.y) - radius, kMostLegs) / 2;
    if (stop == 0) continue;
    row[6] = std::log1p(Isolation(stop, choice));
    if (distance < least) {
      least = distance;
      nearest = stop;
    }
  }
  if (nearest < 0) return;
  to[static_cast<size_t>(nearest) * kLegRelations + 7] = 1;
  // Drivers return once they have visited all stops.
  if (!choice.partial || choice.closed[0] != 0) to[8] = -1;
}

SequenceTokens TokensOfRoute(const SequenceDay& day, std::span<const int32_t> route, int32_t driver,
                             int32_t most) {
  SequenceTokens tokens;
  const size_t width = day.Features(0).size();
  const auto add = [&](TokenType type) {
    tokens.types.push_back(type);
    tokens.contexts.resize(tokens.contexts.size() + width);
    return std::span(tokens.contexts).last(width);
  };
  day.WriteBegin(driver, false, add(TokenType::kBegin));
  int32_t previous = 0;
  const auto count = std::min(route.size(), static_cast<size_t>(std::max(0, most)));
  for (size_t i = 0; i < count; ++i) {
    const float share = static_cast<float>(i + 1) / static_cast<float>(route.size());
    day.WriteToken(route[i], previous, share, add(TokenType::kStop));
    previous = route[i];
  }
  day.WriteToken(0, previous, 1, add(TokenType::kEnd));
  return tokens;
}

int32_t LengthOf(const SequenceRoute& route) {
  const auto earlier =
      route.earlier == nullptr ? 0 : static_cast<int32_t>(route.earlier->types.size());
  return earlier + 1 + static_cast<int32_t>(route.route.size()) - route.first;
}

namespace {

// Writes the part of a sequence that is of its earlier routes and of its day. Returns the position
// where today begins.
int32_t WriteDay(const SequenceDay& day, const SequenceRoute& route, int32_t s,
                 SequenceBuffers& buffers) {
  int32_t begin = 0;
  if (route.earlier != nullptr) {
    begin = static_cast<int32_t>(route.earlier->types.size());
    std::copy(route.earlier->types.begin(), route.earlier->types.end(),
              buffers.types.begin() + static_cast<std::ptrdiff_t>(buffers.Token(s, 0)));
    std::copy(route.earlier->contexts.begin(), route.earlier->contexts.end(),
              buffers.Context(s, 0).data());
  }
  buffers.lengths[static_cast<size_t>(s)] = LengthOf(route);
  buffers.candidate_counts[static_cast<size_t>(s)] = day.size();
  buffers.relation_starts[static_cast<size_t>(s)] = route.last_only ? LengthOf(route) - 1 : begin;
  for (int32_t stop = 0; stop < day.size(); ++stop) {
    const std::span<const float> features = day.Features(stop);
    std::copy(features.begin(), features.end(), buffers.Candidate(s, stop).begin());
  }
  day.WriteBegin(route.driver, route.partial, buffers.Context(s, begin));
  buffers.types[buffers.Token(s, begin)] = TokenType::kBegin;
  return begin;
}

}  // namespace

void WriteSequence(const SequenceDay& day, const SequenceRoute& route, int32_t s,
                   SequenceBuffers& buffers) {
  int32_t position = WriteDay(day, route, s, buffers);
  const auto count = static_cast<int32_t>(route.route.size());
  const auto stop_at = [&](int32_t i) { return route.route[static_cast<size_t>(i)]; };
  std::vector<uint8_t> closed(static_cast<size_t>(day.size()), 0);
  SequenceDay::Choice choice = {.closed = closed, .partial = route.partial};
  // Writes what belongs to the choice after the first `visits` stops.
  const auto write_choice = [&](int32_t visits) {
    if (route.last_only && visits < count) return;
    const int32_t row = route.last_only || visits == 0 ? 0 : visits - route.first;
    day.WriteRelations(choice, buffers.Relations(s, row));
    if (route.last_only) return;
    int32_t& target = buffers.targets[buffers.Token(s, position)];
    if (visits < count) {
      target = stop_at(visits);
    } else if (route.whole) {
      target = 0;
    }
  };
  if (route.first == 0 || route.partial) {
    closed[0] = 1;
    write_choice(0);
    closed[0] = 0;
  }
  for (int32_t i = 0; i < count; ++i) {
    const int32_t stop = stop_at(i);
    if (i < route.first) {
      if (route.partial) continue;
      closed[static_cast<size_t>(stop)] = 1;
      buffers.visited_from[buffers.Choice(s, stop)] = 0;
      continue;
    }
    ++position;
    choice.from = stop;
    choice.previous = i == 0 ? 0 : stop_at(i - 1);
    if (route.partial && i == route.first) choice.previous = -1;
    const float share =
        route.partial ? 0 : static_cast<float>(i + 1) / static_cast<float>(day.size() - 1);
    day.WriteToken(stop, choice.previous, share, buffers.Context(s, position));
    buffers.types[buffers.Token(s, position)] = TokenType::kStop;
    buffers.visited_from[buffers.Choice(s, stop)] = position;
    closed[static_cast<size_t>(stop)] = 1;
    write_choice(i + 1);
  }
}

}  // namespace vrp
