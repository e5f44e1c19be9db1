#include "server/roads/road_matrices.h"

#include <cmath>

namespace vrp {
namespace {

constexpr double kPlaceUnits = 1e6;  // in a degree

}  // namespace

RoadPlace PlaceOf(Position position) {
  return {.longitude = static_cast<int32_t>(std::lround(position.x * kPlaceUnits)),
          .latitude = static_cast<int32_t>(std::lround(position.y * kPlaceUnits))};
}

Position PositionOf(RoadPlace place) {
  return {place.longitude / kPlaceUnits, place.latitude / kPlaceUnits};
}

}  // namespace vrp
