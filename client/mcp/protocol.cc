#include "client/mcp/protocol.h"

#include <algorithm>

namespace vrp::client::mcp {
namespace {

constexpr char kVersionKey[] = "io.modelcontextprotocol/protocolVersion";
constexpr char kServerKey[] = "io.modelcontextprotocol/serverInfo";

// Time for which a client may cache results. They never change while the server runs.
constexpr int kCacheMilliseconds = 3600 * 1000;

Json ServerInfo() {
  return {{"name", "vrpctl"}, {"title", "vrpd vehicle routing"}, {"version", VRP_VERSION}};
}

Json Capabilities() { return {{"tools", {{"listChanged", false}}}}; }

}  // namespace

const std::vector<std::string>& ProtocolVersions() {
  static const std::vector<std::string> versions = {"2024-11-05", "2025-03-26", "2025-06-18",
                                                    kNewestHandshake, kStateless};
  return versions;
}

std::optional<std::string> RequestedVersion(const Message& message) {
  const Json meta = message.params.value("_meta", Json());
  if (!meta.is_object() || !meta.contains(kVersionKey)) return std::nullopt;
  const Json& version = meta[kVersionKey];
  return version.is_string() ? version.get<std::string>() : version.dump();
}

Json InitializeResult(const std::string& requested, const std::string& instructions) {
  const std::vector<std::string>& versions = ProtocolVersions();
  const bool known = requested != kStateless &&
                     std::find(versions.begin(), versions.end(), requested) != versions.end();
  return {{"protocolVersion", known ? requested : kNewestHandshake},
          {"capabilities", Capabilities()},
          {"serverInfo", ServerInfo()},
          {"instructions", instructions}};
}

Json DiscoverResult(const std::string& instructions) {
  return {{"supportedVersions", ProtocolVersions()},
          {"capabilities", Capabilities()},
          {"instructions", instructions},
          {"ttlMs", kCacheMilliseconds},
          {"cacheScope", "private"}};
}

Json ListResult(const std::vector<Tool>& tools) {
  Json list = Json::array();
  for (const Tool& tool : tools) list.push_back(ToolJson(tool));
  return {{"tools", list}, {"ttlMs", kCacheMilliseconds}, {"cacheScope", "private"}};
}

void AddStatelessFields(Json& result) {
  result["resultType"] = "complete";
  result["_meta"][kServerKey] = ServerInfo();
}

}  // namespace vrp::client::mcp
