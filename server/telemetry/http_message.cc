#include "server/telemetry/http_message.h"

#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "core/base/text.h"

namespace vrp {
namespace {

std::string_view ReasonPhrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    default:
      return "Internal Server Error";
  }
}

// Returns the header lines that HTTP requires for this status.
std::string_view StatusHeaders(int status) {
  if (status == 401) return "WWW-Authenticate: Bearer\r\n";
  if (status == 405) return "Allow: GET, HEAD\r\n";
  return "";
}

void ReadHeader(absl::string_view line, HttpRequest& request) {
  const size_t colon = line.find(':');
  if (colon == absl::string_view::npos) return;
  const absl::string_view name = line.substr(0, colon);
  const std::string value(absl::StripAsciiWhitespace(line.substr(colon + 1)));
  if (absl::EqualsIgnoreCase(name, "authorization")) request.authorization = value;
  if (absl::EqualsIgnoreCase(name, "user-agent")) request.user_agent = value;
}

}  // namespace

ParsedRequest ParseHttpRequest(std::string_view text) {
  const std::vector<absl::string_view> lines = absl::StrSplit(ToAbsl(text), "\r\n");
  const std::vector<absl::string_view> words = absl::StrSplit(lines.front(), ' ');
  if (words.size() != 3 || !absl::StartsWith(words[2], "HTTP/1.") ||
      !absl::StartsWith(words[1], "/")) {
    return {.request = std::nullopt, .refusal = 400};
  }
  if (words[0] != "GET" && words[0] != "HEAD") return {.request = std::nullopt, .refusal = 405};
  HttpRequest request;
  request.is_head = words[0] == "HEAD";
  request.path = std::string(words[1].substr(0, words[1].find('?')));
  for (size_t i = 1; i < lines.size(); ++i) ReadHeader(lines[i], request);
  return {.request = std::move(request)};
}

std::string SerializeHttpResponse(const HttpResponse& response, bool head_only) {
  const std::string head = Concat("HTTP/1.1 ", response.status, " ", ReasonPhrase(response.status),
                                  "\r\nContent-Type: ", response.content_type,
                                  "\r\nContent-Length: ", response.body.size(), "\r\n",
                                  StatusHeaders(response.status), "Connection: close\r\n\r\n");
  return head_only ? head : head + response.body;
}

}  // namespace vrp
