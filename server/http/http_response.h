// Writes responses to a connection.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/http/http_context.h"
#include "server/http/http_stream.h"

namespace vrp {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

// The head of a response, besides the security headers that every response has.
struct HttpHead {
  int status = 200;
  std::string content_type;
  HttpHeaders headers = {};
  // By default, a response that a browser shows as a page may load and run nothing, and no page may
  // frame it. No cache stores responses.
  std::string content_security_policy = "default-src 'none'; frame-ancestors 'none'";
  std::string cache_control = "no-store";
};

// The form in which a response is sent.
struct HttpResponseForm {
  bool keep_alive = false;  // whether the client may send another request
  bool is_head = false;     // whether the request is a HEAD, which gets no body
  // Whether a body of unknown length has chunks. Otherwise the end of the connection ends it.
  bool takes_chunks = true;
};

// A writer of the responses of one connection. Methods throw boost::system::system_error when the
// connection has ended or the client takes longer than timeouts.silence to read 256 KiB. Not
// thread-safe.
class HttpResponseWriter {
 public:
  // Both arguments must outlive the writer.
  HttpResponseWriter(HttpStream& connection, const HttpTimeouts& timeouts)
      : connection_(connection), timeouts_(timeouts) {}

  // Forgets the previous response.
  void Begin(const HttpResponseForm& form);
  // Makes the connection close after the response. Must be called before the head is sent.
  void CloseAfter() { form_.keep_alive = false; }
  bool keep_alive() const { return form_.keep_alive; }
  bool has_begun() const { return begun_; }

  // Sends a whole response.
  boost::asio::awaitable<void> Send(HttpHead head, std::string body);
  // Sends the head of a response whose body follows in parts.
  boost::asio::awaitable<void> BeginParts(HttpHead head);
  // Sends a part of the body. `part` must not be empty.
  boost::asio::awaitable<void> SendPart(std::string_view part);
  boost::asio::awaitable<void> EndParts();

 private:
  boost::asio::awaitable<void> Write(std::string_view bytes);

  HttpStream& connection_;
  const HttpTimeouts& timeouts_;
  HttpResponseForm form_;
  bool begun_ = false;
};

}  // namespace vrp
