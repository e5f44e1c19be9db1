// Settings of a road network: a service that computes distances and travel times on roads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace vrp {

enum class RoadServiceKind { kOsrm, kValhalla };

// Returns "osrm" or "valhalla".
std::string_view RoadServiceName(RoadServiceKind kind);

// The URL of a service: http://HOST[:PORT][/PATH], or https.
struct RoadUrl {
  bool tls = false;
  std::string host;  // a name or an IP address, without brackets
  std::string port;
  std::string path;  // empty, or begins with "/" and does not end with it

  // Returns the URL as text: "http://127.0.0.1:5000/osrm".
  std::string ToString() const;
  // Returns the value of an HTTP Host header: without a port that is the scheme's default.
  std::string HostHeader() const;
  bool operator==(const RoadUrl&) const = default;
};

// Parses a URL. Returns kInvalidArgument as `got "ftp://x", wanted http://HOST:PORT or ...`.
// Refuses user names, queries and fragments.
absl::StatusOr<RoadUrl> ParseRoadUrl(std::string_view text);

// Largest values of the settings below, in the units of their names.
inline constexpr int32_t kMaxRoadBlock = 5'000;  // rows or columns
inline constexpr int32_t kMaxRoadConnections = 64;
inline constexpr int32_t kMaxRoadTimeoutS = 600;
inline constexpr int32_t kMaxRoadTries = 10;
inline constexpr int32_t kMaxRoadCacheS = 7 * 24 * 3600;
inline constexpr int32_t kMaxRoadDistanceM = 1'000'000;
inline constexpr size_t kMaxRoadNetworks = 100;  // networks of one daemon
inline constexpr size_t kMaxRoadNameBytes = 64;

// A road network of the daemon. The daemon calls no other address.
struct RoadNetworkOptions {
  std::string name;  // name that instances use, such as "car"
  RoadServiceKind kind = RoadServiceKind::kOsrm;
  RoadUrl url;
  // The service's own name for the kind of vehicle: OSRM's profile or Valhalla's costing.
  std::string profile;
  // Largest number of rows, and of columns, that one request asks for, within the limits of the
  // service.
  int32_t block_size = 0;
  int32_t connections = 4;  // concurrent requests of the daemon
  int32_t timeout_s = 30;   // limit of one try
  int32_t tries = 3;        // largest number of tries per request
  int32_t cache_s = 3600;   // time for which the daemon keeps answers; 0: none
  // Largest distance in metres from a location to the nearest road. Only OSRM reports it.
  int32_t max_road_distance_m = 5'000;

  bool operator==(const RoadNetworkOptions&) const = default;
};

// Returns the settings of a service with the defaults of its kind.
RoadNetworkOptions DefaultsOf(RoadServiceKind kind);

// Whether `name` may name a road network: 1 to 64 letters, digits, `-`, `_` and `.`.
bool IsRoadNetworkName(std::string_view name);

}  // namespace vrp
