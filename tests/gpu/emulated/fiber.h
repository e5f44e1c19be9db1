// Flows of control that one thread of the CPU switches between by hand: ucontext asks the system at
// each switch, of which a kernel's run has millions. x86-64.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vrp::emulated {

// Memory for one flow's calls, with a guard page below.
class FiberStack {
 public:
  FiberStack();
  FiberStack(FiberStack&& other) noexcept;
  FiberStack& operator=(FiberStack&&) = delete;
  ~FiberStack();

  uint8_t* begin() const { return memory_ + kGuard; }
  uint8_t* end() const { return memory_ + kGuard + kBytes; }
  bool Contains(uintptr_t address) const {
    return address - reinterpret_cast<uintptr_t>(begin()) < kBytes;
  }

 private:
  static constexpr size_t kGuard = 4096;
  static constexpr size_t kBytes = size_t{256} << 10;

  uint8_t* memory_;
};

// Where a flow is that does not run.
class Fiber {
 public:
  // Of the flow that calls.
  Fiber() = default;
  // At the beginning of `entry`, which must not return. What was on the stack is forgotten.
  Fiber(const FiberStack& stack, void (*entry)());

  // Goes on at `to`, until someone switches to this one, which runs now.
  void SwitchTo(Fiber& to);
  // To be called first in `entry`.
  static void Entered();

 private:
  void* top_ = nullptr;
  // The sanitizer's.
  void* fake_stack_ = nullptr;
  const void* bottom_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace vrp::emulated
