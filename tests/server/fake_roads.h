// A source of road networks without services, and instances for it.
#pragma once

#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "server/roads/road_source.h"
#include "tests/server/messages.h"

namespace vrp::test {

// A source whose roads take 10 s and 100 m for each thousandth of a degree, and twice that on any
// network but "car". `calls` counts the calls of Matrices.
class FakeRoads final : public RoadSource {
 public:
  absl::StatusOr<std::shared_ptr<const RoadMatrices>> Matrices(std::string_view network,
                                                               const std::vector<RoadPlace>& places,
                                                               const StopCondition&) override {
    ++calls;
    last_places = places;
    if (!error.ok()) return error;
    const int32_t factor = network == "car" ? 1 : 2;
    auto matrices = std::make_shared<RoadMatrices>();
    matrices->places = places;
    matrices->far = far;
    for (const RoadPlace& from : places) {
      for (const RoadPlace& to : places) {
        const int32_t steps =
            (std::abs(from.longitude - to.longitude) + std::abs(from.latitude - to.latitude)) /
            1000;
        const bool joined = !blocked.contains({from.longitude, to.longitude});
        matrices->durations.push_back(joined ? 100 * factor * steps : kNoRoad);
        matrices->distances.push_back(joined ? 1000 * factor * steps : kNoRoad);
      }
    }
    return std::shared_ptr<const RoadMatrices>(std::move(matrices));
  }
  absl::StatusOr<std::vector<std::vector<RoadLine>>> Lines(
      std::string_view network, const std::vector<std::vector<RoadPlace>>& routes,
      const StopCondition&) override {
    std::vector<std::vector<RoadLine>> lines;
    for (const std::vector<RoadPlace>& route : routes) {
      line_calls.push_back(Concat(network, " ", route.size()));
      std::vector<RoadLine>& legs = lines.emplace_back();
      for (size_t i = 0; i + 1 < route.size(); ++i) {
        const Position from = PositionOf(route[i]);
        const Position to = PositionOf(route[i + 1]);
        legs.push_back({from, {to.x, from.y}, to});
      }
    }
    return lines;
  }

  int calls = 0;
  std::vector<RoadPlace> last_places;
  std::vector<std::string> line_calls;
  absl::Status error;
  std::vector<FarPlace> far;
  std::set<std::pair<int32_t, int32_t>> blocked;  // longitudes (from, to) without a road
};

// Returns an instance whose depot and customers lie a thousandth of a degree apart.
inline v1::Instance LonLat(int customers = 3) {
  v1::Instance message = ACvrpMessage(customers);
  message.set_coordinate_system(v1::COORDINATE_SYSTEM_LON_LAT);
  message.mutable_depots(0)->mutable_location()->set_x(24);
  message.mutable_depots(0)->mutable_location()->set_y(60);
  for (int i = 0; i < customers; ++i) {
    message.mutable_customers(i)->mutable_location()->set_x(24 + 0.001 * (i + 1));
    message.mutable_customers(i)->mutable_location()->set_y(60);
  }
  return message;
}

}  // namespace vrp::test
