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

// Maximum number of objects and arrays of a message that are nested in each other.
inline constexpr int kMaxNesting = 64;

// A request or a notification.
struct Message {
  std::string method;
  Json params = Json::object();
  // A string or a whole number. Null for a notification.
  Json id;

  // Whether the sender expects no response.
  bool is_notification() const { return id.is_null(); }
};

// The refusal of a line, answered by ErrorMessage. `id` is null if it is unknown.
struct MessageError {
  Json id;
  int code = kInvalidRequest;
  std::string text;
};

// The content of a line. std::monostate means that the line needs no answer: it is blank, or a
// response, although this server sends no requests.
using ParsedLine = std::variant<std::monostate, Message, MessageError>;

// Parses a line of any content. Refuses texts that are nested deeper than kMaxNesting.
ParsedLine ParseLine(absl::string_view line);

Json ResultMessage(const Json& id, Json result);
// Returns an error response. Omits `data` if it is null.
Json ErrorMessage(const Json& id, int code, const std::string& text, Json data = nullptr);
Json NotificationMessage(const std::string& method, Json params);

}  // namespace vrp::client::mcp
