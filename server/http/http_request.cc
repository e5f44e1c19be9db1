#include "server/http/http_request.h"

#include <algorithm>

#include "core/base/text.h"

namespace vrp {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::beast::string_view;

constexpr size_t kMaxHeadBytes = 16 << 10;
constexpr size_t kReadBytes = 64 << 10;

std::string_view ToStd(string_view text) { return {text.data(), text.size()}; }
string_view ToBoost(std::string_view text) { return {text.data(), text.size()}; }

HttpRefusal RefusalOf(const boost::system::error_code& error) {
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return {.status = 431, .message = Concat("the head is above ", kMaxHeadBytes, " bytes")};
  }
  return {.status = 400, .message = Concat("malformed HTTP/1 request: ", error.message())};
}

}  // namespace

asio::awaitable<void> HttpRequestReader::ReadMore(HttpStream::Time deadline) {
  buffer_.commit(co_await connection_.Read(buffer_.prepare(kReadBytes), deadline));
}

asio::awaitable<void> HttpRequestReader::ReadHead() {
  begun_ = false;
  parser_.emplace();
  parser_->header_limit(kMaxHeadBytes);
  parser_->body_limit(boost::none);
  if (buffer_.size() == 0) co_await ReadMore(HttpStream::After(timeouts_.idle));
  begun_ = true;
  const HttpStream::Time deadline = HttpStream::After(timeouts_.head);
  while (true) {
    boost::system::error_code error;
    buffer_.consume(parser_->put(buffer_.data(), error));
    if (error && error != http::error::need_more) throw RefusalOf(error);
    if (parser_->is_header_done()) break;
    if (buffer_.size() > kMaxHeadBytes) throw RefusalOf(http::error::header_limit);
    co_await ReadMore(deadline);
  }
  continued_ = false;
  body_began_ = std::chrono::steady_clock::now();
  body_bytes_ = 0;
}

std::string_view HttpRequestReader::method() const { return ToStd(parser_->get().method_string()); }

std::string_view HttpRequestReader::target() const { return ToStd(parser_->get().target()); }

std::string_view HttpRequestReader::query() const {
  const size_t mark = target().find('?');
  return mark == std::string_view::npos ? "" : target().substr(mark + 1);
}

std::string_view HttpRequestReader::header(std::string_view name) const {
  return ToStd(parser_->get()[ToBoost(name)]);
}

bool HttpRequestReader::repeats(std::string_view name) const {
  return parser_->get().count(ToBoost(name)) > 1;
}

std::optional<uint64_t> HttpRequestReader::content_length() const {
  const boost::optional<uint64_t> length = parser_->content_length();
  return length ? std::optional<uint64_t>(*length) : std::nullopt;
}

asio::awaitable<void> HttpRequestReader::Continue() {
  if (std::exchange(continued_, true) || header("Expect").empty()) co_return;
  static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  co_await connection_.Write(asio::buffer(kContinue), HttpStream::After(timeouts_.silence));
}

HttpStream::Time HttpRequestReader::BodyDeadline() const {
  const std::chrono::milliseconds owed(body_bytes_ * 1000 / timeouts_.min_body_rate);
  return std::min(HttpStream::After(timeouts_.silence), body_began_ + timeouts_.lateness + owed);
}

asio::awaitable<std::string> HttpRequestReader::ReadPart() {
  co_await Continue();
  while (!parser_->is_done()) {
    if (buffer_.size() == 0) co_await ReadMore(BodyDeadline());
    std::string part(kReadBytes, '\0');
    auto& body = parser_->get().body();
    body.data = part.data();
    body.size = part.size();
    body.more = true;
    boost::system::error_code error;
    buffer_.consume(parser_->put(buffer_.data(), error));
    const bool wants_more = error == http::error::need_more;
    if (error && !wants_more && error != http::error::need_buffer) throw RefusalOf(error);
    part.resize(part.size() - body.size);
    body_bytes_ += static_cast<int64_t>(part.size());
    if (!part.empty()) co_return part;
    if (!wants_more || parser_->is_done()) continue;
    // Only the head of a chunk or a trailer waits in the buffer.
    if (buffer_.size() > kMaxHeadBytes) throw RefusalOf(http::error::header_limit);
    co_await ReadMore(BodyDeadline());
  }
  co_return std::string();
}

}  // namespace vrp
