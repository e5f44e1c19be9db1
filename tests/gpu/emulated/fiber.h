// Provides fibers, among which one CPU thread switches. Does not use ucontext, which makes a system
// call at each switch, because a kernel has millions of switches. Works only on x86-64.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vrp::emulated {

// A fiber's stack, with a guard page below.
class FiberStack {
 public:
  FiberStack();
  FiberStack(FiberStack&& other) noexcept;
  FiberStack& operator=(FiberStack&&) = delete;
  ~FiberStack();

  uint8_t* begin() const { return memory_ + kGuardBytes; }
  uint8_t* end() const { return memory_ + kGuardBytes + kStackBytes; }
  bool Contains(uintptr_t address) const {
    return address - reinterpret_cast<uintptr_t>(begin()) < kStackBytes;
  }

 private:
  static constexpr size_t kGuardBytes = 4096;
  static constexpr size_t kStackBytes = size_t{256} << 10;

  uint8_t* memory_;
};

// A suspended flow of control.
class Fiber {
 public:
  // Creates a fiber for the calling flow of control.
  Fiber() = default;
  // Creates a fiber that starts at `entry`, which must not return. Discards the stack's old
  // content.
  Fiber(const FiberStack& stack, void (*entry)());

  // Continues `to` until a fiber switches back to this one, which must be running.
  void SwitchTo(Fiber& to);
  // Completes a switch. `entry` must call this first.
  static void Entered();

 private:
  void* top_ = nullptr;
  // Only the address sanitizer uses the following members.
  void* fake_stack_ = nullptr;
  const void* bottom_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace vrp::emulated
