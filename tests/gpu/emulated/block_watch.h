// Checks the memory accesses of a block.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tests/gpu/emulated/fault.h"
#include "tests/gpu/emulated/memory.h"
#include "tests/gpu/emulated/race_watch.h"

namespace vrp::emulated {

// An invalid access of a thread.
struct WatchFault {
  cudaError_t error = cudaErrorLaunchFailure;
  std::string action;
  std::optional<Race> race;
};

// The checks of one block's accesses.
class BlockWatch {
 public:
  struct Regions {
    std::span<const uint8_t> constants;  // read-only, like the program's own memory
    std::span<const uint8_t> dynamic_shared;
    std::span<const uint8_t> static_shared;
  };

  // Creates the checks of a block. All launches share `races`, because records of touched words
  // stay in the memory.
  BlockWatch(DeviceMemory& memory, RaceWatch& races, const Regions& regions);

  RaceWatch& races() { return races_; }
  // Checks an access by `thread` outside of the thread's stack.
  std::optional<WatchFault> Touched(int32_t thread, const Access& access);

 private:
  struct Shared {
    explicit Shared(std::span<const uint8_t> memory);
    std::span<const uint8_t> bytes;
    WatchedWords words;
  };

  // Returns the records of the memory at `address`, or null if it is not writable memory.
  WatchedWords* Find(uintptr_t address);
  // Checks an access to bytes of one word.
  std::optional<WatchFault> TouchedWord(int32_t thread, const Access& access);
  WatchFault InvalidAccess(const Access& access) const;

  DeviceMemory& memory_;
  const std::span<const uint8_t> constants_;
  Shared dynamic_;
  Shared static_;
  RaceWatch& races_;
};

}  // namespace vrp::emulated
