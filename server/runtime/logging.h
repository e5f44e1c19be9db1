// The daemon's log: text lines on stderr. No spdlog in this header.
#pragma once

#include <string>

namespace vrp {

// `level`: debug, info, warn or error. gRPC's own messages come in the same form. Call once, before
// any other thread starts.
void StartLogging(const std::string& level);

void LogInfo(const std::string& line);
void LogWarning(const std::string& line);
void LogError(const std::string& line);

}  // namespace vrp
