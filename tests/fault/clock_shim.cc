// A shim for LD_PRELOAD with which a test shifts the clock that a process sees, while it runs.
//
// The file named by VRP_CLOCK_OFFSET holds an int64, the seconds that the shim adds to
// CLOCK_REALTIME. A write to the file takes effect at once. Futex waits until a time of that
// clock, as in Abseil's locks, follow the shifted clock too, as in the kernel. CLOCK_MONOTONIC is
// not changed.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace {

constexpr int64_t kNanosPerSecond = 1'000'000'000;
constexpr int64_t kPollNanos = 20'000'000;  // interval at which a wait polls the offset

// Returns the libc function that a function of this file replaces. Caches it in `found` instead of
// a local static: threads wait for the initialisation of a static by syscall(), which is replaced
// here.
void* Real(std::atomic<void*>& found, const char* name) {
  void* real = found.load(std::memory_order_relaxed);
  if (real == nullptr) {
    real = dlsym(RTLD_NEXT, name);
    found.store(real, std::memory_order_relaxed);
  }
  return real;
}
constinit std::atomic<void*> real_clock_gettime = nullptr;
constinit std::atomic<void*> real_syscall = nullptr;

const std::atomic<int64_t>* OpenOffset() {
  static const std::atomic<int64_t> none = 0;
  const char* path = getenv("VRP_CLOCK_OFFSET");
  const int file = path == nullptr ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return &none;
  void* memory = mmap(nullptr, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
  close(file);
  return memory == MAP_FAILED ? &none : static_cast<const std::atomic<int64_t>*>(memory);
}

int64_t OffsetSeconds() {
  static const std::atomic<int64_t>* const offset = OpenOffset();
  return offset->load(std::memory_order_relaxed);
}

int RealClock(clockid_t clock, timespec* time) {
  using Clock = int(clockid_t, timespec*);
  return reinterpret_cast<Clock*>(Real(real_clock_gettime, "clock_gettime"))(clock, time);
}

int64_t ToNanoseconds(const timespec& time) {
  return int64_t{time.tv_sec} * kNanosPerSecond + time.tv_nsec;
}

timespec ToTimespec(int64_t nanoseconds) {
  return {.tv_sec = nanoseconds / kNanosPerSecond, .tv_nsec = nanoseconds % kNanosPerSecond};
}

int64_t RealNow() {
  timespec now;
  RealClock(CLOCK_REALTIME, &now);
  return ToNanoseconds(now);
}

int64_t ShiftedNow() { return RealNow() + OffsetSeconds() * kNanosPerSecond; }

// Runs a futex call whose timeout `until` is a time of the shifted clock. Calls `wait` repeatedly,
// with a timeout by the real clock, and returns its last result.
template <typename Wait>
long WaitUntil(const timespec& until, const Wait& wait) {
  while (true) {
    const int64_t left = ToNanoseconds(until) - ShiftedNow();
    const timespec next_poll = ToTimespec(RealNow() + std::clamp<int64_t>(left, 0, kPollNanos));
    const long result = wait(&next_poll);
    if (result == 0 || errno != ETIMEDOUT || ShiftedNow() >= ToNanoseconds(until)) return result;
  }
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const int result = RealClock(clock, time);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    time->tv_sec += OffsetSeconds();
  }
  return result;
}

int gettimeofday(timeval* time, void* /*zone*/) noexcept {
  const int64_t now = ShiftedNow();
  time->tv_sec = now / kNanosPerSecond;
  time->tv_usec = now % kNanosPerSecond / 1000;
  return 0;
}

time_t time(time_t* target) noexcept {
  const time_t now = ShiftedNow() / kNanosPerSecond;
  if (target != nullptr) *target = now;
  return now;
}

long syscall(long number, ...) noexcept {
  using Call = long(long, ...);
  auto* const real = reinterpret_cast<Call*>(Real(real_syscall, "syscall"));
  va_list arguments;
  va_start(arguments, number);
  long values[6];
  for (long& value : values) value = va_arg(arguments, long);
  va_end(arguments);
  const auto* until = reinterpret_cast<const timespec*>(values[3]);
  const bool waits = number == SYS_futex && (values[1] & FUTEX_CLOCK_REALTIME) != 0;
  if (!waits || until == nullptr) {
    return real(number, values[0], values[1], values[2], values[3], values[4], values[5]);
  }
  return WaitUntil(*until, [&](const timespec* next_poll) {
    return real(number, values[0], values[1], values[2], next_poll, values[4], values[5]);
  });
}

}  // extern "C"
