// Counts torch's memory on the CPU, and can limit that memory like a device's.
#pragma once

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <unordered_map>
#include <utility>

namespace vrp::test {

// Numbers of bytes.
struct MemoryCount {
  int64_t limit = std::numeric_limits<int64_t>::max();
  int64_t taken = 0;
  int64_t peak = 0;
};

// An allocator that throws beyond the limit of the active counter.
class CountingAllocator final : public c10::Allocator {
 public:
  explicit CountingAllocator(c10::Allocator* plain) : plain_(plain) {}

  std::shared_ptr<MemoryCount> count;

  c10::DataPtr allocate(size_t size) override {
    const auto bytes = static_cast<int64_t>(size);
    if (count->taken + bytes > count->limit) throw std::bad_alloc();
    c10::DataPtr plain = plain_->allocate(size);
    void* const data = plain.get();
    if (data == nullptr) return plain;
    count->taken += bytes;
    count->peak = std::max(count->peak, count->taken);
    Blocks().emplace(data, Block{std::move(plain), bytes, count});
    return {data, data, &Free, c10::Device(c10::DeviceType::CPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &Free; }
  void copy_data(void* to, const void* from, size_t size) const override {
    default_copy_data(to, from, size);
  }

 private:
  struct Block {
    c10::DataPtr plain;
    int64_t bytes;
    std::shared_ptr<MemoryCount> count;
  };
  // The map is never destroyed, because torch frees some of its memory at the end of the process.
  static std::unordered_map<void*, Block>& Blocks() {
    static auto* const blocks = new std::unordered_map<void*, Block>();
    return *blocks;
  }
  static void Free(void* data) {
    const auto block = Blocks().extract(data);
    if (!block.empty()) block.mapped().count->taken -= block.mapped().bytes;
  }

  c10::Allocator* const plain_;
};

// A counter of the memory allocated during its lifetime, in addition to earlier allocations. Only
// one may exist at a time, and only one thread may use it.
class TorchMemoryCounter {
 public:
  explicit TorchMemoryCounter(int64_t limit = std::numeric_limits<int64_t>::max()) {
    // The allocator is never destroyed, because some memory outlives the counter.
    static auto* const counting = new CountingAllocator(plain_);
    count_->limit = limit;
    counting->count = count_;
    c10::SetCPUAllocator(counting);
  }
  ~TorchMemoryCounter() { c10::SetCPUAllocator(plain_); }
  TorchMemoryCounter(const TorchMemoryCounter&) = delete;
  TorchMemoryCounter& operator=(const TorchMemoryCounter&) = delete;

  int64_t peak() const { return count_->peak; }

 private:
  c10::Allocator* const plain_ = c10::GetCPUAllocator();
  const std::shared_ptr<MemoryCount> count_ = std::make_shared<MemoryCount>();
};

}  // namespace vrp::test
