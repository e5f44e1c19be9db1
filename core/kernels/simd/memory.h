// An allocator of pieces of the caller's memory. vec.h states who may include this.
#pragma once

#include <cstdint>

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// An allocator of 64-byte aligned pieces of a block of memory. Only counts elements if constructed
// from null.
template <typename T>
class Memory {
 public:
  explicit Memory(T* start) : start_(start) {
    if (start_ == nullptr) return;
    const auto address = reinterpret_cast<uintptr_t>(start_);
    start_ += (-address % 64) / sizeof(T);
  }
  // Returns the next piece, of `elements` elements; null if constructed from null.
  T* Take(int64_t elements) {
    T* const piece = start_ == nullptr ? nullptr : start_ + taken_;
    taken_ += (elements + kLineElements - 1) / kLineElements * kLineElements;
    return piece;
  }
  // Returns the number of elements used, including alignment.
  int64_t size() const { return taken_ + kLineElements; }

 private:
  static constexpr int64_t kLineElements = 64 / static_cast<int64_t>(sizeof(T));
  T* start_;
  int64_t taken_ = 0;
};

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
