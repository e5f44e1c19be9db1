// SIGTERM and SIGINT, taken by one thread.
#pragma once

#include "absl/synchronization/notification.h"
#include "absl/time/time.h"

namespace vrp {

// Blocks both signals in this and all threads started later, and ignores SIGPIPE (a reader of our
// stdout that goes away must not end us). A thread of its own then waits: the first signal notifies
// `stop`; a second one, or `grace` without the process having ended, ends the process at once with
// exit code 1. Call once, before any other thread starts; `stop` is never destroyed.
void WatchSignals(absl::Notification* stop, absl::Duration grace);

}  // namespace vrp
