#include "tests/gpu/emulated/fiber.h"

#include <sys/mman.h>

#include <cstdlib>
#include <utility>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

// Saves the callee-saved state in `from` and continues where `to` was saved.
extern "C" void vrp_switch_stack(void** from, void* to);
asm(R"(
.text
.globl vrp_switch_stack
.type vrp_switch_stack, @function
vrp_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size vrp_switch_stack, .-vrp_switch_stack
)");

namespace vrp::emulated {
namespace {

constexpr size_t kSavedRegisters = 6;

// The fiber that switched to the running one.
Fiber* came_from = nullptr;

}  // namespace

FiberStack::FiberStack()
    : memory_(static_cast<uint8_t*>(mmap(nullptr, kGuardBytes + kStackBytes, PROT_READ | PROT_WRITE,
                                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {
  if (memory_ == MAP_FAILED || mprotect(memory_, kGuardBytes, PROT_NONE) != 0) std::abort();
}

FiberStack::FiberStack(FiberStack&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)) {}

FiberStack::~FiberStack() {
  if (memory_ != nullptr) munmap(memory_, kGuardBytes + kStackBytes);
}

Fiber::Fiber(const FiberStack& stack, void (*entry)())
    : bottom_(stack.begin()), bytes_(static_cast<size_t>(stack.end() - stack.begin())) {
#ifdef __SANITIZE_ADDRESS__
  ASAN_UNPOISON_MEMORY_REGION(stack.begin(), bytes_);
#endif
  // Prepares the stack as if `entry` had been called with a null return address.
  void** top = reinterpret_cast<void**>(stack.end());
  *--top = nullptr;
  *--top = reinterpret_cast<void*>(entry);
  for (size_t i = 0; i < kSavedRegisters; ++i) *--top = nullptr;
  top_ = top;
}

void Fiber::SwitchTo(Fiber& to) {
  came_from = this;
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(&fake_stack_, to.bottom_, to.bytes_);
#endif
  vrp_switch_stack(&top_, to.top_);
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(fake_stack_, &came_from->bottom_, &came_from->bytes_);
#endif
}

void Fiber::Entered() {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(nullptr, &came_from->bottom_, &came_from->bytes_);
#endif
}

}  // namespace vrp::emulated
