// A connection of the HTTP server, with or without TLS. Only this folder and its tests include this
// header, because Asio's headers take long to compile.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <chrono>
#include <memory>
#include <string>

namespace vrp {

// A byte stream. Each wait has a deadline. Methods throw boost::system::system_error when the
// connection has ended or the deadline has passed, which closes the connection. Not thread-safe:
// all calls are on the socket's strand.
class HttpStream {
 public:
  using Time = std::chrono::steady_clock::time_point;
  template <typename T = void>
  using Awaitable = boost::asio::awaitable<T>;

  virtual ~HttpStream() = default;

  // Returns the deadline of a wait that begins now.
  static Time After(std::chrono::milliseconds duration) {
    return std::chrono::steady_clock::now() + duration;
  }

  virtual Awaitable<> Handshake(Time deadline) = 0;
  // Returns the number of bytes read, at least 1.
  virtual Awaitable<size_t> Read(boost::asio::mutable_buffer into, Time deadline) = 0;
  virtual Awaitable<> Write(boost::asio::const_buffer bytes, Time deadline) = 0;
  // Sends the end of the stream, then waits until the client closes too or the deadline passes.
  // Without TLS, reads and drops bytes meanwhile: unread bytes would reset the connection, and the
  // client could lose the response.
  virtual Awaitable<> Close(Time deadline) = 0;
  // Ends waiting reads and writes.
  virtual void Abort() = 0;
  // Closes the connection at once.
  virtual void ShutDown() = 0;

  // Whether the client has closed its side or the connection broke.
  virtual bool HasPeerLeft() = 0;
  virtual boost::asio::any_io_executor executor() = 0;
  // Returns the client's address, for the log.
  virtual std::string peer() = 0;
};

// Creates a connection. `tls` is null for plaintext.
std::unique_ptr<HttpStream> MakeHttpStream(boost::asio::ip::tcp::socket socket,
                                           std::shared_ptr<boost::asio::ssl::context> tls);

}  // namespace vrp
