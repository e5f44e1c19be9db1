// Records which threads touched the words of a memory range, and the clocks of these threads at
// that time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vrp::emulated {

enum class AccessKind : uint8_t { kRead, kWrite, kAtomic };

struct Touch {
  uint32_t clock = 0;
  uint16_t thread = 0;
  uint8_t bytes = 0;  // which of the word's eight bytes, one bit each
  AccessKind kind = AccessKind::kRead;
};

// The last accesses to a word. If more threads access the word, the record keeps only some of them.
struct WatchedWord {
  static constexpr size_t kTouches = 4;

  Touch writes[kTouches];
  Touch reads[kTouches];
};

class WatchedWords {
 public:
  static constexpr uintptr_t kWordBytes = 8;

  // Creates empty records. `of_block` marks shared memory, which belongs to one block.
  WatchedWords(uintptr_t begin, size_t bytes, bool of_block)
      : first_(begin / kWordBytes),
        words_((begin + bytes) / kWordBytes - first_ + 1),
        of_block_(of_block) {}

  bool of_block() const { return of_block_; }

  WatchedWord& At(uintptr_t address) { return words_[address / kWordBytes - first_]; }

 private:
  const uintptr_t first_;
  std::vector<WatchedWord> words_;
  const bool of_block_;
};

}  // namespace vrp::emulated
