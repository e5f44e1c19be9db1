// Runs one block of a kernel: chooses the next thread to run, and synchronises the threads at
// barriers and warp calls.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tests/gpu/emulated/block_watch.h"
#include "tests/gpu/emulated/emulated_intrinsics.h"
#include "tests/gpu/emulated/fault.h"
#include "tests/gpu/emulated/fiber.h"

namespace vrp::emulated {

// Parameters shared by all blocks of a launch.
struct BlockRequest {
  std::function<void()> thread;
  dim3 grid, block;
  uint8_t* shared = nullptr;

  int32_t threads() const { return static_cast<int32_t>(block.x * block.y * block.z); }
};

// A running block. Only one block exists in the process at a time.
class Block {
 public:
  // Prepares a block. `stacks` must have at least one stack per thread.
  Block(const BlockRequest& request, uint64_t seed, std::span<const FiberStack> stacks,
        BlockWatch& watch);
  // Runs all threads to their end, or until the first fault.
  std::optional<Fault> Run(uint3 block_index);

  // Returns the block whose thread executes its kernel, or null.
  static Block* Running();
  // The running thread calls the following functions.
  uint8_t* shared() const { return request_.shared; }
  void MeetBarrier(int32_t number, int32_t threads, uint32_t line);
  uint64_t MeetWarp(WarpCall call, uint32_t mask, uint64_t value, int32_t other);
  void MeetProduct(const uint32_t (&a)[4], const uint32_t (&b)[2], float (&sum)[4]);
  // Ends the thread's turn and records an atomic operation. Must be called before the operation.
  void BeginAtomic(uintptr_t address, int32_t bytes);
  // Records an access by the instruction before `code`.
  void Touch(const Access& access, const void* code);
  // Records a __threadfence.
  void Fence();

 private:
  // Values that must be equal for all threads of a barrier or warp call.
  struct Terms {
    WarpCall call = WarpCall::kSync;
    uint32_t mask = 0;
    int32_t threads = 0;
    uint32_t line = 0;  // of a __syncthreads
    bool operator==(const Terms&) const = default;
  };
  // A barrier or warp call, with the threads that wait in it.
  struct Meeting {
    Terms terms;
    std::vector<int32_t> arrived;
  };
  struct Thread {
    Fiber fiber;
    bool ended = false;
    const Meeting* at = nullptr;     // call in which the thread waits
    uint64_t value = 0;              // argument of a warp's call, then its result
    int32_t other = 0;               // XOR of the lanes that a shuffle exchanges
    std::array<float, 4> left = {};  // elements of a product, as AddProductTf32 distributes them
    std::array<float, 2> right = {};
    std::array<float, 4> sum = {};
  };

  static void Enter();
  std::string Name(int32_t thread) const;
  std::string Name(const Meeting& meeting) const;
  uint64_t Draw();
  void RunNextThread();
  // Ends the running thread's turn. The next turn may be the same thread's.
  void EndTurn();
  // Suspends the running thread until another one wakes it.
  void Suspend();
  [[noreturn]] void Fail(cudaError_t error, const std::string& action);
  Fault Deadlock() const;
  // Waits until all threads of the barrier or warp call have arrived. The last one calls `met`.
  template <typename Met>
  void Meet(Meeting& meeting, const Terms& terms, const Met& met);
  void Exchange(const Meeting& meeting);
  void AddProduct(int32_t first);
  void Watch(const Access& access, const void* code);
  Thread& At(int32_t thread) { return threads_[static_cast<size_t>(thread)]; }

  const BlockRequest& request_;
  uint64_t random_;
  const std::span<const FiberStack> stacks_;
  BlockWatch& watch_;
  uint3 block_index_;
  Fiber scheduler_;
  std::vector<Thread> threads_;
  std::vector<int32_t> ready_;
  std::array<Meeting, 16> barriers_;
  std::vector<Meeting> warps_;
  int32_t current_ = 0;  // running thread
  int32_t turn_ = 0;     // remaining accesses of the running thread's turn
  std::optional<Fault> fault_;
};

}  // namespace vrp::emulated
