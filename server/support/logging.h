// Logs to stderr: one line per event, as text or JSON. This header does not need spdlog.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vrp {

struct LogOptions {
  std::string level = "info";  // debug, info, warn or error
  bool json = false;           // whether a line is an object: time, level, message, then the fields
};

// Starts the log, including gRPC's own messages. Call this once, before any other thread starts.
void StartLogging(const LogOptions& options);

// Changes the level; see LogOptions::level.
void SetLogLevel(const std::string& level);
std::string CurrentLogLevel();

void LogInfo(const std::string& line);
void LogWarning(const std::string& line);
void LogError(const std::string& line);

// A field of a log line: ` name=value` in text, a key in JSON. The log escapes special characters
// of values, and truncates values in text to 1,000 bytes.
struct LogField {
  std::string_view name;
  std::string value;
  bool number = false;  // whether `value` is a JSON number
};
// Whether LogDebug writes anything. If not, callers need not build the fields.
bool LogsDebug();
void LogDebug(const std::string& message, const std::vector<LogField>& fields);
void LogInfo(const std::string& message, const std::vector<LogField>& fields);
void LogWarning(const std::string& message, const std::vector<LogField>& fields);
void LogError(const std::string& message, const std::vector<LogField>& fields);

}  // namespace vrp
