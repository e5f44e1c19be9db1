// Finds accesses of a launch's threads to the same memory that nothing orders, by vector clocks (as
// FastTrack, Flanagan and Freund 2009, and ThreadSanitizer do). Threads of a block are ordered by
// where they meet; those of different blocks by an atomic operation of each, the one behind a
// __threadfence, the other before one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tests/gpu/emulated/watched_words.h"

namespace vrp::emulated {

struct Access {
  uintptr_t address = 0;
  int64_t bytes = 0;
  AccessKind kind = AccessKind::kRead;
};

// With what was done before.
struct Race {
  int32_t other = 0;  // thread that did it
  bool same_block = true;
  AccessKind kind = AccessKind::kRead;
};

class RaceWatch {
 public:
  // A launch begins; what was touched before it is forgotten.
  void BeginLaunch();
  // A block of so many threads begins.
  void BeginBlock(int32_t threads);
  // What `threads` did is seen by all of them from now on.
  void Meet(std::span<const int32_t> threads);
  void Fence(int32_t thread);
  // Of an atomic operation, which is touched too.
  void Atomic(int32_t thread);
  // By `thread`, one word at most; the race that it makes, if any.
  std::optional<Race> Touched(int32_t thread, const Access& access, WatchedWords& words);

 private:
  using Clocks = std::vector<uint32_t>;
  using Touches = Touch[WatchedWord::kTouches];

  // What a thread had seen, its own too, when it came to a fence.
  struct Release {
    size_t block = 0;
    std::shared_ptr<const Clocks> seen;
  };
  struct Thread {
    uint32_t clock = 0;
    std::shared_ptr<const Clocks> seen;    // of the others; who met last have it in common
    std::shared_ptr<const Clocks> fenced;  // at the last fence
    size_t met = 0;                        // releases before its last atomic operation
    size_t acquired = 0;                   // of these what a fence has come behind
  };

  Thread& At(int32_t thread) { return threads_[static_cast<size_t>(thread)]; }
  bool Sees(size_t thread, const Touch& touch) const;
  bool SeesOtherBlock(const Thread& thread, const Touch& touch) const;
  // `begin`: the first clock that counts.
  std::optional<Race> RaceWith(const Touch& touch, const Touches& others, uint32_t begin) const;
  void Remember(const Touch& touch, Touches& others);

  uint32_t launch_begin_ = 0;           // the launch's first clock
  std::vector<uint32_t> block_begins_;  // of its blocks until now
  uint32_t latest_ = 0;                 // clock
  uint32_t replaced_ = 0;               // touches that had to go
  std::vector<Thread> threads_;
  std::vector<Release> releases_;
};

}  // namespace vrp::emulated
