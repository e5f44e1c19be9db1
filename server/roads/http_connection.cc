#include "server/roads/http_connection.h"

#include <openssl/ssl.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/system/system_error.hpp>
#include <utility>
#include <variant>

#include "core/base/text.h"

namespace vrp {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using boost::system::system_error;

namespace {

constexpr int kHttpVersion = 11;  // 1.1
constexpr uint32_t kMaxHeaderBytes = 16 << 10;

bool IsRedirect(int status) { return status >= 300 && status < 400; }

// Whether the error is about what the service sent, so that no further try can succeed.
bool IsProtocolError(const error_code& error) {
  return error.category() == make_error_code(http::error::bad_version).category() &&
         error != http::error::end_of_stream && error != http::error::partial_message;
}

// Whether the service closed the connection before the first byte of its answer.
bool IsClosedBeforeAnswer(const error_code& error) {
  return error == http::error::end_of_stream || error == asio::error::connection_reset ||
         error == asio::error::broken_pipe;
}

absl::Status StatusOf(const error_code& error, size_t max_bytes) {
  if (error == beast::error::timeout) {
    return absl::UnavailableError("it did not answer in time");
  }
  if (error == http::error::body_limit || error == http::error::header_limit) {
    return absl::FailedPreconditionError(Concat(
        "its answer exceeds ", error == http::error::header_limit ? kMaxHeaderBytes : max_bytes,
        " bytes; correct url and kind in road_networks"));
  }
  if (IsProtocolError(error)) {
    return absl::FailedPreconditionError(
        Concat("its answer is not HTTP (", error.message(), "); correct url in road_networks"));
  }
  if (error.category() == asio::error::get_ssl_category()) {
    return absl::FailedPreconditionError(Concat(
        "TLS failed: ", error.message(),
        "; wanted a certificate for the host in url, issued by a certificate authority (CA) that "
        "the system trusts"));
  }
  if (error == http::error::end_of_stream || error == asio::error::eof) {
    return absl::UnavailableError("it closed the connection");
  }
  return absl::UnavailableError(error.message());
}

http::request<http::string_body> HttpRequestOf(const RoadCall& call, const RoadUrl& url) {
  const bool has_body = !call.body.empty();
  http::request<http::string_body> request(has_body ? http::verb::post : http::verb::get,
                                           call.target, kHttpVersion);
  request.set(http::field::host, url.HostHeader());
  request.set(http::field::user_agent, "vrpd");
  request.set(http::field::accept, "application/json");
  if (has_body) {
    request.set(http::field::content_type, "application/json");
    request.body() = call.body;
    request.prepare_payload();
  }
  return request;
}

}  // namespace

void HttpConnection::Close() {
  plain_.reset();
  secure_.reset();
}

HttpConnection::Awaitable<tcp::resolver::results_type> HttpConnection::Resolve(Time deadline) {
  using namespace asio::experimental::awaitable_operators;  // NOLINT: Asio's way to name operator||
  tcp::resolver resolver(io_);
  asio::steady_timer timer(io_, deadline);
  const auto first =
      co_await (resolver.async_resolve(url_.host, url_.port, asio::as_tuple(asio::use_awaitable)) ||
                timer.async_wait(asio::as_tuple(asio::use_awaitable)));
  if (first.index() == 1) throw system_error(beast::error::timeout);
  const auto& [error, results] = std::get<0>(first);
  if (error) throw system_error(error);
  co_return results;
}

HttpConnection::Awaitable<> HttpConnection::Connect(Time deadline) {
  const tcp::resolver::results_type addresses = co_await Resolve(deadline);
  if (tls_ == nullptr) {
    plain_ = std::make_unique<Plain>(io_);
    plain_->expires_at(deadline);
    co_await plain_->async_connect(addresses, asio::use_awaitable);
    co_return;
  }
  secure_ = std::make_unique<Secure>(io_, *tls_);
  Plain& lowest = beast::get_lowest_layer(*secure_);
  lowest.expires_at(deadline);
  SSL_set_tlsext_host_name(secure_->native_handle(), url_.host.c_str());
  secure_->set_verify_callback(asio::ssl::host_name_verification(url_.host));
  co_await lowest.async_connect(addresses, asio::use_awaitable);
  co_await secure_->async_handshake(asio::ssl::stream_base::client, asio::use_awaitable);
}

template <typename Stream>
HttpConnection::Awaitable<HttpAnswer> HttpConnection::ExchangeOver(Stream& stream,
                                                                   const RoadCall& call,
                                                                   size_t max_bytes) {
  const auto request = HttpRequestOf(call, url_);
  co_await http::async_write(stream, request, asio::use_awaitable);
  beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(max_bytes);
  parser.header_limit(kMaxHeaderBytes);
  co_await http::async_read(stream, buffer, parser, asio::use_awaitable);
  HttpAnswer answer{.status = static_cast<int>(parser.get().result_int()), .body = {}};
  if (IsRedirect(answer.status)) {
    answer.body = std::string(parser.get()[http::field::location]);
  } else {
    answer.body = std::move(parser.get().body());
  }
  if (!parser.keep_alive()) Close();
  co_return answer;
}

HttpConnection::Awaitable<absl::StatusOr<HttpAnswer>> HttpConnection::TryExchange(
    const RoadCall& call, size_t max_bytes, Time deadline) {
  try {
    if (!is_open()) co_await Connect(deadline);
    HttpAnswer answer;
    if (secure_ != nullptr) {
      beast::get_lowest_layer(*secure_).expires_at(deadline);
      answer = co_await ExchangeOver(*secure_, call, max_bytes);
    } else {
      plain_->expires_at(deadline);
      answer = co_await ExchangeOver(*plain_, call, max_bytes);
    }
    if (!IsRedirect(answer.status)) co_return answer;
    co_return absl::FailedPreconditionError(
        Concat("it redirects to ", Quoted(answer.body),
               ", and redirects are not followed; correct url in road_networks"));
  } catch (const system_error& error) {
    Close();
    closed_before_answer_ = IsClosedBeforeAnswer(error.code());
    co_return StatusOf(error.code(), max_bytes);
  }
}

HttpConnection::Awaitable<absl::StatusOr<HttpAnswer>> HttpConnection::Exchange(const RoadCall& call,
                                                                               size_t max_bytes,
                                                                               Time deadline) {
  const bool reused = is_open();
  absl::StatusOr<HttpAnswer> answer = co_await TryExchange(call, max_bytes, deadline);
  // The service may have closed an idle connection, which is no failure of this request.
  if (reused && !answer.ok() && closed_before_answer_) {
    answer = co_await TryExchange(call, max_bytes, deadline);
  }
  co_return answer;
}

}  // namespace vrp
