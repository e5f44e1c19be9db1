// What a block's threads may touch, and when.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tests/gpu/emulated/fault.h"
#include "tests/gpu/emulated/memory.h"
#include "tests/gpu/emulated/race_watch.h"

namespace vrp::emulated {

// What a thread did that it must not.
struct WatchFault {
  cudaError_t error = cudaErrorLaunchFailure;
  std::string did;
  std::optional<Race> race;
};

class BlockWatch {
 public:
  struct Places {
    std::span<const uint8_t> constants;  // read only, as the program's own memory is
    std::span<const uint8_t> dynamic_shared;
    std::span<const uint8_t> static_shared;
  };

  // All launches have the same `races`, for what they touched stays in the memory.
  BlockWatch(DeviceMemory& memory, RaceWatch& races, const Places& places);

  RaceWatch& races() { return races_; }
  // By `thread`, not to its own stack.
  std::optional<WatchFault> Touched(int32_t thread, const Access& access);

 private:
  struct Shared {
    explicit Shared(std::span<const uint8_t> memory);
    std::span<const uint8_t> bytes;
    WatchedWords words;
  };

  // Null: none that is written lies there.
  WatchedWords* Find(uintptr_t address);
  // Of bytes of one word.
  std::optional<WatchFault> TouchedWord(int32_t thread, const Access& access);
  WatchFault OutOfPlace(const Access& access) const;

  DeviceMemory& memory_;
  const std::span<const uint8_t> constants_;
  Shared dynamic_;
  Shared static_;
  RaceWatch& races_;
};

}  // namespace vrp::emulated
