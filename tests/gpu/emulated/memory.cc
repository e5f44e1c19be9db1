#include "tests/gpu/emulated/memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

namespace vrp::emulated {
namespace {

constexpr size_t kPageBytes = 4096;
// Alignment of allocations in bytes: that of our strictest type. CUDA's alignment is larger.
constexpr size_t kAlignment = 16;
constexpr size_t kArenaBytes = size_t{1} << 36;  // reserved address space

size_t RoundedUp(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

void ProtectPages(std::span<uint8_t> pages, bool open) {
  if (mprotect(pages.data(), pages.size(), open ? PROT_READ | PROT_WRITE : PROT_NONE) != 0) {
    std::abort();
  }
}

}  // namespace

void Poison(std::span<uint8_t> memory) {
  constexpr uint32_t kWord = 0xFFF5A5A5;
  for (size_t i = 0; i < memory.size(); ++i) {
    memory[i] = static_cast<uint8_t>(kWord >> (i % sizeof(kWord) * 8));
  }
}

DeviceMemory::DeviceMemory() {
  void* const arena =
      mmap(nullptr, kArenaBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (arena == MAP_FAILED) std::abort();
  arena_ = {static_cast<uint8_t*>(arena), kArenaBytes};
}

DeviceMemory::~DeviceMemory() { munmap(arena_.data(), arena_.size()); }

void* DeviceMemory::Allocate(size_t bytes) {
  const size_t padded = RoundedUp(bytes, kAlignment);
  const size_t pages = RoundedUp(padded, kPageBytes);
  if (begun_ + pages + kPageBytes > arena_.size()) return nullptr;
  Allocation allocation = {.pages = arena_.subspan(begun_, pages), .bytes = {}, .watched = nullptr};
  allocation.bytes = allocation.pages.subspan(pages - padded, bytes);
  ProtectPages(allocation.pages, true);
  Poison(allocation.pages);
  ProtectPages(allocation.pages, false);
  begun_ += pages + kPageBytes;
  used_ += pages;
  uint8_t* const memory = allocation.bytes.data();
  const auto end = reinterpret_cast<uintptr_t>(memory) + bytes;
  allocations_.emplace(end, std::move(allocation));
  last_ = nullptr;
  return memory;
}

bool DeviceMemory::Free(void* memory) {
  const auto found = allocations_.upper_bound(reinterpret_cast<uintptr_t>(memory));
  if (found == allocations_.end() || found->second.bytes.data() != memory) return false;
  const std::span<uint8_t> pages = found->second.pages;
  madvise(pages.data(), pages.size(), MADV_DONTNEED);
  used_ -= pages.size();
  allocations_.erase(found);
  last_ = nullptr;
  return true;
}

DeviceMemory::Allocation* DeviceMemory::Find(uintptr_t address) {
  const auto holds = [address](const Allocation& allocation) {
    return address - reinterpret_cast<uintptr_t>(allocation.bytes.data()) < allocation.bytes.size();
  };
  if (last_ != nullptr && holds(*last_)) return last_;
  const auto found = allocations_.upper_bound(address);
  if (found == allocations_.end() || !holds(found->second)) return nullptr;
  return last_ = &found->second;
}

bool DeviceMemory::Contains(const void* memory, size_t bytes) {
  const auto address = reinterpret_cast<uintptr_t>(memory);
  const Allocation* const allocation = Find(address);
  return allocation != nullptr &&
         address + bytes <=
             reinterpret_cast<uintptr_t>(allocation->bytes.data()) + allocation->bytes.size();
}

bool DeviceMemory::IsNear(uintptr_t address) const {
  return address - reinterpret_cast<uintptr_t>(arena_.data()) < arena_.size();
}

void DeviceMemory::Protect(const void* one, bool open) {
  if (one != nullptr) {
    if (const Allocation* const allocation = Find(reinterpret_cast<uintptr_t>(one));
        allocation != nullptr) {
      ProtectPages(allocation->pages, open);
    }
    return;
  }
  for (const auto& [unused, allocation] : allocations_) ProtectPages(allocation.pages, open);
}

}  // namespace vrp::emulated
