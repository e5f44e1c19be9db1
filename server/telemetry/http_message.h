// Parses and builds HTTP messages for monitoring: GET and HEAD only, one request per connection.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace vrp {

struct HttpRequest {
  bool is_head = false;  // whether the method is HEAD, for which no body is sent
  std::string path;      // path without the query
  std::optional<std::string> authorization;
  std::string user_agent;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};

struct ParsedRequest {
  std::optional<HttpRequest> request;  // nullopt if the request is refused
  int refusal = 0;                     // status of a refusal: 400 or 405
};
// Parses the head of a request, without the empty line that ends the head.
ParsedRequest ParseHttpRequest(std::string_view text);

// Returns the bytes of the response, without its body if `head_only`.
std::string SerializeHttpResponse(const HttpResponse& response, bool head_only);

}  // namespace vrp
