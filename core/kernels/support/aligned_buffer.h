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
      const int64_t bytes = (count * static_cast<int64_t>(sizeof(T)) + kLine - 1) / kLine * kLine;
      memory_.reset(static_cast<T*>(std::aligned_alloc(kLine, static_cast<size_t>(bytes))));
      if (memory_ == nullptr) std::abort();
      size_ = count;
    }
    return memory_.get();
  }
  // Like Grow, with `count` zeros.
  T* GrowZero(int64_t count) {
    T* const data = Grow(count);
    for (int64_t i = 0; i < count; ++i) data[i] = T{};
    return data;
  }
  T* data() { return memory_.get(); }
  const T* data() const { return memory_.get(); }

 private:
  static constexpr int64_t kLine = 64;
  struct Free {
    void operator()(T* memory) const { std::free(memory); }
  };
  std::unique_ptr<T, Free> memory_;
  int64_t size_ = 0;
};

}  // namespace vrp
