#include "client/output/json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "client/support/enum_words.h"
#include "client/support/text.h"

namespace vrp::client {

void WriteJsonLine(std::ostream& out, const Json& object) {
  out << object.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
}

std::string ShownJson(const Json& value) {
  constexpr size_t kMaxBytes = 80;
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > kMaxBytes) text = absl::StrCat(text.substr(0, kMaxBytes), "...");
  return ToValidUtf8(text);
}

Json JsonNumber(double value) {
  constexpr double kExactIntegers = 9007199254740992;  // 2^53
  if (!std::isfinite(value)) return nullptr;
  if (value == std::trunc(value) && std::fabs(value) < kExactIntegers)
    return static_cast<int64_t>(value);
  return value;
}

Json MeanOrNull(double sum, int64_t count) {
  return count > 0 ? JsonNumber(sum / static_cast<double>(count)) : Json();
}

Json MillisecondsJson(const google::protobuf::Duration& duration) {
  return JsonNumber(absl::ToDoubleMilliseconds(ToDuration(duration)));
}

Json TimeOrNull(bool present, const google::protobuf::Timestamp& time) {
  return present ? Json(FormatTime(time)) : Json();
}

Json TextOrNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json MatricesJson(const v1::Matrices& matrices) {
  return {{"name", matrices.name()},
          {"size", matrices.size()},
          {"durations", matrices.with_durations()},
          {"bytes", matrices.size_bytes()},
          {"create_time", FormatTime(matrices.create_time())}};
}

std::string LogLevelWord(v1::LogLevel level) {
  if (level == v1::LOG_LEVEL_UNSPECIFIED) return "";
  return LowerCaseWord(level);
}

Json ServerInfoJson(const v1::ServerInfo& info) {
  Json settings = Json::object();
  for (const v1::ServerSetting& setting : info.settings())
    settings[setting.key()] = setting.value();
  Json devices = Json::array();
  for (const v1::Device& device : info.devices()) {
    devices.push_back({{"id", device.id()},
                       {"name", device.name()},
                       {"memory_bytes", device.memory_bytes()},
                       {"amp_supported", device.amp_supported()},
                       {"bf16_supported", device.bf16_supported()}});
  }
  const v1::Limits& limits = info.limits();
  return {{"version", info.version()},
          {"git_commit", info.git_commit()},
          {"torch_version", TextOrNull(info.torch_version())},
          {"grpc_version", info.grpc_version()},
          {"devices", devices},
          {"default_device", info.default_device()},
          {"threads", info.threads()},
          {"limits",
           {{"max_message_bytes", limits.max_message_bytes()},
            {"max_nodes", limits.max_nodes()},
            {"max_matrix_nodes", limits.max_matrix_nodes()},
            {"max_threads", limits.max_threads()},
            {"max_budget_ms", limits.max_budget_ms()},
            {"max_solve_job_budget_ms", limits.max_solve_job_budget_ms()},
            {"max_open_streams", limits.max_open_streams()},
            {"max_calls_per_connection", limits.max_calls_per_connection()},
            {"max_queued_solves", limits.max_queued_solves()},
            {"max_queued_jobs", limits.max_queued_jobs()},
            {"max_connections", limits.max_connections()},
            {"max_request_memory_bytes", limits.max_request_memory_bytes()}}},
          {"start_time", TimeOrNull(info.has_start_time(), info.start_time())},
          {"log_level", LogLevelWord(info.log_level())},
          {"metrics_address", TextOrNull(info.metrics_address())},
          {"metrics_url", TextOrNull(info.metrics_url())},
          {"device_loss", TextOrNull(info.device_loss())},
          {"settings", settings},
          {"road_networks",
           std::vector<std::string>(info.road_networks().begin(), info.road_networks().end())}};
}

}  // namespace vrp::client
