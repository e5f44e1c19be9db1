#include "client/support/signal_thread.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "client/support/exit_codes.h"

namespace vrp::client {
namespace {

// Signal that ends the thread.
constexpr int kWakeSignal = SIGUSR2;

sigset_t WaitedSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, kWakeSignal);
  return signals;
}

void WaitForSignals(Interrupt& interrupt) {
  const sigset_t signals = WaitedSignals();
  int signal = 0;
  while (sigwait(&signals, &signal) == 0 && signal != kWakeSignal) {
    if (interrupt.triggered()) _exit(kExitInterrupted);
    interrupt.Trigger();
  }
}

}  // namespace

SignalThread::SignalThread(Interrupt& interrupt) {
  const sigset_t signals = WaitedSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  thread_ = std::thread([&interrupt] { WaitForSignals(interrupt); });
}

SignalThread::~SignalThread() {
  pthread_kill(thread_.native_handle(), kWakeSignal);
  thread_.join();
}

}  // namespace vrp::client
