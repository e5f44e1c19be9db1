// Handles SIGTERM, SIGINT and SIGHUP in one thread.
#pragma once

#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "server/support/reload_hook.h"

namespace vrp {

// Blocks the signals in this thread and all later ones, and ignores SIGPIPE, which a closed stdout
// would send. Starts a thread that waits for the signals. SIGHUP runs `reload`; the first other
// signal notifies `stop`. After a second one, or if the process still runs after `grace`, the
// process exits at once with code 1. Call this once, before any other thread starts. `stop` and
// `reload` must live until the process ends.
void WatchSignals(absl::Notification* stop, ReloadHook* reload, absl::Duration grace);

}  // namespace vrp
