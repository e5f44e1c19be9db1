// Reports Abseil's locks to the thread sanitizer. Debian's Abseil is not built with -fsanitize=thread.
// Without these functions, the sanitizer would not see the order that Abseil's mutexes establish, and would report
// false races.
// With VRP_SANITIZE=thread, each program links these functions, and the linker's --wrap redirects our calls to them.
//
// Inside Abseil and under the lock, an unlocking thread evaluates the conditions that others wait for.
// These functions make the sanitizer ignore the reads and writes of these evaluations.

#include <absl/synchronization/mutex.h>
#include <absl/synchronization/notification.h>
#include <absl/time/time.h>

#include <atomic>

extern "C" {
void __tsan_acquire(void*);
void __tsan_release(void*);
void AnnotateIgnoreReadsBegin(const char*, int);
void AnnotateIgnoreReadsEnd(const char*, int);
void AnnotateIgnoreWritesBegin(const char*, int);
void AnnotateIgnoreWritesEnd(const char*, int);
}

namespace {

class IgnoreAccesses {
 public:
  IgnoreAccesses() {
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  }
  ~IgnoreAccesses() {
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  }
};

// Runs `call` between a release and an acquire of `object`, which order it like a lock, an unlock or a wait.
template <typename Call>
auto Ordered(const volatile void* object, const Call& call) {
  void* const address = const_cast<void*>(object);
  struct Acquire {
    void* address;
    ~Acquire() { __tsan_acquire(address); }
  } acquire_at_end{address};
  __tsan_release(address);
  IgnoreAccesses ignore;
  return call();
}

}  // namespace

// Defines the wrapper of a function from its result, mangled name, parameters, synchronised object and
// arguments.
#define VRP_WRAP(result, name, parameters, object, arguments)  \
  result Real##name parameters __asm__("__real_" #name);       \
  result Wrap##name parameters __asm__("__wrap_" #name);       \
  result Wrap##name parameters {                               \
    return Ordered(object, [&] { return Real##name arguments; }); \
  }

// An unlock only releases: afterwards the mutex may be destroyed or held by another thread.
#define VRP_WRAP_RELEASE(name, type)                     \
  void Real##name(type* object) __asm__("__real_" #name); \
  void Wrap##name(type* object) __asm__("__wrap_" #name); \
  void Wrap##name(type* object) {                        \
    __tsan_release(object);                              \
    IgnoreAccesses ignore;                               \
    Real##name(object);                                  \
  }

using absl::Condition;
using absl::CondVar;
using absl::Duration;
using absl::Mutex;
using absl::Notification;
using absl::Time;

VRP_WRAP(void, _ZN4absl7debian35Mutex4LockEv, (Mutex * m), m, (m))
VRP_WRAP(bool, _ZN4absl7debian35Mutex7TryLockEv, (Mutex * m), m, (m))
VRP_WRAP(void, _ZN4absl7debian35Mutex10ReaderLockEv, (Mutex * m), m, (m))
VRP_WRAP_RELEASE(_ZN4absl7debian35Mutex6UnlockEv, Mutex)
VRP_WRAP_RELEASE(_ZN4absl7debian35Mutex12ReaderUnlockEv, Mutex)
VRP_WRAP(void, _ZN4absl7debian35Mutex5AwaitERKNS0_9ConditionE, (Mutex * m, const Condition& c), m, (m, c))
VRP_WRAP(bool, _ZN4absl7debian35Mutex16AwaitWithTimeoutERKNS0_9ConditionENS0_8DurationE,
         (Mutex * m, const Condition& c, Duration d), m, (m, c, d))
VRP_WRAP(bool, _ZN4absl7debian35Mutex17AwaitWithDeadlineERKNS0_9ConditionENS0_4TimeE,
         (Mutex * m, const Condition& c, Time t), m, (m, c, t))
VRP_WRAP(void, _ZN4absl7debian35Mutex8LockWhenERKNS0_9ConditionE, (Mutex * m, const Condition& c), m, (m, c))
VRP_WRAP(void, _ZN4absl7debian37CondVar4WaitEPNS0_5MutexE, (CondVar * v, Mutex* m), m, (v, m))
VRP_WRAP(bool, _ZN4absl7debian37CondVar15WaitWithTimeoutEPNS0_5MutexENS0_8DurationE,
         (CondVar * v, Mutex* m, Duration d), m, (v, m, d))
VRP_WRAP(bool, _ZN4absl7debian37CondVar16WaitWithDeadlineEPNS0_5MutexENS0_4TimeE,
         (CondVar * v, Mutex* m, Time t), m, (v, m, t))
VRP_WRAP_RELEASE(_ZN4absl7debian312Notification6NotifyEv, Notification)
VRP_WRAP(void, _ZNK4absl7debian312Notification19WaitForNotificationEv, (const Notification* n), n, (n))
VRP_WRAP(bool, _ZNK4absl7debian312Notification30WaitForNotificationWithTimeoutENS0_8DurationE,
         (const Notification* n, Duration d), n, (n, d))
VRP_WRAP(bool, _ZNK4absl7debian312Notification31WaitForNotificationWithDeadlineENS0_4TimeE,
         (const Notification* n, Time t), n, (n, t))
