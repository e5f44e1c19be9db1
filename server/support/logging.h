// The daemon's log: a line each on stderr, as text or as JSON. No spdlog in this header.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vrp {

struct LogOptions {
  std::string level = "info";  // debug, info, warn or error
  bool json = false;           // an object a line: time, level, message, then the fields
};

// gRPC's own messages come in the same form. Call once, before any other thread starts.
void StartLogging(const LogOptions& options);

// From now on; as LogOptions::level.
void SetLogLevel(const std::string& level);
std::string CurrentLogLevel();

void LogInfo(const std::string& line);
void LogWarning(const std::string& line);
void LogError(const std::string& line);

// A line with parts that programs look for: ` name=value` each, or keys of the object. Whatever a
// value holds, it stays within its line and its quotes.
struct LogField {
  std::string_view name;  // a word of ours
  std::string value;
  bool number = false;  // `value` is a JSON number
};
// Whether LogDebug writes anything: fields need not be made for nobody.
bool LogsDebug();
void LogDebug(const std::string& message, const std::vector<LogField>& fields);
void LogInfo(const std::string& message, const std::vector<LogField>& fields);
void LogWarning(const std::string& message, const std::vector<LogField>& fields);

}  // namespace vrp
