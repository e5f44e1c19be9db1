// The emulated device's memory: what is allocated lies in pages that can be touched only while the
// device works, each allocation with its end at a guard page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>

#include "tests/gpu/emulated/watched_words.h"

namespace vrp::emulated {

// Fills with what is NaN as float and double, and no count as an int.
void Poison(std::span<uint8_t> memory);

class DeviceMemory {
 public:
  struct Piece {
    std::span<uint8_t> pages;
    std::span<uint8_t> bytes;
    std::unique_ptr<WatchedWords> watched;
  };

  DeviceMemory();
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  // Null: there is no more.
  void* Allocate(size_t bytes);
  // False: nothing begins there.
  bool Free(void* memory);
  // Where `address` lies in an allocation; null: in none.
  Piece* Find(uintptr_t address);
  bool Contains(const void* memory, size_t bytes);
  // Whether the device's addresses have it, allocated or not.
  bool IsNear(uintptr_t address) const;
  size_t used() const { return used_; }

  // Pages can be touched while it lives: those of an address, or all.
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
  size_t begun_ = 0;  // bytes of the arena that were in use ever: none is used again
  size_t used_ = 0;
  std::map<uintptr_t, Piece> pieces_;  // by the end of their bytes
  Piece* last_ = nullptr;              // found
};

}  // namespace vrp::emulated
