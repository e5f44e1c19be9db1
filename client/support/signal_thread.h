// Turns SIGINT and SIGTERM into an Interrupt in a thread of its own, without a signal handler.
#pragma once

#include <thread>

#include "client/support/interrupt.h"

namespace vrp::client {

// A thread that waits for SIGINT and SIGTERM. The constructor blocks these signals, and SIGUSR2, in
// the calling thread and in all threads that the calling thread starts later. Must be created first
// in main. A second signal ends the process at once with exit code 130.
class SignalThread {
 public:
  // Starts the thread. `interrupt` must outlive this object.
  explicit SignalThread(Interrupt& interrupt);
  // Ends the thread with SIGUSR2.
  ~SignalThread();
  SignalThread(const SignalThread&) = delete;
  SignalThread& operator=(const SignalThread&) = delete;

 private:
  std::thread thread_;
};

}  // namespace vrp::client
