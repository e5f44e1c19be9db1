// Detects unordered accesses of a launch's threads to the same memory by vector clocks (like
// FastTrack, Flanagan and Freund 2009, and ThreadSanitizer). Threads of a block are ordered by
// their meetings. Threads of different blocks are ordered by an atomic operation of each, behind a
// __threadfence in the first and before one in the second.
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

// An earlier access that conflicts.
struct Race {
  int32_t other = 0;  // the thread that made it
  bool same_block = true;
  AccessKind kind = AccessKind::kRead;
};

class RaceWatch {
 public:
  // Begins a launch and forgets earlier accesses.
  void BeginLaunch();
  // Begins a block with that many threads.
  void BeginBlock(int32_t threads);
  // Orders everything that `threads` did so far before their later accesses.
  void Meet(std::span<const int32_t> threads);
  void Fence(int32_t thread);
  // Records an atomic operation, besides its access.
  void Atomic(int32_t thread);
  // Records an access by `thread` to at most one word, and returns its race, if any.
  std::optional<Race> Touched(int32_t thread, const Access& access, WatchedWords& words);

 private:
  using Clocks = std::vector<uint32_t>;
  using Touches = Touch[WatchedWord::kTouches];

  // A thread's clocks when it came to a fence.
  struct Release {
    size_t block = 0;
    std::shared_ptr<const Clocks> seen;
  };
  struct Thread {
    uint32_t clock = 0;
    std::shared_ptr<const Clocks> seen;    // of the others; shared by threads that met last
    std::shared_ptr<const Clocks> fenced;  // clocks at the last fence
    size_t met = 0;                        // releases before its last atomic operation
    size_t acquired = 0;                   // of these, acquired by a fence
  };

  Thread& At(int32_t thread) { return threads_[static_cast<size_t>(thread)]; }
  bool Sees(size_t thread, const Touch& touch) const;
  bool SeesOtherBlock(const Thread& thread, const Touch& touch) const;
  // `begin`: the first clock that counts.
  std::optional<Race> RaceWith(const Touch& touch, const Touches& others, uint32_t begin) const;
  void Remember(const Touch& touch, Touches& others);

  uint32_t launch_begin_ = 0;           // first clock of the launch
  std::vector<uint32_t> block_begins_;  // first clocks of its blocks so far
  uint32_t latest_ = 0;                 // latest clock
  uint32_t replaced_ = 0;               // records that had to be dropped
  std::vector<Thread> threads_;
  std::vector<Release> releases_;
};

}  // namespace vrp::emulated
