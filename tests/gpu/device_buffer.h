// Provides arrays that a test stores on the host and on the device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace vrp::test {

// An array on the host with a copy on the device.
template <typename T>
class Buffer {
 public:
  explicit Buffer(size_t size) : Buffer(std::vector<T>(size)) {}
  explicit Buffer(std::vector<T> values) : host_(std::move(values)) {
    void* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, bytes()), cudaSuccess);
    device_.reset(static_cast<T*>(memory));
    Upload();
  }

  void Upload() const { Copy(device_.get(), host_.data(), cudaMemcpyHostToDevice); }
  // Waits for the default stream and blocking streams, then returns the device's copy.
  std::vector<T> Download() const {
    std::vector<T> values(host_.size());
    Copy(values.data(), device_.get(), cudaMemcpyDeviceToHost);
    return values;
  }
  std::vector<T>& host() { return host_; }
  T* data(bool cuda) { return cuda ? device_.get() : host_.data(); }

 private:
  struct Free {
    void operator()(T* memory) const { cudaFree(memory); }
  };
  size_t bytes() const { return host_.size() * sizeof(T); }
  void Copy(void* to, const void* from, cudaMemcpyKind kind) const {
    EXPECT_EQ(cudaMemcpy(to, from, bytes(), kind), cudaSuccess);
  }

  std::vector<T> host_;
  std::unique_ptr<T, Free> device_;
};

}  // namespace vrp::test
