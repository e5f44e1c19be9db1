#include "server/support/drain.h"

#include <thread>

#include "core/base/steady_time.h"
#include "core/base/stop_signal.h"

namespace vrp {
namespace {

// Of 5 s the last two are left to plans of 10,000 nodes: put together, checked, sent.
constexpr double kSearchShare = 0.6;

}  // namespace

bool Drain::over() const { return absl::ToUnixNanos(SteadyNow()) >= over_at_ns_; }

void Drain::Run(absl::FunctionRef<void(absl::Duration lasts)> close) {
  over_at_ns_ = absl::ToUnixNanos(SteadyNow() + lasts_);
  StopSignal closed;
  std::thread teller([&] {
    if (!closed.WaitFor(lasts_ * kSearchShare)) searches_end_->Cancel();
  });
  close(lasts_);
  closed.Set();
  teller.join();
}

}  // namespace vrp
