// One block of a kernel: its threads, which of them goes on, and where they meet.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tests/gpu/emulated/block_watch.h"
#include "tests/gpu/emulated/fault.h"
#include "tests/gpu/emulated/fiber.h"
#include "tests/gpu/emulated/kernel_words.h"

namespace vrp::emulated {

// What all blocks of a launch have in common.
struct BlockRequest {
  std::function<void()> thread;
  dim3 grid, block;
  uint8_t* shared = nullptr;

  int32_t threads() const { return static_cast<int32_t>(block.x * block.y * block.z); }
};

// One at a time in the process.
class Block {
 public:
  // `stacks`: one for each thread at least.
  Block(const BlockRequest& request, uint64_t seed, std::span<const FiberStack> stacks,
        BlockWatch& watch);
  // Returns when all threads have ended, or one has made a fault.
  std::optional<Fault> Run(uint3 place);

  // The block that runs, while a thread of it does what its kernel says; otherwise null.
  static Block* Running();
  // What follows is for that thread.
  uint8_t* shared() const { return request_.shared; }
  void MeetBarrier(int32_t number, int32_t threads);
  uint64_t MeetWarp(WarpCall call, uint32_t mask, uint64_t value, int32_t other);
  // Before an atomic operation.
  void BeginAtomic(uintptr_t address, int32_t bytes);
  // By the instruction before `code`.
  void Touch(const Access& access, const void* code);
  void Fence();

 private:
  // What all who meet must have said alike.
  struct Terms {
    WarpCall call = WarpCall::kSync;
    uint32_t mask = 0;
    int32_t threads = 0;
    bool operator==(const Terms&) const = default;
  };
  struct Meeting {
    Terms terms;
    std::vector<int32_t> come;
  };
  struct Thread {
    Fiber fiber;
    bool ended = false;
    const Meeting* at = nullptr;  // where it waits
    uint64_t value = 0;           // given to a warp's call, then what that gives
    int32_t other = 0;
  };

  static void Enter();
  std::string Name(int32_t thread) const;
  std::string Name(const Meeting& meeting) const;
  uint64_t Draw();
  void GoOn();
  // Of the thread that runs: any can go on, this one too.
  void EndTurn();
  // Of the thread that runs, until someone makes it ready.
  void GiveWay();
  [[noreturn]] void Fail(cudaError_t error, const std::string& did);
  Fault NobodyGoesOn() const;
  // Returns when all are there. `met` is called by the last one.
  template <typename Met>
  void Meet(Meeting& meeting, const Terms& terms, const Met& met);
  void Exchange(const Meeting& meeting);
  void Watch(const Access& access, const void* code);
  Thread& At(int32_t thread) { return threads_[static_cast<size_t>(thread)]; }

  const BlockRequest& request_;
  uint64_t random_;
  const std::span<const FiberStack> stacks_;
  BlockWatch& watch_;
  uint3 place_;
  Fiber scheduler_;
  std::vector<Thread> threads_;
  std::vector<int32_t> ready_;
  std::array<Meeting, 16> barriers_;
  std::vector<Meeting> warps_;
  int32_t now_ = 0;   // the thread that runs
  int32_t turn_ = 0;  // accesses that it has left
  std::optional<Fault> fault_;
};

}  // namespace vrp::emulated
