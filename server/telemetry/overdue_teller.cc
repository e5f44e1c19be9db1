#include "server/telemetry/overdue_teller.h"

#include "core/base/text.h"
#include "server/support/logging.h"

namespace vrp {

OverdueTeller::OverdueTeller(const Options& options) : options_(options) {
  thread_ = std::thread([this] {
    while (!stopping_.WaitFor(options_.interval)) Look();
  });
}

OverdueTeller::~OverdueTeller() {
  stopping_.Set();
  thread_.join();
}

void OverdueTeller::Look(absl::Time now) {
  for (const Watchdog::Overdue& work : options_.watchdog->Look(now)) {
    if (options_.metrics != nullptr) options_.metrics->FoundOverdue(work.phase);
    LogWarning(Concat(
        work.phase, work.of.empty() ? "" : " of ", work.of, ": takes ",
        absl::FormatDuration(absl::Trunc(work.so_far, absl::Milliseconds(1))), " so far, at most ",
        absl::FormatDuration(absl::Trunc(work.limit, absl::Milliseconds(1))), " was expected"));
  }
}

}  // namespace vrp
