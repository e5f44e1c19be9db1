// OSRM's HTTP API, version 1 of its services table and route.
#pragma once

#include "server/roads/road_service.h"

namespace vrp {

class OsrmService final : public RoadService {
 public:
  explicit OsrmService(const RoadNetworkOptions& options);

  RoadCall TableCall(std::span<const RoadPlace> rows,
                     std::span<const RoadPlace> columns) const override;
  absl::StatusOr<RoadTable> ReadTable(std::string_view answer, size_t rows,
                                      size_t columns) const override;
  size_t max_waypoints() const override;
  RoadCall RouteCall(std::span<const RoadPlace> stops) const override;
  absl::StatusOr<std::vector<RoadLine>> ReadRoute(std::string_view answer,
                                                  size_t legs) const override;
  absl::Status ErrorOf(int http_status, std::string_view answer) const override;

 private:
  const std::string path_;
  const std::string profile_;
};

}  // namespace vrp
