#include "server/http/http_response.h"

#include <algorithm>
#include <boost/beast/http/status.hpp>

#include "absl/strings/str_cat.h"
#include "core/base/text.h"

namespace vrp {
namespace {

namespace asio = boost::asio;

// Bytes that a client must read within timeouts.silence.
constexpr size_t kWriteBytes = 256 << 10;

constexpr std::string_view kSecurityHeaders =
    "X-Content-Type-Options: nosniff\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Referrer-Policy: no-referrer\r\n";

std::string_view HttpReasonPhrase(int status) {
  if (status == 499) return "Client Closed Request";
  const auto phrase =
      boost::beast::http::obsolete_reason(static_cast<boost::beast::http::status>(status));
  return {phrase.data(), phrase.size()};
}

std::string HeadText(const HttpHead& head, std::string_view length, bool keep_alive) {
  std::string text = Concat("HTTP/1.1 ", head.status, " ", HttpReasonPhrase(head.status), "\r\n",
                            "Content-Type: ", head.content_type, "\r\n", length, kSecurityHeaders,
                            "Content-Security-Policy: ", head.content_security_policy, "\r\n",
                            "Cache-Control: ", head.cache_control, "\r\n");
  for (const auto& [name, value] : head.headers) text += Concat(name, ": ", value, "\r\n");
  text += keep_alive ? "\r\n" : "Connection: close\r\n\r\n";
  return text;
}

}  // namespace

void HttpResponseWriter::Begin(const HttpResponseForm& form) {
  form_ = form;
  begun_ = false;
}

asio::awaitable<void> HttpResponseWriter::Write(std::string_view bytes) {
  for (size_t sent = 0; sent < bytes.size(); sent += kWriteBytes) {
    const std::string_view part = bytes.substr(sent, kWriteBytes);
    co_await connection_.Write(asio::buffer(part.data(), part.size()),
                               HttpStream::After(timeouts_.silence));
  }
}

asio::awaitable<void> HttpResponseWriter::Send(HttpHead head, std::string body) {
  begun_ = true;
  // A 304 has no body, and its length would be that of the file.
  const std::string length =
      head.status == 304 ? "" : Concat("Content-Length: ", body.size(), "\r\n");
  const std::string text =
      Concat(HeadText(head, length, form_.keep_alive), form_.is_head ? "" : body);
  co_await Write(text);
}

asio::awaitable<void> HttpResponseWriter::BeginParts(HttpHead head) {
  begun_ = true;
  if (!form_.takes_chunks) form_.keep_alive = false;
  const std::string text =
      HeadText(head, form_.takes_chunks ? "Transfer-Encoding: chunked\r\n" : "", form_.keep_alive);
  co_await Write(text);
}

asio::awaitable<void> HttpResponseWriter::SendPart(std::string_view part) {
  if (form_.is_head) co_return;
  if (!form_.takes_chunks) co_return co_await Write(part);
  const std::string chunk = Concat(absl::Hex(part.size()), "\r\n", part, "\r\n");
  co_await Write(chunk);
}

asio::awaitable<void> HttpResponseWriter::EndParts() {
  if (form_.takes_chunks && !form_.is_head) co_await Write("0\r\n\r\n");
}

}  // namespace vrp
