// A detector of unordered accesses of a launch's threads to the same memory. Uses vector clocks,
// like FastTrack (Flanagan and Freund 2009) and ThreadSanitizer. Barriers order the threads of a
// block. Atomic operations order threads of different blocks, if the first thread's operation
// follows a __threadfence and the second thread's precedes one.
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
  int32_t other = 0;  // thread of that access
  bool same_block = true;
  AccessKind kind = AccessKind::kRead;
};

class RaceWatch {
 public:
  // Begins a launch and discards earlier accesses.
  void BeginLaunch();
  // Begins a block with `threads` threads.
  void BeginBlock(int32_t threads);
  // Records a barrier: orders all accesses of `threads` so far before their later accesses.
  void Barrier(std::span<const int32_t> threads);
  // Records a __threadfence.
  void Fence(int32_t thread);
  // Records an atomic operation, in addition to its access.
  void Atomic(int32_t thread);
  // Records an access by `thread` to at most one word, and returns its race, if any.
  std::optional<Race> Touched(int32_t thread, const Access& access, WatchedWords& words);

 private:
  using Clocks = std::vector<uint32_t>;
  using Touches = Touch[WatchedWord::kTouches];

  // A thread's clocks when it reached a fence.
  struct Release {
    size_t block = 0;
    std::shared_ptr<const Clocks> seen;
  };
  struct Thread {
    uint32_t clock = 0;
    std::shared_ptr<const Clocks> seen;    // clocks of other threads; shared after a barrier
    std::shared_ptr<const Clocks> fenced;  // clocks at the last fence
    size_t observed = 0;                   // releases before its last atomic operation
    size_t acquired = 0;                   // part of `observed` that a fence acquired
  };

  Thread& At(int32_t thread) { return threads_[static_cast<size_t>(thread)]; }
  bool Sees(size_t thread, const Touch& touch) const;
  bool SeesOtherBlock(const Thread& thread, const Touch& touch) const;
  // Returns the race of `touch` with one of `others`, if any. Ignores accesses before the clock
  // `begin`.
  std::optional<Race> RaceWith(const Touch& touch, const Touches& others, uint32_t begin) const;
  void Remember(const Touch& touch, Touches& others);

  uint32_t launch_begin_ = 0;           // first clock of the launch
  std::vector<uint32_t> block_begins_;  // first clocks of its blocks so far
  uint32_t latest_ = 0;                 // latest clock
  uint32_t replaced_ = 0;               // number of dropped records
  std::vector<Thread> threads_;
  std::vector<Release> releases_;
};

}  // namespace vrp::emulated
