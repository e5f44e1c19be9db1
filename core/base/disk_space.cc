#include "core/base/disk_space.h"

#include "absl/time/clock.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"

namespace vrp {
namespace {

// Intervals between two retries of a write to a full disk, and between two polls of the stop
// condition. The first retry follows the first poll.
constexpr absl::Duration kDiskRetry = absl::Seconds(1);
constexpr absl::Duration kStopPoll = absl::Milliseconds(10);

}  // namespace

bool DiskIsFull(const absl::Status& status) {
  return absl::IsResourceExhausted(status) || absl::IsOutOfRange(status);
}

absl::Status WriteWhenDiskHasSpace(const StopCondition& stop,
                                   absl::FunctionRef<absl::Status()> write,
                                   absl::FunctionRef<void(const absl::Status& full)> on_full) {
  absl::Status written = write();
  if (DiskIsFull(written)) on_full(written);
  absl::Time next_write = SteadyNow();
  while (DiskIsFull(written)) {
    if (stop.ShouldStop())
      return absl::CancelledError(
          Concat("stopped while a write failed: ", FromAbsl(written.message())));
    absl::SleepFor(kStopPoll);
    if (SteadyNow() < next_write) continue;
    next_write = SteadyNow() + kDiskRetry;
    written = write();
  }
  return written;
}

}  // namespace vrp
