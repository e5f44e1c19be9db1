// What is asked and answered over HTTP, for monitoring: GET and HEAD alone, a request a connection.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace vrp {

struct HttpRequest {
  bool head = false;  // HEAD: the body is not wanted
  std::string path;   // without what follows a '?'
  std::optional<std::string> authorization;
  std::string user_agent;
};

struct HttpAnswer {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};

// `text`: up to the empty line that ends the head.
struct ParsedRequest {
  std::optional<HttpRequest> request;  // null: `refusal` says why there is none
  int refusal = 0;                     // 400, 405
};
ParsedRequest ParseHttpRequest(std::string_view text);

// Head and body, as they are sent.
std::string WriteHttpAnswer(const HttpAnswer& answer, bool head_only);

}  // namespace vrp
