// Sets streams and memory bounds through torch's C++ API, so that torch's operators respect them.
#include "core/device/executor.h"

#if VRP_WITH_CUDA
#include <ATen/Context.h>
#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAStream.h>

#include <optional>
#endif

namespace vrp {

#if VRP_WITH_CUDA
namespace {

// Calls `body` and ignores torch's errors. A failing device also reports errors to the work that
// runs on it, and the work returns them to its caller.
template <typename Body>
void IgnoreDeviceErrors(const Body& body) {
  try {
    body();
  } catch (const c10::Error&) {
    return;
  }
}

class CudaDeviceHooks final : public DeviceHooks {
 public:
  CudaDeviceHooks(c10::DeviceIndex index, const DeviceShares& shares)
      : index_(index), shares_(shares) {}

  void Begin(Priority priority) override {
    IgnoreDeviceErrors([this, priority] {
      at::globalContext().lazyInitDevice(at::kCUDA);
      const bool solving = priority == Priority::kSolving;
      // Makes the new stream wait for the previous one, because solving and training may read each
      // other's results (weights).
      at::cuda::CUDAEvent before;
      before.record(c10::cuda::getCurrentCUDAStream(index_));
      const c10::cuda::CUDAStream own =
          solving ? SolvingStream() : c10::cuda::getDefaultCUDAStream(index_);
      before.block(own);
      c10::cuda::setCurrentCUDAStream(own);
      // Bounds the whole process, because only the current piece of work allocates.
      const int32_t percent = solving ? 100 : 100 - shares_.serving_memory_percent;
      c10::cuda::CUDACachingAllocator::setMemoryFraction(percent / 100.0, index_);
    });
  }

  void ReleaseCachedMemory() override {
    IgnoreDeviceErrors([] { c10::cuda::CUDACachingAllocator::emptyCache(); });
  }

 private:
  // Returns a stream whose kernels the GPU starts before training's waiting ones.
  c10::cuda::CUDAStream SolvingStream() {
    if (!solving_.has_value()) solving_ = c10::cuda::getStreamFromPool(true, index_);
    return *solving_;
  }

  const c10::DeviceIndex index_;
  const DeviceShares shares_;
  std::optional<c10::cuda::CUDAStream> solving_;
};

}  // namespace

std::unique_ptr<DeviceHooks> MakeCudaDeviceHooks(int32_t device_index, const DeviceShares& shares) {
  return std::make_unique<CudaDeviceHooks>(static_cast<c10::DeviceIndex>(device_index), shares);
}
#else
std::unique_ptr<DeviceHooks> MakeCudaDeviceHooks(int32_t, const DeviceShares&) { return nullptr; }
#endif

}  // namespace vrp
