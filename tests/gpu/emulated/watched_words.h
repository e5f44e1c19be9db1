// Records of the accesses to the words of a memory range: thread, kind and the thread's clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vrp::emulated {

enum class AccessKind : uint8_t { kRead, kWrite, kAtomic };

// An access to a word.
struct Touch {
  uint32_t clock = 0;
  uint16_t thread = 0;
  uint8_t bytes = 0;  // bit mask of the accessed bytes of the word
  AccessKind kind = AccessKind::kRead;
};

// The last writes and reads of a word. If too many threads access the word, some are dropped.
struct WatchedWord {
  static constexpr size_t kTouches = 4;  // largest number of kept writes, and of reads

  Touch writes[kTouches];
  Touch reads[kTouches];
};

// The records of a memory range. Not thread-safe.
class WatchedWords {
 public:
  static constexpr uintptr_t kWordBytes = 8;

  // Creates empty records. `is_shared` is whether the memory is shared memory, which belongs to one
  // block.
  WatchedWords(uintptr_t begin, size_t bytes, bool is_shared)
      : first_(begin / kWordBytes),
        words_((begin + bytes) / kWordBytes - first_ + 1),
        is_shared_(is_shared) {}

  bool is_shared() const { return is_shared_; }

  WatchedWord& At(uintptr_t address) { return words_[address / kWordBytes - first_]; }

 private:
  const uintptr_t first_;
  std::vector<WatchedWord> words_;
  const bool is_shared_;
};

}  // namespace vrp::emulated
