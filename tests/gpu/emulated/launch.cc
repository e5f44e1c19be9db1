#include "tests/gpu/emulated/launch.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "tests/gpu/emulated/device.h"

// The bounds of the kernels' __shared__ variables, set by the linker; absent if there are none.
extern "C" __attribute__((weak)) uint8_t __start_emulated_shared;
extern "C" __attribute__((weak)) uint8_t __stop_emulated_shared;

namespace vrp::emulated {
namespace {

// Maximum of a block's dynamic shared memory without AllowDynamicShared.
constexpr int64_t kDefaultSharedBytes = int64_t{48} << 10;
// Number of bytes reserved for a block's dynamic shared memory.
constexpr int64_t kMaxSharedBytes = int64_t{256} << 10;
constexpr int64_t kMaxBlockThreads = 1024;  // as on a real device

std::span<uint8_t> StaticShared() {
  return {&__start_emulated_shared,
          static_cast<size_t>(&__stop_emulated_shared - &__start_emulated_shared)};
}

// Returns shared memory of the given size that ends at an inaccessible page.
std::span<uint8_t> DynamicSharedOf(size_t bytes) {
  static uint8_t* const memory = static_cast<uint8_t*>(mmap(
      nullptr, kMaxSharedBytes + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  static const bool guarded = mprotect(memory + kMaxSharedBytes, 4096, PROT_NONE) == 0;
  if (!guarded) std::abort();
  const size_t padded = (bytes + 15) / 16 * 16;
  return {memory + kMaxSharedBytes - padded, bytes};
}

int64_t ThreadsOf(const dim3& block) { return int64_t{block.x} * block.y * block.z; }

}  // namespace

cudaError_t Device::AllowShared(const void* kernel, int32_t bytes) {
  if (bytes < 0 || bytes > options_.shared_bytes) return cudaErrorInvalidValue;
  allowed_shared_[kernel] = bytes;
  return cudaSuccess;
}

cudaError_t Device::Launch(const KernelCall& call) {
  const cudaLaunchConfig_t& config = call.config;
  const int64_t threads = ThreadsOf(config.blockDim);
  // Our kernels' grids are one-dimensional.
  const bool one_dimensional = config.gridDim.y == 1 && config.gridDim.z == 1;
  if (threads < 1 || threads > kMaxBlockThreads || config.gridDim.x < 1 || !one_dimensional) {
    return cudaErrorInvalidConfiguration;
  }
  int64_t limit = std::min(kDefaultSharedBytes, options_.shared_bytes);
  if (const auto allowed = allowed_shared_.find(call.kernel); allowed != allowed_shared_.end()) {
    limit = std::max(limit, allowed->second);
  }
  if (static_cast<int64_t>(config.dynamicSmemBytes) > limit) return cudaErrorInvalidValue;
  const auto* const first = static_cast<const uint8_t*>(call.constants);
  const std::vector<uint8_t> constants(first, first + call.constant_bytes);
  return Enqueue(config.stream, [this, call, constants] { return Run(call, constants); });
}

cudaError_t Device::Run(const KernelCall& call, std::span<const uint8_t> constants) {
  const auto threads = static_cast<size_t>(ThreadsOf(call.config.blockDim));
  while (stacks_.size() < threads) stacks_.emplace_back();
  const std::span<uint8_t> dynamic_shared = DynamicSharedOf(call.config.dynamicSmemBytes);
  const DeviceMemory::Open open(memory_);
  BlockWatch watch(
      memory_, races_,
      {.constants = constants, .dynamic_shared = dynamic_shared, .static_shared = StaticShared()});
  races_.BeginLaunch();
  const BlockRequest request = {.thread = [&] { call.thread(call.kernel, constants.data()); },
                                .grid = call.config.gridDim,
                                .block = call.config.blockDim,
                                .shared = dynamic_shared.data()};
  std::vector<unsigned> blocks(call.config.gridDim.x);
  std::iota(blocks.begin(), blocks.end(), 0U);
  std::mt19937_64 random(options_.seed + ++launches_);
  std::shuffle(blocks.begin(), blocks.end(), random);
  for (const unsigned block : blocks) {
    Poison(dynamic_shared);
    Poison(StaticShared());
    const std::optional<Fault> fault = Block(request, random(), stacks_, watch).Run({block, 0, 0});
    if (!fault.has_value()) continue;
    fault_ = fault->text;
    std::fprintf(stderr, "emulated CUDA: %s\n", fault_.c_str());
    return lost_ = fault->error;
  }
  return cudaSuccess;
}

cudaError_t Launch(const KernelCall& call) {
  return Device::Get().Do([&](Device& device) { return device.Launch(call); });
}

cudaError_t AllowDynamicShared(const void* kernel, int32_t bytes) {
  return Device::Get().Do([&](Device& device) { return device.AllowShared(kernel, bytes); });
}

}  // namespace vrp::emulated
