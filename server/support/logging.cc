#include "server/support/logging.h"

#include "absl/strings/str_replace.h"
#include "core/base/text.h"
#include "grpc/support/log.h"
#include "nlohmann/json.hpp"
#include "spdlog/sinks/stdout_sinks.h"
#include "spdlog/spdlog.h"

namespace vrp {
namespace {

constexpr size_t kMaxTextValueBytes = 1000;

// Set before other threads start.
bool writes_json = false;

std::string JsonText(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Returns at most kMaxTextValueBytes of `value`, escaped, and in quotes if it is empty or has
// separators.
std::string TextValue(std::string_view value) {
  const bool plain = !value.empty() && value.find_first_of(" =\"") == std::string_view::npos;
  const std::string shown = Concat(Escaped(value.substr(0, kMaxTextValueBytes)),
                                   value.size() > kMaxTextValueBytes ? "..." : "");
  return plain ? shown : Concat("\"", absl::StrReplaceAll(shown, {{"\"", "\\\""}}), "\"");
}

// Returns the text for %v of the pattern in StartLogging: a line of text, or the rest of a JSON
// object.
std::string Render(const std::string& message, const std::vector<LogField>& fields) {
  std::string line = writes_json ? Concat("\"message\":", JsonText(message)) : Escaped(message);
  for (const LogField& field : fields) {
    if (!writes_json) {
      line += Concat(" ", field.name, "=", TextValue(field.value));
    } else {
      line += Concat(",\"", field.name, "\":", field.number ? field.value : JsonText(field.value));
    }
  }
  return line;
}

void Write(spdlog::level::level_enum level, const std::string& message,
           const std::vector<LogField>& fields = {}) {
  if (spdlog::should_log(level)) spdlog::log(level, "{}", Render(message, fields));
}

void ForwardFromGrpc(gpr_log_func_args* args) {
  const auto level = args->severity == GPR_LOG_SEVERITY_ERROR  ? spdlog::level::warn
                     : args->severity == GPR_LOG_SEVERITY_INFO ? spdlog::level::info
                                                               : spdlog::level::debug;
  Write(level, Concat("grpc: ", args->message));
}

}  // namespace

void StartLogging(const LogOptions& options) {
  writes_json = options.json;
  auto logger =
      std::make_shared<spdlog::logger>("vrpd", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_pattern(options.json ? R"({"time":"%Y-%m-%dT%H:%M:%S.%e%z","level":"%l",%v})"
                                   : "%Y-%m-%dT%H:%M:%S.%e%z %l %v");
  logger->set_level(spdlog::level::from_str(options.level));
  logger->flush_on(spdlog::level::debug);
  spdlog::set_default_logger(std::move(logger));
  gpr_set_log_function(ForwardFromGrpc);
}

void SetLogLevel(const std::string& level) { spdlog::set_level(spdlog::level::from_str(level)); }

std::string CurrentLogLevel() {
  const spdlog::level::level_enum level = spdlog::get_level();
  if (level == spdlog::level::warn) return "warn";  // spdlog's name is "warning"
  const spdlog::string_view_t word = spdlog::level::to_string_view(level);
  return {word.data(), word.size()};
}

void LogInfo(const std::string& line) { Write(spdlog::level::info, line); }
void LogWarning(const std::string& line) { Write(spdlog::level::warn, line); }
void LogError(const std::string& line) { Write(spdlog::level::err, line); }

bool LogsDebug() { return spdlog::should_log(spdlog::level::debug); }

void LogDebug(const std::string& message, const std::vector<LogField>& fields) {
  Write(spdlog::level::debug, message, fields);
}

void LogInfo(const std::string& message, const std::vector<LogField>& fields) {
  Write(spdlog::level::info, message, fields);
}

void LogWarning(const std::string& message, const std::vector<LogField>& fields) {
  Write(spdlog::level::warn, message, fields);
}

void LogError(const std::string& message, const std::vector<LogField>& fields) {
  Write(spdlog::level::err, message, fields);
}

}  // namespace vrp
