// The Model Context Protocol's versions and the results that need no tool.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/mcp/message.h"
#include "client/mcp/tool.h"

namespace vrp::client::mcp {

// The newest version that `initialize` negotiates.
inline constexpr char kNewestHandshake[] = "2025-11-25";
// The version without a handshake, which each request names in its _meta.
inline constexpr char kStateless[] = "2026-07-28";

// Returns all versions that this server speaks, the oldest first.
const std::vector<std::string>& ProtocolVersions();

// Returns the version that the request's _meta names; nullopt if it names none.
std::optional<std::string> RequestedVersion(const Message& message);

// Returns the result of `initialize`. Its version is `requested`, or kNewestHandshake if the server
// does not speak `requested` or if `requested` is kStateless.
Json InitializeResult(const std::string& requested, const std::string& instructions);
// Returns the result of `server/discover`.
Json DiscoverResult(const std::string& instructions);
// Returns the result of `tools/list`.
Json ListResult(const std::vector<Tool>& tools);

// Adds the fields that a result of the stateless version needs.
void AddStatelessFields(Json& result);

}  // namespace vrp::client::mcp
