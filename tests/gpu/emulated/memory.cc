#include "tests/gpu/emulated/memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

namespace vrp::emulated {
namespace {

constexpr size_t kPage = 4096;
// Alignment of allocations in bytes: the strictest of our types. CUDA's is larger.
constexpr size_t kAlignment = 16;
constexpr size_t kArenaBytes = size_t{1} << 36;

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
  const size_t pages = RoundedUp(padded, kPage);
  if (begun_ + pages + kPage > arena_.size()) return nullptr;
  Piece piece = {.pages = arena_.subspan(begun_, pages), .bytes = {}, .watched = nullptr};
  piece.bytes = piece.pages.subspan(pages - padded, bytes);
  ProtectPages(piece.pages, true);
  Poison(piece.pages);
  ProtectPages(piece.pages, false);
  begun_ += pages + kPage;
  used_ += pages;
  uint8_t* const memory = piece.bytes.data();
  const auto end = reinterpret_cast<uintptr_t>(memory) + bytes;
  pieces_.emplace(end, std::move(piece));
  last_ = nullptr;
  return memory;
}

bool DeviceMemory::Free(void* memory) {
  const auto found = pieces_.upper_bound(reinterpret_cast<uintptr_t>(memory));
  if (found == pieces_.end() || found->second.bytes.data() != memory) return false;
  const std::span<uint8_t> pages = found->second.pages;
  madvise(pages.data(), pages.size(), MADV_DONTNEED);
  used_ -= pages.size();
  pieces_.erase(found);
  last_ = nullptr;
  return true;
}

DeviceMemory::Piece* DeviceMemory::Find(uintptr_t address) {
  const auto holds = [address](const Piece& piece) {
    return address - reinterpret_cast<uintptr_t>(piece.bytes.data()) < piece.bytes.size();
  };
  if (last_ != nullptr && holds(*last_)) return last_;
  const auto found = pieces_.upper_bound(address);
  if (found == pieces_.end() || !holds(found->second)) return nullptr;
  return last_ = &found->second;
}

bool DeviceMemory::Contains(const void* memory, size_t bytes) {
  const auto address = reinterpret_cast<uintptr_t>(memory);
  const Piece* const piece = Find(address);
  return piece != nullptr &&
         address + bytes <= reinterpret_cast<uintptr_t>(piece->bytes.data()) + piece->bytes.size();
}

bool DeviceMemory::IsNear(uintptr_t address) const {
  return address - reinterpret_cast<uintptr_t>(arena_.data()) < arena_.size();
}

void DeviceMemory::Protect(const void* one, bool open) {
  if (one != nullptr) {
    if (const Piece* const piece = Find(reinterpret_cast<uintptr_t>(one)); piece != nullptr) {
      ProtectPages(piece->pages, open);
    }
    return;
  }
  for (const auto& [unused, piece] : pieces_) ProtectPages(piece.pages, open);
}

}  // namespace vrp::emulated
