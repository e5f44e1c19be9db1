#include "tests/gpu/emulated/block_watch.h"

#include <algorithm>

// The program's own memory, delimited by the linker.
extern "C" const char __executable_start;
extern "C" const char end;

namespace vrp::emulated {
namespace {

bool Holds(std::span<const uint8_t> memory, uintptr_t address) {
  return address - reinterpret_cast<uintptr_t>(memory.data()) < memory.size();
}

bool IsProgram(uintptr_t address) {
  return address >= reinterpret_cast<uintptr_t>(&__executable_start) &&
         address < reinterpret_cast<uintptr_t>(&end);
}

const char* VerbOf(AccessKind kind) {
  switch (kind) {
    case AccessKind::kRead:
      return "reads";
    case AccessKind::kWrite:
      return "writes";
    case AccessKind::kAtomic:
      return "adds to";
  }
  return "";
}

}  // namespace

BlockWatch::Shared::Shared(std::span<const uint8_t> memory)
    : bytes(memory), words(reinterpret_cast<uintptr_t>(memory.data()), memory.size(), true) {}

BlockWatch::BlockWatch(DeviceMemory& memory, RaceWatch& races, const Regions& regions)
    : memory_(memory),
      constants_(regions.constants),
      dynamic_(regions.dynamic_shared),
      static_(regions.static_shared),
      races_(races) {}

WatchedWords* BlockWatch::Find(uintptr_t address) {
  if (Holds(dynamic_.bytes, address)) return &dynamic_.words;
  if (Holds(static_.bytes, address)) return &static_.words;
  DeviceMemory::Allocation* const allocation = memory_.Find(address);
  if (allocation == nullptr) return nullptr;
  if (allocation->watched == nullptr) {
    const auto begin = reinterpret_cast<uintptr_t>(allocation->bytes.data());
    allocation->watched = std::make_unique<WatchedWords>(begin, allocation->bytes.size(), false);
  }
  return allocation->watched.get();
}

WatchFault BlockWatch::InvalidAccess(const Access& access) const {
  const char* const what =
      memory_.IsNear(access.address) ? "outside of allocations" : "outside of the device's memory";
  return {.error = cudaErrorIllegalAddress,
          .action = std::string(VerbOf(access.kind)) + " " + std::to_string(access.bytes) +
                    " bytes " + what,
          .race = {}};
}

std::optional<WatchFault> BlockWatch::TouchedWord(int32_t thread, const Access& access) {
  WatchedWords* const words = Find(access.address);
  if (words == nullptr) {
    const bool reads = access.kind == AccessKind::kRead;
    if (reads && (Holds(constants_, access.address) || IsProgram(access.address))) return {};
    return InvalidAccess(access);
  }
  // The last byte may be beyond the memory's end.
  if (access.bytes > 1 &&
      Find(access.address + static_cast<uintptr_t>(access.bytes) - 1) != words) {
    return InvalidAccess(access);
  }
  const auto race = races_.Touched(thread, access, *words);
  if (!race.has_value()) return {};
  return WatchFault{.error = cudaErrorLaunchFailure,
                    .action = std::string(VerbOf(access.kind)) +
                              " memory without a barrier since another thread " +
                              VerbOf(race->kind) + " it:",
                    .race = race};
}

std::optional<WatchFault> BlockWatch::Touched(int32_t thread, const Access& access) {
  Access part = access;
  for (int64_t left = access.bytes; left > 0; left -= part.bytes) {
    const auto in_word = WatchedWords::kWordBytes - part.address % WatchedWords::kWordBytes;
    part.bytes = std::min(left, static_cast<int64_t>(in_word));
    if (auto fault = TouchedWord(thread, part); fault.has_value()) return fault;
    part.address += static_cast<uintptr_t>(part.bytes);
  }
  return {};
}

}  // namespace vrp::emulated
