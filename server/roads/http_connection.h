// A connection of HttpClient. Only .cc files of this folder include this header, because Asio's
// headers take long to compile.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <chrono>
#include <memory>

#include "absl/status/statusor.h"
#include "server/config/road_network_options.h"
#include "server/roads/http_client.h"
#include "server/roads/road_service.h"

namespace vrp {

// A connection that is opened when needed and kept for further requests. All calls are on the
// thread of the context. Not thread-safe.
class HttpConnection {
 public:
  using Time = std::chrono::steady_clock::time_point;
  template <typename T = void>
  using Awaitable = boost::asio::awaitable<T>;

  // Creates a closed connection. `tls` is null for plaintext. All arguments must outlive the
  // connection.
  HttpConnection(boost::asio::io_context& io, const RoadUrl& url, boost::asio::ssl::context* tls)
      : io_(io), url_(url), tls_(tls) {}

  // Sends a request and reads the answer, whose body has at most `max_bytes`. Sends the request
  // once more if the service has closed an idle connection. Returns kUnavailable if the connection
  // fails or the deadline passes, and kFailedPrecondition for an answer that no further try
  // improves (see HttpClient::Run).
  Awaitable<absl::StatusOr<HttpAnswer>> Exchange(const RoadCall& call, size_t max_bytes,
                                                 Time deadline);

 private:
  using Plain = boost::beast::tcp_stream;
  using Secure = boost::beast::ssl_stream<Plain>;

  Awaitable<> Connect(Time deadline);
  Awaitable<boost::asio::ip::tcp::resolver::results_type> Resolve(Time deadline);
  Awaitable<absl::StatusOr<HttpAnswer>> TryExchange(const RoadCall& call, size_t max_bytes,
                                                    Time deadline);
  // Sends the request and reads the answer over an open stream. Throws boost::system::system_error.
  template <typename Stream>
  Awaitable<HttpAnswer> ExchangeOver(Stream& stream, const RoadCall& call, size_t max_bytes);
  bool is_open() const { return plain_ != nullptr || secure_ != nullptr; }
  void Close();

  boost::asio::io_context& io_;
  const RoadUrl& url_;
  boost::asio::ssl::context* const tls_;
  std::unique_ptr<Plain> plain_;
  std::unique_ptr<Secure> secure_;
  // Whether the service may have closed the connection before the request (see
  // IsClosedBeforeAnswer). Valid after TryExchange failed.
  bool closed_before_answer_ = false;
};

}  // namespace vrp
