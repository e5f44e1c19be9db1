#include "server/runtime/signals.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <thread>

#include "server/runtime/logging.h"

namespace vrp {
namespace {

void Wait(const sigset_t& signals, absl::Notification* stop, absl::Duration grace) {
  int number = 0;
  while (sigwait(&signals, &number) != 0) {
  }
  LogInfo(number == SIGTERM ? "SIGTERM: stopping" : "SIGINT: stopping");
  stop->Notify();
  const timespec limit = absl::ToTimespec(grace);
  const bool again = sigtimedwait(&signals, nullptr, &limit) > 0;
  LogError(again ? "a second signal: ending at once" : "not stopped in time: ending at once");
  _exit(1);
}

}  // namespace

void WatchSignals(absl::Notification* stop, absl::Duration grace) {
  signal(SIGPIPE, SIG_IGN);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // Detached: it waits until the process is gone.
  std::thread(Wait, signals, stop, grace).detach();
}

}  // namespace vrp
