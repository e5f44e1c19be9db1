#include "server/daemon/signals.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <thread>
#include <utility>

#include "server/support/logging.h"

namespace vrp {
namespace {

void HandleSignals(sigset_t signals, absl::Notification* stop, ReloadHook* reload,
                   absl::Duration grace) {
  int number = 0;
  while (sigwait(&signals, &number) != 0 || number == SIGHUP) {
    if (std::exchange(number, 0) == SIGHUP) reload->Run();
  }
  sigdelset(&signals, SIGHUP);
  LogInfo("stopping", {{.name = "signal", .value = number == SIGTERM ? "SIGTERM" : "SIGINT"}});
  stop->Notify();
  const timespec limit = absl::ToTimespec(grace);
  const bool second_signal = sigtimedwait(&signals, nullptr, &limit) > 0;
  LogError("exiting at once",
           {{.name = "reason", .value = second_signal ? "second signal" : "not stopped in time"}});
  _exit(1);
}

}  // namespace

void WatchSignals(absl::Notification* stop, ReloadHook* reload, absl::Duration grace) {
  signal(SIGPIPE, SIG_IGN);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // Detached, because the thread waits until the end of the process.
  std::thread(HandleSignals, signals, stop, reload, grace).detach();
}

}  // namespace vrp
