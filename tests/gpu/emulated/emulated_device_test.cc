// Tests that the emulated device runs correct kernels and reports errors.
#include "tests/gpu/emulated/emulated_device.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/gpu/device_buffer.h"
#include "tests/gpu/emulated/tiny_kernels.h"

namespace vrp::emulated {
namespace {

using test::Buffer;
using testing::HasSubstr;

constexpr int32_t kThreads = 128;

std::vector<int32_t> Numbers(int32_t count) {
  std::vector<int32_t> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// Runs a kernel on the values 0 .. 127 and returns the results.
std::vector<int32_t> RunTrick(Trick trick, const DeviceOptions& options,
                              const TinyShape& shape = {}) {
  ResetDevice(options);
  Buffer<int32_t> values(Numbers(kThreads));
  EXPECT_EQ(LaunchTiny({trick, values.data(true), kThreads}, shape), cudaSuccess);
  return values.Download();
}

// Returns the fault of a failing kernel.
std::string FaultOf(Trick trick, const TinyShape& shape = {}) {
  ResetDevice({});
  Buffer<int32_t> values(Numbers(kThreads));
  EXPECT_NE(LaunchTiny({trick, values.data(true), kThreads}, shape), cudaSuccess);
  const std::string fault = LastFault();
  ResetDevice({});
  return fault;
}

TEST(EmulatedDeviceTest, RunsAKernelInAnyOrderOfItsThreads) {
  std::vector<int32_t> reversed = Numbers(kThreads);
  std::reverse(reversed.begin(), reversed.end());
  std::vector<int32_t> by_warp = Numbers(kThreads);
  for (auto warp = by_warp.begin(); warp != by_warp.end(); warp += 32)
    std::reverse(warp, warp + 32);
  std::vector<int32_t> by_slice = Numbers(kThreads);
  for (auto row = by_slice.begin(); row != by_slice.end(); row += 64) std::reverse(row, row + 64);
  for (uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(RunTrick(Trick::kReverseByBlock, {.seed = seed}), reversed);
    EXPECT_EQ(RunTrick(Trick::kReverseByWarp, {.seed = seed}), by_warp);
    EXPECT_EQ(RunTrick(Trick::kReverseBySlice, {.seed = seed}, {.threads = dim3(64, 2)}), by_slice);
  }
}

TEST(EmulatedDeviceTest, AddsAtomicallyFromAllBlocks) {
  EXPECT_EQ(RunTrick(Trick::kAddToOne, {}, {.blocks = 5})[0], 5 * kThreads);
}

TEST(EmulatedDeviceTest, MakesOtherBlocksWritesVisibleByFences) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    const std::vector<int32_t> values = RunTrick(Trick::kSumByLast, {.seed = seed}, {.blocks = 5});
    EXPECT_EQ(values[9], 15);
    EXPECT_EQ(values[0], 0);
  }
}

TEST(EmulatedDeviceTest, ReportsWaitingThreadsOfADeadlock) {
  EXPECT_EQ(
      FaultOf(Trick::kHalfBarrier),
      "block 0: deadlock: 64 threads from thread (0, 0) on wait in barrier 0 for 128 threads; "
      "64 threads have ended");
  EXPECT_THAT(
      FaultOf(Trick::kHalfShuffle, {.threads = dim3(32)}),
      HasSubstr("16 threads from thread (0, 0) on wait in __shfl_xor_sync; 16 threads have ended"));
}

TEST(EmulatedDeviceTest, ReportsDifferentArgumentsOfMeetingThreads) {
  EXPECT_THAT(FaultOf(Trick::kMixedCalls), HasSubstr("waits in"));
  EXPECT_THAT(FaultOf(Trick::kTwoCounts, {.threads = dim3(64)}), HasSubstr("waits in barrier 1"));
}

TEST(EmulatedDeviceTest, LetsWarpsMeetFromDifferentPlacesOnlyAtNamedBarriers) {
  EXPECT_THAT(FaultOf(Trick::kTwoPlaces, {.threads = dim3(64)}),
              HasSubstr("waits in barrier 0 for 64 threads of line"));
  EXPECT_EQ(RunTrick(Trick::kTwoNamedPlaces, {}, {.threads = dim3(64)}), Numbers(kThreads));
}

TEST(EmulatedDeviceTest, ReportsRacesWithoutABarrier) {
  if (!WatchesAccesses()) GTEST_SKIP() << "a sanitizer uses the compiler's hooks";
  EXPECT_THAT(FaultOf(Trick::kNoBarrier), HasSubstr("without a barrier"));
  EXPECT_THAT(FaultOf(Trick::kNoSyncWarp), HasSubstr("without a barrier"));
  EXPECT_THAT(FaultOf(Trick::kNoFence, {.blocks = 5}), HasSubstr("of another block"));
}

TEST(EmulatedDeviceTest, ChangesResultsOfKernelsWithoutBarriers) {
  if (WatchesAccesses()) GTEST_SKIP() << "the race is reported first";
  std::vector<int32_t> reversed = Numbers(kThreads);
  std::reverse(reversed.begin(), reversed.end());
  EXPECT_NE(RunTrick(Trick::kNoBarrier, {}), reversed);
}

TEST(EmulatedDeviceTest, ReportsAccessesToForeignMemory) {
  if (!WatchesAccesses()) GTEST_SKIP() << "a sanitizer uses the compiler's hooks";
  EXPECT_THAT(FaultOf(Trick::kBeyondValues), HasSubstr("writes 4 bytes outside of allocations"));
  EXPECT_THAT(FaultOf(Trick::kBeyondShared), HasSubstr("writes 4 bytes"));
  ResetDevice({});
  std::vector<int32_t> host(kThreads);
  EXPECT_EQ(LaunchTiny({Trick::kAddToOne, host.data(), kThreads}, {}), cudaErrorIllegalAddress);
  EXPECT_THAT(LastFault(), HasSubstr("outside of the device's memory"));
  ResetDevice({});
}

TEST(EmulatedDeviceTest, StaysLostAfterAFault) {
  ResetDevice({});
  Buffer<int32_t> values(Numbers(kThreads));
  EXPECT_EQ(LaunchTiny({Trick::kHalfBarrier, values.data(true), kThreads}, {}),
            cudaErrorLaunchFailure);
  EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchFailure);
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaErrorLaunchFailure);
  ResetDevice({});
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
}

TEST(EmulatedDeviceTest, FillsUnwrittenMemoryWithNaNs) {
  const std::vector<int32_t> values = RunTrick(Trick::kReadShared, {});
  EXPECT_THAT(values, testing::Each(static_cast<int32_t>(0xFFF5A5A5)));
}

TEST(EmulatedDeviceTest, RejectsLaunchesBeyondTheDevicesLimits) {
  ResetDevice({.shared_bytes = int64_t{64} << 10});
  const TinyTask task = {.trick = Trick::kNothing};
  EXPECT_EQ(LaunchTiny(task, {.threads = dim3(1025)}), cudaErrorInvalidConfiguration);
  EXPECT_EQ(LaunchTiny(task, {.threads = dim3(128, 9)}), cudaErrorInvalidConfiguration);
  EXPECT_EQ(LaunchTiny(task, {.shared_bytes = int64_t{64} << 10}), cudaSuccess);
  EXPECT_EQ(LaunchTiny(task, {.shared_bytes = (int64_t{64} << 10) + 16}), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  ResetDevice({.shared_bytes = 1024});
  EXPECT_EQ(LaunchTiny(task, {.shared_bytes = 1040}), cudaErrorInvalidValue);
}

TEST(EmulatedDeviceTest, RejectsCopiesInTheWrongDirection) {
  ResetDevice({});
  Buffer<int32_t> values(size_t{4});
  std::vector<int32_t> host(5);
  int32_t* const device = values.data(true);
  EXPECT_EQ(cudaMemcpy(host.data(), device, 16, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device, device, 16, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host.data(), device, 20, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host.data(), device, 16, cudaMemcpyDeviceToHost), cudaSuccess);
}

TEST(EmulatedDeviceTest, HasTheGivenAmountOfMemory) {
  ResetDevice({.memory_bytes = int64_t{1} << 20});
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, size_t{2} << 20), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc(&memory, 1000), cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaErrorInvalidValue);
}

TEST(EmulatedDeviceTest, DeferredCopiesReadHostMemoryWhenWaitedFor) {
  ResetDevice({.deferred = true});
  Buffer<int32_t> values(Numbers(2));
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  std::vector<int32_t> host = {5, 6};
  EXPECT_EQ(cudaMemcpyAsync(values.data(true), host.data(), 8, cudaMemcpyHostToDevice, stream),
            cudaSuccess);
  host = {7, 8};
  EXPECT_EQ(values.Download(), Numbers(2));  // the default stream does not wait for this stream
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(values.Download(), host);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST(EmulatedDeviceDeathTest, EndsTheProcessOnHostAccessesToDeviceMemory) {
  ResetDevice({});
  Buffer<int32_t> values(size_t{4});
  volatile int32_t* const device = values.data(true);
  EXPECT_DEATH(device[0] = 1, "");
}

}  // namespace
}  // namespace vrp::emulated
