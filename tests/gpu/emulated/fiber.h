// Fibers that one CPU thread switches between. ucontext makes a system call at each switch, of
// which a kernel has millions. x86-64 only.
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

// A suspended flow of control.
class Fiber {
 public:
  // Represents the calling flow.
  Fiber() = default;
  // Starts at `entry`, which must not return. Discards the stack's old content.
  Fiber(const FiberStack& stack, void (*entry)());

  // Continues `to` until something switches back to this fiber, which is the running one.
  void SwitchTo(Fiber& to);
  // Must be called first in `entry`.
  static void Entered();

 private:
  void* top_ = nullptr;
  // Used by the address sanitizer.
  void* fake_stack_ = nullptr;
  const void* bottom_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace vrp::emulated
