#include "client/support/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <thread>

#include "client/support/exit_codes.h"
#include "client/support/signal_thread.h"
#include "gtest/gtest.h"

namespace vrp::client {
namespace {

TEST(InterruptTest, RunsEachCallbackOnce) {
  Interrupt interrupt;
  int calls = 0;
  const Interrupt::Handle handle(interrupt, [&] { ++calls; });
  interrupt.Trigger();
  interrupt.Trigger();
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(interrupt.triggered());
}

TEST(InterruptTest, RunsALateCallbackImmediately) {
  Interrupt interrupt;
  interrupt.Trigger();
  int calls = 0;
  const Interrupt::Handle handle(interrupt, [&] { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST(InterruptTest, DropsACallbackWithItsHandle) {
  Interrupt interrupt;
  int calls = 0;
  {
    const Interrupt::Handle handle(interrupt, [&] { ++calls; });
  }
  interrupt.Trigger();
  EXPECT_EQ(calls, 0);
}

TEST(InterruptTest, EndsAWait) {
  Interrupt interrupt;
  EXPECT_FALSE(interrupt.WaitFor(absl::ZeroDuration()));
  std::thread other([&] { interrupt.Trigger(); });
  EXPECT_TRUE(interrupt.WaitFor(absl::Minutes(1)));
  other.join();
}

// Runs `body` in a child process, because the threads of this process do not block signals. Expects
// that the child exits with `expected_exit_code`.
template <typename Body>
void RunInChild(Body body, int expected_exit_code) {
  const auto child = [&] {
    Interrupt interrupt;
    const SignalThread signals(interrupt);
    body(interrupt);
  };
  EXPECT_EXIT(child(), testing::ExitedWithCode(expected_exit_code), "");
}

TEST(SignalThreadTest, TurnsCtrlCIntoAnInterrupt) {
  RunInChild(
      [](Interrupt& interrupt) {
        kill(getpid(), SIGINT);
        _exit(interrupt.WaitFor(absl::Minutes(1)) ? 42 : 1);
      },
      42);
}

TEST(SignalThreadTest, TurnsSigtermIntoAnInterrupt) {
  RunInChild(
      [](Interrupt& interrupt) {
        kill(getpid(), SIGTERM);
        _exit(interrupt.WaitFor(absl::Minutes(1)) ? 42 : 1);
      },
      42);
}

TEST(SignalThreadTest, EndsTheProcessOnTheSecondCtrlC) {
  RunInChild(
      [](Interrupt& interrupt) {
        kill(getpid(), SIGINT);
        interrupt.WaitFor(absl::Minutes(1));
        kill(getpid(), SIGINT);
        pause();
      },
      kExitInterrupted);
}

TEST(SignalThreadTest, EndsWithoutASignal) {
  Interrupt interrupt;
  { const SignalThread signals(interrupt); }
  EXPECT_FALSE(interrupt.triggered());
}

}  // namespace
}  // namespace vrp::client
