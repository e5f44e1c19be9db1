#include "server/roads/road_service.h"

#include "server/roads/osrm_service.h"
#include "server/roads/valhalla_service.h"

namespace vrp {
namespace {

// Bytes of a pair's duration and distance. Each number has up to 12 digits and a separator.
constexpr size_t kBytesPerPair = 2 * 16;
// OSRM describes each place: name of the street, position, distance.
constexpr size_t kBytesPerPlace = 2'048;
constexpr size_t kOtherBytes = 64 << 10;

}  // namespace

std::unique_ptr<const RoadService> MakeRoadService(const RoadNetworkOptions& options) {
  if (options.kind == RoadServiceKind::kValhalla) {
    return std::make_unique<ValhallaService>(options);
  }
  return std::make_unique<OsrmService>(options);
}

size_t MaxTableBytes(size_t rows, size_t columns) {
  return kOtherBytes + kBytesPerPair * rows * columns + kBytesPerPlace * (rows + columns);
}

}  // namespace vrp
