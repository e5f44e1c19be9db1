// The protocol of a service that computes routes: requests as text, and answers read with limits.
// Sends nothing itself.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/config/road_network_options.h"
#include "server/roads/road_matrices.h"

namespace vrp {

// An HTTP request to a service.
struct RoadCall {
  std::string target;  // with the path of the service's URL
  std::string body;    // JSON for a POST; empty for a GET
};

// A part of a matrix, [rows, columns] row-major, in the units of RoadMatrices.
struct RoadTable {
  std::vector<int32_t> durations = {};
  std::vector<int32_t> distances = {};
  // Metres from each row's place to the nearest road. Empty: the service does not say.
  std::vector<double> metres_to_road = {};
};

// The protocol of one kind of service. Thread-safe.
//
// Errors of the readers are kFailedPrecondition and say how the answer differs from the expected
// one.
class RoadService {
 public:
  virtual ~RoadService() = default;

  // Returns the request for the matrix from `rows` to `columns`.
  virtual RoadCall TableCall(std::span<const RoadPlace> rows,
                             std::span<const RoadPlace> columns) const = 0;
  // Reads the answer to TableCall for these numbers of rows and columns.
  virtual absl::StatusOr<RoadTable> ReadTable(std::string_view answer, size_t rows,
                                              size_t columns) const = 0;

  // Returns the largest number of waypoints of one RouteCall, within the default limit of the
  // service.
  virtual size_t max_waypoints() const = 0;
  // Returns the request for the streets between consecutive waypoints. There must be 2 to
  // max_waypoints().
  virtual RoadCall RouteCall(std::span<const RoadPlace> waypoints) const = 0;
  // Reads the answer to RouteCall: `legs` lines.
  virtual absl::StatusOr<std::vector<RoadLine>> ReadRoute(std::string_view answer,
                                                          size_t legs) const = 0;

  // Returns the error for an answer with an HTTP status other than 200 or an error code of the
  // service. The error is kFailedPrecondition with the service's own message, and a remedy for
  // known codes.
  virtual absl::Status ErrorOf(int http_status, std::string_view answer) const = 0;
};

// Creates the protocol for a network.
std::unique_ptr<const RoadService> MakeRoadService(const RoadNetworkOptions& options);

// Returns the largest answer in bytes that a request for a table of this size may have.
size_t MaxTableBytes(size_t rows, size_t columns);
// Largest answer to a RouteCall in bytes.
inline constexpr size_t kMaxRouteBytes = 32 << 20;

}  // namespace vrp
