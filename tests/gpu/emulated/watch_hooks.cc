// Defines the hooks that -fsanitize=thread calls before each memory access. They replace
// ThreadSanitizer, which is not linked. They ignore accesses outside of kernels' threads.
#include <cstdint>

#include "tests/gpu/emulated/block.h"
#include "tests/gpu/emulated/emulated_device.h"

using vrp::emulated::AccessKind;
using vrp::emulated::Block;

namespace {

void Touch(const void* at, int64_t bytes, AccessKind kind, const void* code) {
  if (Block* const block = Block::Running(); block != nullptr) {
    block->Touch({reinterpret_cast<uintptr_t>(at), bytes, kind}, code);
  }
}

}  // namespace

bool vrp::emulated::WatchesAccesses() { return true; }

extern "C" {
void __tsan_init() {}
void __tsan_read1(void* at) { Touch(at, 1, AccessKind::kRead, __builtin_return_address(0)); }
void __tsan_read2(void* at) { Touch(at, 2, AccessKind::kRead, __builtin_return_address(0)); }
void __tsan_read4(void* at) { Touch(at, 4, AccessKind::kRead, __builtin_return_address(0)); }
void __tsan_read8(void* at) { Touch(at, 8, AccessKind::kRead, __builtin_return_address(0)); }
void __tsan_read16(void* at) { Touch(at, 16, AccessKind::kRead, __builtin_return_address(0)); }
void __tsan_write1(void* at) { Touch(at, 1, AccessKind::kWrite, __builtin_return_address(0)); }
void __tsan_write2(void* at) { Touch(at, 2, AccessKind::kWrite, __builtin_return_address(0)); }
void __tsan_write4(void* at) { Touch(at, 4, AccessKind::kWrite, __builtin_return_address(0)); }
void __tsan_write8(void* at) { Touch(at, 8, AccessKind::kWrite, __builtin_return_address(0)); }
void __tsan_write16(void* at) { Touch(at, 16, AccessKind::kWrite, __builtin_return_address(0)); }
void __tsan_read_range(void* at, uint64_t bytes) {
  Touch(at, static_cast<int64_t>(bytes), AccessKind::kRead, __builtin_return_address(0));
}
void __tsan_write_range(void* at, uint64_t bytes) {
  Touch(at, static_cast<int64_t>(bytes), AccessKind::kWrite, __builtin_return_address(0));
}
}
