// The emulated device's memory. Its pages are accessible only while the device works, and a guard
// page follows each allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>

#include "tests/gpu/emulated/watched_words.h"

namespace vrp::emulated {

// Fills memory with words that are NaNs as floating-point numbers and negative as integers.
void Poison(std::span<uint8_t> memory);

class DeviceMemory {
 public:
  struct Allocation {
    std::span<uint8_t> pages;
    std::span<uint8_t> bytes;
    std::unique_ptr<WatchedWords> watched;
  };

  DeviceMemory();
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  // Returns a new allocation, or null if the memory is exhausted.
  void* Allocate(size_t bytes);
  // Frees the allocation that begins at `memory`. Returns false if there is none.
  bool Free(void* memory);
  // Returns the allocation that contains `address`, or null.
  Allocation* Find(uintptr_t address);
  bool Contains(const void* memory, size_t bytes);
  // Whether `address` is in the device's address range, allocated or not.
  bool IsNear(uintptr_t address) const;
  size_t used() const { return used_; }

  // A scope in which all allocations are accessible, or only the one that contains `one`.
  class Open {
   public:
    explicit Open(DeviceMemory& memory) : memory_(memory) { memory_.Protect(nullptr, true); }
    Open(DeviceMemory& memory, const void* one) : memory_(memory), one_(one) {
      memory_.Protect(one_, true);
    }
    ~Open() { memory_.Protect(one_, false); }
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;

   private:
    DeviceMemory& memory_;
    const void* const one_ = nullptr;
  };

 private:
  void Protect(const void* one, bool open);

  std::span<uint8_t> arena_;
  size_t begun_ = 0;  // bytes of the arena used so far, which are never reused
  size_t used_ = 0;   // bytes of the pages of all allocations
  std::map<uintptr_t, Allocation> allocations_;  // keyed by the end of their bytes
  Allocation* last_ = nullptr;                   // result of the last successful Find
};

}  // namespace vrp::emulated
