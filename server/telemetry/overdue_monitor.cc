#include "server/telemetry/overdue_monitor.h"

#include "server/support/logging.h"

namespace vrp {

OverdueMonitor::OverdueMonitor(const Options& options) : options_(options) {
  thread_ = std::thread([this] {
    while (!stopping_.WaitFor(options_.interval)) Poll();
  });
}

OverdueMonitor::~OverdueMonitor() {
  stopping_.Set();
  thread_.join();
}

void OverdueMonitor::Poll(absl::Time now) {
  const auto text = [](absl::Duration duration) {
    return absl::FormatDuration(absl::Trunc(duration, absl::Milliseconds(1)));
  };
  for (const Watchdog::Overdue& work : options_.watchdog->TakeOverdue(now)) {
    if (options_.metrics != nullptr) options_.metrics->CountOverdue(work.phase);
    LogWarning("work is overdue", {{.name = "phase", .value = work.phase},
                                   {.name = "of", .value = work.owner},
                                   {.name = "running_for", .value = text(work.running_for)},
                                   {.name = "expected_at_most", .value = text(work.limit)}});
  }
}

}  // namespace vrp
