#include "core/kernels/launch/cuda_scratch.h"

#include <string>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/device/device_loss.h"

namespace vrp {

absl::Status CudaStatus(cudaError_t error, std::string_view what) {
  if (error == cudaSuccess) return absl::OkStatus();
  // Clears the runtime's last error, which torch would report as an error of its next launch.
  static_cast<void>(cudaGetLastError());
  const std::string message =
      Concat("CUDA: ", what, ": ", cudaGetErrorString(error), " (", cudaGetErrorName(error), ")");
  if (error == cudaErrorMemoryAllocation) return absl::ResourceExhaustedError(message);
  const absl::Status status = absl::InternalError(message);
  return IsStickyCudaError(error) ? ReportDeviceLoss(status) : status;
}

absl::StatusOr<DeviceLimits> QueryLimits() {
  int device = 0;
  int shared = 0;
  int multiprocessors = 0;
  VRP_RETURN_IF_ERROR(CudaStatus(cudaGetDevice(&device), "get the current device"));
  VRP_RETURN_IF_ERROR(
      CudaStatus(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
                 "get the shared memory of a block"));
  VRP_RETURN_IF_ERROR(
      CudaStatus(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
                 "get the number of multiprocessors"));
  return DeviceLimits{.shared_bytes = shared, .multiprocessors = multiprocessors};
}

absl::StatusOr<CudaScratch> CudaScratch::Create(int64_t bytes, cudaStream_t stream) {
  void* memory = nullptr;
  if (bytes > 0) {
    VRP_RETURN_IF_ERROR(CudaStatus(cudaMallocAsync(&memory, static_cast<size_t>(bytes), stream),
                                   Concat("allocate ", bytes, " bytes of scratch")));
  }
  return CudaScratch(memory, stream);
}

}  // namespace vrp
