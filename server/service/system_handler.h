// Implements SystemService without gRPC.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/device/device.h"
#include "server/config/vrpd_options.h"
#include "server/telemetry/device_loss_notice.h"
#include "vrp/v1/system_service.pb.h"

namespace vrp {

// Properties of the daemon that DescribeServer states.
struct SystemFacts {
  std::string grpc_version;
  std::vector<DeviceInfo> devices;  // of the machine
  std::string default_device;
  VrpdOptions vrpd;
  absl::Time started;
  std::string metrics_address;  // empty without metrics_listen, like metrics_url
  std::string metrics_url;
  const DeviceLossNotice* device_loss = nullptr;  // outlives the facts
};

// Returns a description of the server.
v1::ServerInfo DescribeServer(const SystemFacts& facts);
// Sets the log level. Returns kInvalidArgument if the request states no known level.
absl::StatusOr<v1::SetLogLevelResponse> ChangeLogLevel(const v1::SetLogLevelRequest& request);

}  // namespace vrp
