// Wakes a coroutine from other threads.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <memory>

namespace vrp {

// An event that coroutines of one strand wait for. Notify is thread-safe. The other functions are
// called on the strand. Create it with std::make_shared.
class WakeUp : public std::enable_shared_from_this<WakeUp> {
 public:
  explicit WakeUp(const boost::asio::any_io_executor& strand) : timer_(strand) {}

  void Notify() {
    boost::asio::post(timer_.get_executor(), [self = shared_from_this()] {
      self->notified_ = true;
      self->timer_.cancel();
    });
  }

  // Waits for the next Notify, or one since the previous wait, but at most for `limit`.
  boost::asio::awaitable<void> Wait(std::chrono::milliseconds limit) {
    if (!notified_) {
      timer_.expires_after(limit);
      co_await timer_.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    }
    notified_ = false;
  }

 private:
  boost::asio::steady_timer timer_;
  bool notified_ = false;
};

}  // namespace vrp
