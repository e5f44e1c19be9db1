// Memory for the kernels, aligned to cache lines, reused and grown on demand.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>

namespace vrp {

// A buffer of a trivially copyable T. Not thread-safe.
template <typename T>
class AlignedBuffer {
 public:
  // Returns at least `count` elements with undefined values. Growing discards the old content.
  // Aborts the program if memory runs out.
  T* Grow(int64_t count) {
    if (count > size_) {
      const int64_t bytes =
          (count * static_cast<int64_t>(sizeof(T)) + kLineBytes - 1) / kLineBytes * kLineBytes;
      memory_.reset(static_cast<T*>(std::aligned_alloc(kLineBytes, static_cast<size_t>(bytes))));
      if (memory_ == nullptr) std::abort();
      size_ = count;
    }
    return memory_.get();
  }
  // Calls Grow and sets the first `count` elements to zero.
  T* GrowZero(int64_t count) {
    T* const data = Grow(count);
    for (int64_t i = 0; i < count; ++i) data[i] = T{};
    return data;
  }
  T* data() { return memory_.get(); }
  const T* data() const { return memory_.get(); }

 private:
  static constexpr int64_t kLineBytes = 64;  // of a cache line
  struct Free {
    void operator()(T* memory) const { std::free(memory); }
  };
  std::unique_ptr<T, Free> memory_;
  int64_t size_ = 0;
};

}  // namespace vrp
