#include "server/daemon/signals.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <thread>
#include <utility>

#include "server/support/logging.h"

namespace vrp {
namespace {

void Wait(sigset_t signals, absl::Notification* stop, ReloadHook* reload, absl::Duration grace) {
  int number = 0;
  while (sigwait(&signals, &number) != 0 || number == SIGHUP) {
    if (std::exchange(number, 0) == SIGHUP) reload->Run();
  }
  sigdelset(&signals, SIGHUP);
  LogInfo(number == SIGTERM ? "SIGTERM: stopping" : "SIGINT: stopping");
  stop->Notify();
  const timespec limit = absl::ToTimespec(grace);
  const bool again = sigtimedwait(&signals, nullptr, &limit) > 0;
  LogError(again ? "a second signal: ending at once" : "not stopped in time: ending at once");
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
  // Detached: it waits until the process is gone.
  std::thread(Wait, signals, stop, reload, grace).detach();
}

}  // namespace vrp
