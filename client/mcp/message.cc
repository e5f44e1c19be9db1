#include "client/mcp/message.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace vrp::client::mcp {
namespace {

// Returns the largest number of objects and arrays that are open at once. Counts without parsing,
// because the parser's values would be nested as deeply.
int NestingOf(absl::string_view line) {
  int depth = 0, deepest = 0;
  bool in_string = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      deepest = std::max(deepest, ++depth);
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return deepest;
}

bool IsValidId(const Json& id) { return id.is_string() || id.is_number_integer(); }

ParsedLine Refuse(Json id, int code, std::string text) {
  return MessageError{std::move(id), code, std::move(text)};
}

// Returns an error text for the wrong or missing member `key` of `object`.
std::string WrongMember(const Json& object, const char* key, absl::string_view wanted) {
  return absl::StrCat(key, ": got ", object.contains(key) ? ShownJson(object[key]) : "nothing",
                      ", wanted ", wanted);
}

ParsedLine FromObject(Json object) {
  const bool has_id = object.contains("id");
  const Json id = has_id && IsValidId(object["id"]) ? object["id"] : Json();
  if (object.value("jsonrpc", Json()) != "2.0") {
    return Refuse(id, kInvalidRequest, WrongMember(object, "jsonrpc", "\"2.0\""));
  }
  if (!object.contains("method")) {
    if (object.contains("result") || object.contains("error")) return std::monostate();
    return Refuse(id, kInvalidRequest, "method: missing, wanted a string");
  }
  if (!object["method"].is_string()) {
    return Refuse(id, kInvalidRequest, WrongMember(object, "method", "a string"));
  }
  if (has_id && id.is_null()) {
    return Refuse(id, kInvalidRequest, WrongMember(object, "id", "a string or a whole number"));
  }
  Message message{.method = object["method"], .params = Json::object(), .id = id};
  if (!object.contains("params")) return message;
  if (!object["params"].is_object()) {
    return Refuse(id, kInvalidParams, WrongMember(object, "params", "an object"));
  }
  message.params = std::move(object["params"]);
  return message;
}

}  // namespace

ParsedLine ParseLine(absl::string_view line) {
  line = absl::StripAsciiWhitespace(line);
  if (line.empty()) return std::monostate();
  if (NestingOf(line) > kMaxNesting) {
    return Refuse(nullptr, kInvalidRequest,
                  absl::StrCat("the message is nested too deeply, wanted at most ", kMaxNesting,
                               " levels of objects and arrays"));
  }
  Json value = Json::parse(line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) {
    return Refuse(nullptr, kParseError, "the line is not JSON, wanted one message per line");
  }
  if (value.is_array()) {
    return Refuse(nullptr, kInvalidRequest, "batches are not supported, wanted one object");
  }
  if (!value.is_object())
    return Refuse(nullptr, kInvalidRequest, "the message is not an object, wanted one object");
  return FromObject(std::move(value));
}

Json ResultMessage(const Json& id, Json result) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

Json ErrorMessage(const Json& id, int code, const std::string& text, Json data) {
  Json error = {{"code", code}, {"message", text}};
  if (!data.is_null()) error["data"] = std::move(data);
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(error)}};
}

Json NotificationMessage(const std::string& method, Json params) {
  return {{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}

}  // namespace vrp::client::mcp
