// Reads requests from a connection.
#pragma once

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "server/http/http_context.h"
#include "server/http/http_stream.h"

namespace vrp {

// The exception for a request that cannot be read. The connection closes after the response.
struct HttpRefusal {
  int status = 400;
  std::string message;
};

// A reader of the requests of one connection, one after the other. The caller reads the head of a
// request, then its body, then the next head. Methods throw HttpRefusal for bad requests and
// boost::system::system_error for broken connections. Not thread-safe.
class HttpRequestReader {
 public:
  // Both arguments must outlive the reader.
  HttpRequestReader(HttpStream& connection, const HttpTimeouts& timeouts)
      : connection_(connection), timeouts_(timeouts) {}

  // Reads the head of the next request, once the body of the previous one has been read.
  boost::asio::awaitable<void> ReadHead();

  std::string_view method() const;
  std::string_view path() const { return target().substr(0, target().find('?')); }
  std::string_view query() const;
  // Returns the value of a header, empty if it is absent.
  std::string_view header(std::string_view name) const;
  // Whether the header occurs more than once.
  bool repeats(std::string_view name) const;
  std::optional<uint64_t> content_length() const;
  // Whether the client understands responses in chunks: HTTP/1.1.
  bool takes_chunks() const { return parser_->get().version() >= 11; }
  bool keep_alive() const { return parser_->get().keep_alive(); }
  bool body_is_read() const { return parser_->is_done(); }

  // Returns the next part of the body, of at most 64 KiB, and an empty text at its end. Answers
  // `Expect: 100-continue` first.
  boost::asio::awaitable<std::string> ReadPart();

  // Whether a request has begun. If not, the connection is idle.
  bool has_begun() const { return begun_; }

 private:
  using Parser = boost::beast::http::request_parser<boost::beast::http::buffer_body>;

  std::string_view target() const;
  boost::asio::awaitable<void> ReadMore(HttpStream::Time deadline);
  boost::asio::awaitable<void> Continue();
  HttpStream::Time BodyDeadline() const;

  HttpStream& connection_;
  const HttpTimeouts& timeouts_;
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  bool begun_ = false;
  bool continued_ = false;
  HttpStream::Time body_began_;
  int64_t body_bytes_ = 0;
};

}  // namespace vrp
