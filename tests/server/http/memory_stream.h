// A connection of the HTTP server in memory.
#pragma once

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/system/system_error.hpp>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "server/http/http_stream.h"

namespace vrp::test {

// The other end of a MemoryStream.
struct MemoryPeer {
  std::deque<std::string> pieces;           // data of the reads; after it the connection ends
  std::string written;                      // bytes that the server has written
  std::vector<HttpStream::Time> deadlines;  // deadlines of the reads
  bool closed = false;                      // whether the server has closed the connection
};

// A stream whose reads return the pieces of `peer`, which must outlive it.
class MemoryStream final : public HttpStream {
 public:
  MemoryStream(boost::asio::any_io_executor executor, MemoryPeer& peer)
      : executor_(std::move(executor)), peer_(peer) {}

  Awaitable<> Handshake(Time /*deadline*/) override { co_return; }
  Awaitable<size_t> Read(boost::asio::mutable_buffer into, Time deadline) override {
    peer_.deadlines.push_back(deadline);
    if (aborted_ || peer_.pieces.empty()) {
      throw boost::system::system_error(
          aborted_ ? boost::asio::error::operation_aborted
                   : boost::asio::error::make_error_code(boost::asio::error::eof));
    }
    std::string& piece = peer_.pieces.front();
    const size_t size = std::min(piece.size(), into.size());
    std::memcpy(into.data(), piece.data(), size);
    piece.erase(0, size);
    if (piece.empty()) peer_.pieces.pop_front();
    co_return size;
  }
  Awaitable<> Write(boost::asio::const_buffer bytes, Time /*deadline*/) override {
    peer_.written.append(static_cast<const char*>(bytes.data()), bytes.size());
    co_return;
  }
  Awaitable<> Close(Time /*deadline*/) override {
    peer_.closed = true;
    co_return;
  }
  void Abort() override { aborted_ = true; }
  void ShutDown() override { aborted_ = true; }
  bool HasPeerLeft() override { return false; }
  boost::asio::any_io_executor executor() override { return executor_; }
  std::string peer() override { return "memory"; }

 private:
  const boost::asio::any_io_executor executor_;
  MemoryPeer& peer_;
  bool aborted_ = false;
};

// Runs a coroutine to its end. Rethrows what it throws.
inline void RunCoroutine(boost::asio::io_context& io,
                         const std::function<boost::asio::awaitable<void>()>& body) {
  std::exception_ptr failure;
  boost::asio::co_spawn(io, body,
                        [&failure](const std::exception_ptr& thrown) { failure = thrown; });
  io.restart();
  io.run();
  if (failure != nullptr) std::rethrow_exception(failure);
}

}  // namespace vrp::test
