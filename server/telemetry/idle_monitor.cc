#include "server/telemetry/idle_monitor.h"

#include <utility>

namespace vrp {

IdleMonitor::IdleMonitor(Options options) : options_(std::move(options)) {
  thread_ = std::thread([this] {
    while (!stopping_.WaitFor(options_.interval)) Poll();
  });
}

IdleMonitor::~IdleMonitor() {
  stopping_.Set();
  thread_.join();
}

void IdleMonitor::Poll(absl::Time now) {
  absl::MutexLock lock(&mutex_);
  if (SawCalls()) idle_since_ = now;
  if (reported_ || now - idle_since_ < options_.limit) return;
  if (options_.has_jobs()) {
    idle_since_ = now;
    return;
  }
  reported_ = true;
  options_.on_idle();
}

bool IdleMonitor::SawCalls() {
  const int64_t begun = options_.metrics->begun();
  const bool saw = begun != begun_ || options_.metrics->in_flight() > 0;
  begun_ = begun;
  return saw;
}

}  // namespace vrp
