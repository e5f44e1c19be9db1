// SIGTERM, SIGINT and SIGHUP, taken by one thread.
#pragma once

#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "server/support/reload_hook.h"

namespace vrp {

// Blocks the signals in this and all threads started later, and ignores SIGPIPE (a reader of our
// stdout that goes away must not end us). A thread of its own then waits: SIGHUP runs
// `reload`; the first other signal notifies `stop`; a second one, or `grace` without the process
// having ended, ends the process at once with exit code 1. Call once, before any other thread
// starts; `stop` and `reload` are never destroyed.
void WatchSignals(absl::Notification* stop, ReloadHook* reload, absl::Duration grace);

}  // namespace vrp
