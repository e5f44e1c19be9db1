#include "server/http/http_stream.h"

#include <netinet/tcp.h>

#include <array>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <type_traits>
#include <utility>

#include "core/base/text.h"

namespace vrp {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;

using TlsStream = beast::ssl_stream<beast::tcp_stream>;

template <typename Stream>
class ConnectionOf final : public HttpStream {
 public:
  static constexpr bool kTls = std::is_same_v<Stream, TlsStream>;

  explicit ConnectionOf(asio::ip::tcp::socket socket) : stream_(std::move(socket)) {}
  ConnectionOf(asio::ip::tcp::socket socket, std::shared_ptr<asio::ssl::context> tls)
      : tls_(std::move(tls)), stream_(std::move(socket), *tls_) {}

  Awaitable<> Handshake(Time deadline) override {
    if constexpr (kTls) {
      lowest().expires_at(deadline);
      co_await stream_.async_handshake(asio::ssl::stream_base::server, asio::use_awaitable);
    }
    co_return;
  }

  Awaitable<size_t> Read(asio::mutable_buffer into, Time deadline) override {
    lowest().expires_at(deadline);
    co_return co_await stream_.async_read_some(into, asio::use_awaitable);
  }

  Awaitable<> Write(asio::const_buffer bytes, Time deadline) override {
    lowest().expires_at(deadline);
    co_await asio::async_write(stream_, bytes, asio::use_awaitable);
  }

  Awaitable<> Close(Time deadline) override {
    lowest().expires_at(deadline);
    if constexpr (kTls) {
      co_await stream_.async_shutdown(asio::use_awaitable);
    } else {
      lowest().socket().shutdown(asio::ip::tcp::socket::shutdown_send);
      std::array<char, 16 << 10> dropped;
      while (true) co_await lowest().async_read_some(asio::buffer(dropped), asio::use_awaitable);
    }
  }

  void Abort() override { lowest().cancel(); }
  void ShutDown() override { lowest().close(); }

  bool HasPeerLeft() override {
    tcp_info info = {};
    socklen_t size = sizeof(info);
    const int socket = lowest().socket().native_handle();
    return getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 ||
           info.tcpi_state != TCP_ESTABLISHED;
  }

  asio::any_io_executor executor() override { return lowest().get_executor(); }

  std::string peer() override {
    boost::system::error_code error;
    const asio::ip::tcp::endpoint client = lowest().socket().remote_endpoint(error);
    return error ? "" : Concat(client.address().to_string(), ":", client.port());
  }

 private:
  beast::tcp_stream& lowest() { return beast::get_lowest_layer(stream_); }

  const std::shared_ptr<asio::ssl::context> tls_;
  Stream stream_;
};

}  // namespace

std::unique_ptr<HttpStream> MakeHttpStream(asio::ip::tcp::socket socket,
                                           std::shared_ptr<asio::ssl::context> tls) {
  if (tls == nullptr) return std::make_unique<ConnectionOf<beast::tcp_stream>>(std::move(socket));
  return std::make_unique<ConnectionOf<TlsStream>>(std::move(socket), std::move(tls));
}

}  // namespace vrp
