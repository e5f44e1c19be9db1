// Conversion of torch's exceptions to Status. Needs torch.
#pragma once

#include <c10/util/Exception.h>

#include <cstdint>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "core/base/text.h"
#include "core/device/device_loss.h"
#include "core/device/device_stream.h"
#include "core/device/device_warnings.h"

namespace vrp {

// The value of cudaErrorMemoryAllocation; the numbers of cudaError_t are part of CUDA's ABI.
inline constexpr int32_t kCudaMemoryAllocation = 2;

// Whether `message` is an out-of-memory error of cuBLAS or cuDNN, which allocate outside torch's
// allocator. Torch reports only the names of these errors, or that a handle could not be created.
inline bool IsOutOfMemory(std::string_view message) {
  for (const std::string_view name :
       {"CUBLAS_STATUS_ALLOC_FAILED", "CUDNN_STATUS_ALLOC_FAILED", "DEVICE_ALLOCATION_FAILED",
        "CUBLAS_STATUS_NOT_INITIALIZED when calling `cublas", "CUDNN_STATUS_NOT_INITIALIZED"}) {
    if (message.find(name) != std::string_view::npos) return true;
  }
  return false;
}

// Returns the error for an exception of torch. `cuda_error` is CUDA's error at that time; 0: none.
inline absl::Status TorchStatus(std::string_view thrown, int32_t cuda_error) {
  const std::string message = Concat("torch: ", thrown);
  // Every library has its own name for a lost device.
  if (IsStickyCudaError(cuda_error)) return ReportDeviceLoss(absl::InternalError(message));
  if (cuda_error == kCudaMemoryAllocation || IsOutOfMemory(thrown)) {
    return absl::ResourceExhaustedError(message);
  }
  return absl::InternalError(message);
}

// A handler that logs each of torch's warnings once. Some repeat with every call, such as the one
// about cuDNN's weight layout.
class TorchWarnings final : public c10::WarningHandler {
 public:
  static TorchWarnings* Get() {
    static TorchWarnings handler;
    return &handler;
  }
  void process(const c10::Warning& warning) override {
    ReportDeviceWarning(Concat("torch: ", warning.msg()));
  }
};

// Runs `body` and converts exceptions to kInternal, kResourceExhausted (out of memory) or
// ReportDeviceLoss. Logs each warning of torch once. Used where the engines' functions begin, and
// to retry with less memory.
inline absl::Status GuardTorch(absl::FunctionRef<absl::Status()> body) {
  const c10::WarningUtils::WarningHandlerGuard warnings(TorchWarnings::Get());
  try {
    return body();
  } catch (const c10::OutOfMemoryError& error) {
    return absl::ResourceExhaustedError(Concat("torch: ", error.what_without_backtrace()));
  } catch (const c10::AcceleratorError& error) {
    return TorchStatus(error.what_without_backtrace(), error.get_error_code());
  } catch (const c10::Error& error) {
    // For errors of cuBLAS or cuDNN, the CUDA runtime knows the cause.
    return TorchStatus(error.what_without_backtrace(), LastCudaError());
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("out of memory");
  } catch (const std::exception& error) {
    return absl::InternalError(error.what());
  }
}

}  // namespace vrp
