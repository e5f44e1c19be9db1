#include "server/service/system_handler.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <variant>

#include "core/base/text.h"
#include "core/device/device.h"
#include "core/problem/instance/instance.h"
#include "google/protobuf/descriptor.h"
#include "server/config/build_info.h"
#include "server/config/option_table.h"
#include "server/config/vrpd_options.h"
#include "server/convert/field_violation.h"
#include "server/convert/model_convert.h"
#include "server/convert/time_convert.h"
#include "server/support/logging.h"

namespace vrp {
namespace {

// Sets the field of `limits` that `row` names, if any.
void SetLimit(const OptionRow& row, const VrpdOptions& vrpd, v1::Limits& limits) {
  if (row.limit.name.empty()) return;
  const auto* field = limits.GetDescriptor()->FindFieldByName(std::string(row.limit.name));
  const int64_t value =
      vrpd.*std::get<int32_t VrpdOptions::*>(row.member) * int64_t{row.limit.scale};
  if (field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_INT64) {
    limits.GetReflection()->SetInt64(&limits, field, value);
  } else {
    limits.GetReflection()->SetInt32(&limits, field, static_cast<int32_t>(value));
  }
}

v1::Limits LimitsOf(const VrpdOptions& vrpd) {
  v1::Limits limits;
  limits.set_max_matrix_nodes(std::min(kMaxMatrixNodes, vrpd.max_nodes));
  for (const OptionRow& row : OptionTable()) SetLimit(row, vrpd, limits);
  return limits;
}

// Adds the settings that the file or a flag changed from their defaults.
void AddSettings(const VrpdOptions& vrpd, v1::ServerInfo& info) {
  for (const OptionRow& row : OptionTable()) {
    if (!vrpd.given.contains(row.key) || ValueText(row, vrpd) == DefaultText(row)) continue;
    v1::ServerSetting& setting = *info.add_settings();
    setting.set_key(std::string(row.key));
    setting.set_value(ValueText(row, vrpd));
    setting.set_default_value(DefaultText(row));
  }
}

// Returns the current level. kLogLevels has the order of the enum, which begins with "unspecified".
v1::LogLevel CurrentLevel() {
  const auto* found = std::find(std::begin(kLogLevels), std::end(kLogLevels), CurrentLogLevel());
  if (found == std::end(kLogLevels)) return v1::LOG_LEVEL_UNSPECIFIED;
  return static_cast<v1::LogLevel>(found - std::begin(kLogLevels) + 1);
}

}  // namespace

v1::ServerInfo DescribeServer(const SystemFacts& facts) {
  v1::ServerInfo info;
  info.set_version(Version());
  info.set_git_commit(GitCommit());
  info.set_torch_version(TorchVersion());
  info.set_grpc_version(facts.grpc_version);
  for (const DeviceInfo& device : facts.devices) *info.add_devices() = ToProto(device);
  info.set_default_device(facts.default_device);
  info.set_threads(facts.vrpd.threads);
  *info.mutable_limits() = LimitsOf(facts.vrpd);
  *info.mutable_start_time() = ToProto(facts.started);
  info.set_log_level(CurrentLevel());
  info.set_metrics_address(facts.metrics_address);
  info.set_metrics_url(facts.metrics_url);
  info.set_device_loss(facts.device_loss->text());
  AddSettings(facts.vrpd, info);
  for (const RoadNetworkOptions& network : facts.vrpd.road_networks) {
    info.add_road_networks(network.name);
  }
  return info;
}

absl::StatusOr<v1::SetLogLevelResponse> ChangeLogLevel(const v1::SetLogLevelRequest& request) {
  const auto number = static_cast<size_t>(request.level());
  if (number < 1 || number > std::size(kLogLevels)) {
    return InvalidField("level", Concat("got ", request.level(),
                                        ", wanted LOG_LEVEL_DEBUG, _INFO, _WARN or _ERROR"));
  }
  const std::string level(kLogLevels[number - 1]);
  v1::SetLogLevelResponse response;
  response.set_previous_level(CurrentLevel());
  LogWarning("log level changed", {{.name = "from", .value = std::string(CurrentLogLevel())},
                                   {.name = "to", .value = level}});
  SetLogLevel(level);
  return response;
}

}  // namespace vrp
