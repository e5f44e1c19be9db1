// The inputs of the sequence transformer: features of stops, relations of legs, tokens of routes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/habits/habit_model.h"
#include "core/model/habits/sequence_batch.h"
#include "core/model/habits/sequence_parameters.h"
#include "core/problem/instance/metric.h"

namespace vrp {

// The most zones and drivers with an input of their own.
inline constexpr int32_t kMaxSequenceZones = 50;
inline constexpr int32_t kMaxSequenceDrivers = 48;
// The most tokens of a driver's earlier routes, so that today's route has room too.
inline constexpr int32_t kMaxEarlierTokens = 160;
// The relations of a stop and a candidate for the next one (K).
inline constexpr int32_t kLegRelations = 9;

// The units and places of a history, by which inputs become numbers near 1.
struct SequenceScales {
  CoordinateSystem coordinates = CoordinateSystem::kPlanar;
  double distance = 1;    // root mean square of the distances from the depot, as all lengths in the
                          // unit of planar coordinates, or in metres
  double leg_length = 1;  // mean
  double demand = 1;      // mean
  double time = 1;        // latest bound of a window
  Position depot = {};    // of days without a depot
  // Centres of zones relative to the depot, in units of `distance`.
  std::vector<std::array<float, 2>> zones = {};
  std::vector<std::string> drivers = {};  // those with an input of their own

  // Returns F, the number of features.
  int32_t features() const;
  // Returns the input of a driver, or -1.
  int32_t DriverInput(std::string_view driver) const;
};

// A place relative to today's depot, in units of SequenceScales::distance.
struct SequencePlace {
  bool known = false;
  float x = 0;
  float y = 0;
};
SequencePlace PlaceOf(const std::optional<Position>& position, const std::optional<Position>& depot,
                      const SequenceScales& scales);

// The tokens of a route, or of several one after the other.
struct SequenceTokens {
  std::vector<TokenType> types = {};
  std::vector<float> contexts = {};  // [T, F]
};

// The stops of one day as inputs. The scales must outlive it. Reading is thread-safe.
class SequenceDay {
 public:
  // `stops` are the depot and all stops of the day.
  SequenceDay(std::span<const HabitStop> stops, const SequenceScales& scales);

  int32_t size() const { return static_cast<int32_t>(places_.size()); }
  // Returns the features of a candidate, [F].
  std::span<const float> Features(int32_t stop) const {
    return std::span(features_).subspan(static_cast<size_t>(stop) * width_, width_);
  }
  // Writes the features of the token of a stop, [F]. `previous` is the stop before, or -1 if it is
  // not told; `share` is the share of the day's stops that are visited, 0 if it is not told.
  void WriteToken(int32_t stop, int32_t previous, float share, std::span<float> to) const;
  // Writes the features of the token at which a route begins. `driver` is its input, or -1.
  // `partial`: whether the stops before the first token are not told.
  void WriteBegin(int32_t driver, bool partial, std::span<float> to) const;

  // A stop where a driver chooses the next one.
  struct Choice {
    int32_t from = 0;
    int32_t previous = -1;                 // -1: not told
    std::span<const uint8_t> closed = {};  // [N]: not 0: cannot be chosen
    bool partial = false;                  // whether stops that are not closed may be visited
  };
  // Writes the relations of `choice` to all stops, [N, K]. Those of closed stops are 0.
  void WriteRelations(const Choice& choice, std::span<float> to) const;

 private:
  float DistanceOf(int32_t a, int32_t b) const;  // in units of the mean leg
  // Returns the distance to the nearest other stop that is not closed.
  float Isolation(int32_t stop, const Choice& choice) const;

  const SequenceScales& scales_;
  const size_t width_;
  float unit_;  // of places, in mean legs
  std::vector<SequencePlace> places_;
  std::vector<float> features_;                  // [N, F]
  std::vector<std::array<int32_t, 6>> nearest_;  // of each stop, in order; -1: none
};

// Returns the tokens of a whole route, [stops, depot first] in the order of `route`, for the
// beginnings of later sequences. Keeps the first `most` stops.
SequenceTokens TokensOfRoute(const SequenceDay& day, std::span<const int32_t> route, int32_t driver,
                             int32_t most);

// A route, or its beginning, to write into a batch.
struct SequenceRoute {
  const SequenceTokens* earlier = nullptr;  // may be null
  int32_t driver = -1;                      // input of the driver; -1: none
  std::span<const int32_t> route = {};      // stops of the day, from 1
  int32_t first = 0;       // number of stops of `route`, from the first, without a token
  bool partial = false;    // whether these may still be visited, for all that the network knows
  bool whole = false;      // whether the route ends at the depot after its last stop
  bool last_only = false;  // whether only the last position has relations and no target is wanted
};
// Returns the number of tokens of `route`.
int32_t LengthOf(const SequenceRoute& route);
// Writes sequence `s` of `buffers`, which must have room: tokens, candidates, and the targets and
// relations of today's positions. With `whole`, the depot is the last target.
void WriteSequence(const SequenceDay& day, const SequenceRoute& route, int32_t s,
                   SequenceBuffers& buffers);

}  // namespace vrp
