#include "core/base/disk_room.h"

#include "absl/time/clock.h"
#include "core/base/steady_time.h"

namespace vrp {
namespace {

// A full disk is asked again after that long; whether to stop meanwhile, as often as that.
constexpr absl::Duration kDiskRetry = absl::Seconds(1);
constexpr absl::Duration kStopPoll = absl::Milliseconds(10);

}  // namespace

bool DiskIsFull(const absl::Status& status) {
  return absl::IsResourceExhausted(status) || absl::IsOutOfRange(status);
}

absl::Status WriteOnceThereIsRoom(const StopCondition& stop,
                                  absl::FunctionRef<absl::Status()> write,
                                  absl::FunctionRef<void(const absl::Status& full)> told) {
  absl::Status written = write();
  if (DiskIsFull(written)) told(written);
  absl::Time again = SteadyNow();
  while (DiskIsFull(written)) {
    if (stop.ShouldStop()) return absl::CancelledError("stopped while the disk was full");
    absl::SleepFor(kStopPoll);
    if (SteadyNow() < again) continue;
    again = SteadyNow() + kDiskRetry;
    written = write();
  }
  return written;
}

}  // namespace vrp
