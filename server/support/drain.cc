#include "server/support/drain.h"

#include <thread>

#include "core/base/steady_time.h"
#include "core/base/stop_signal.h"

namespace vrp {
namespace {

// Share of the drain for searches. The remaining time (2 s of 5 s) suffices to build, check and
// send plans of 10,000 nodes.
constexpr double kSearchShare = 0.6;

}  // namespace

bool Drain::over() const { return absl::ToUnixNanos(SteadyNow()) >= over_at_ns_; }

void Drain::Run(absl::FunctionRef<void(absl::Duration limit)> close) {
  over_at_ns_ = absl::ToUnixNanos(SteadyNow() + limit_);
  StopSignal closed;
  std::thread canceller([&] {
    if (!closed.WaitFor(limit_ * kSearchShare)) searches_end_->Cancel();
  });
  close(limit_);
  closed.Set();
  canceller.join();
}

}  // namespace vrp
