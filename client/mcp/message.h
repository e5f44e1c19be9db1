// Messages of JSON-RPC 2.0, one per line.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "absl/strings/string_view.h"
#include "client/output/json.h"
#include "nlohmann/json.hpp"

namespace vrp::client::mcp {

// Error codes of JSON-RPC and of the Model Context Protocol.
enum ErrorCode : int {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kUnsupportedVersion = -32022,
};

// Maximum nesting of objects and arrays in a message.
inline constexpr int kMaxNesting = 64;

struct Message {
  std::string method;
  Json params = Json::object();
  // A string or a whole number. Null for a notification.
  Json id;

  bool is_notification() const { return id.is_null(); }
};

// The refusal of a line, answered by ErrorMessage. `id` is null if it is unknown.
struct MessageError {
  Json id;
  int code = kInvalidRequest;
  std::string text;
};

// Nothing: the line is blank or a response, and this server sends no requests.
using ParsedLine = std::variant<std::monostate, Message, MessageError>;

ParsedLine ParseLine(absl::string_view line);

Json ResultMessage(const Json& id, Json result);
// `data` is omitted if it is null.
Json ErrorMessage(const Json& id, int code, const std::string& text, Json data = nullptr);
Json NotificationMessage(const std::string& method, Json params);

}  // namespace vrp::client::mcp
