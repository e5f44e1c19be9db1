// Streams and bounds by torch's C++ API, so that its operators use them.
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

// A device in trouble says so to the work itself, which tells who asked for it.
template <typename Body>
void Quietly(const Body& body) {
  try {
    body();
  } catch (const c10::Error&) {
    return;
  }
}

class CudaDeviceTurns final : public DeviceTurns {
 public:
  CudaDeviceTurns(c10::DeviceIndex index, const DeviceShares& shares)
      : index_(index), shares_(shares) {}

  void Begin(Priority priority) override {
    Quietly([this, priority] {
      at::globalContext().lazyInitDevice(at::kCUDA);
      const bool solving = priority == Priority::kSolving;
      // Each may read what the other has written: weights, above all.
      at::cuda::CUDAEvent before;
      before.record(c10::cuda::getCurrentCUDAStream(index_));
      const c10::cuda::CUDAStream own =
          solving ? Solving() : c10::cuda::getDefaultCUDAStream(index_);
      before.block(own);
      c10::cuda::setCurrentCUDAStream(own);
      // The bound is the whole program's; a piece of work is the only one that allocates.
      const int32_t percent = solving ? 100 : 100 - shares_.serving_memory_percent;
      c10::cuda::CUDACachingAllocator::setMemoryFraction(percent / 100.0, index_);
    });
  }

  void GiveBackMemory() override {
    Quietly([] { c10::cuda::CUDACachingAllocator::emptyCache(); });
  }

 private:
  // The GPU begins its kernels before those of training that wait.
  c10::cuda::CUDAStream Solving() {
    if (!solving_.has_value()) solving_ = c10::cuda::getStreamFromPool(true, index_);
    return *solving_;
  }

  const c10::DeviceIndex index_;
  const DeviceShares shares_;
  std::optional<c10::cuda::CUDAStream> solving_;
};

}  // namespace

std::unique_ptr<DeviceTurns> MakeCudaDeviceTurns(int32_t device_index, const DeviceShares& shares) {
  return std::make_unique<CudaDeviceTurns>(static_cast<c10::DeviceIndex>(device_index), shares);
}
#else
std::unique_ptr<DeviceTurns> MakeCudaDeviceTurns(int32_t, const DeviceShares&) { return nullptr; }
#endif

}  // namespace vrp
