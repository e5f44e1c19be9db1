// Where torch's exceptions end. Needs torch.
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

// Of cudaError_t, whose numbers are part of CUDA's ABI: cudaErrorMemoryAllocation.
inline constexpr int32_t kCudaMemoryAllocation = 2;

// Whether this is what cuBLAS or cuDNN say where the device's memory did not suffice for what they
// take beside torch's allocator: torch tells their errors by name alone. Their handles say instead
// that they could not be made.
inline bool IsOutOfMemory(std::string_view message) {
  for (const std::string_view name :
       {"CUBLAS_STATUS_ALLOC_FAILED", "CUDNN_STATUS_ALLOC_FAILED", "DEVICE_ALLOCATION_FAILED",
        "CUBLAS_STATUS_NOT_INITIALIZED when calling `cublas", "CUDNN_STATUS_NOT_INITIALIZED"}) {
    if (message.find(name) != std::string_view::npos) return true;
  }
  return false;
}

// Of what torch has thrown, and CUDA's error with it: 0 where there is none.
inline absl::Status TorchStatus(std::string_view thrown, int32_t cuda_error) {
  const std::string message = Concat("torch: ", thrown);
  // Of a lost device every library has its own name.
  if (LosesDevice(cuda_error)) return DeviceLost(absl::InternalError(message));
  if (cuda_error == kCudaMemoryAllocation || IsOutOfMemory(thrown)) {
    return absl::ResourceExhaustedError(message);
  }
  return absl::InternalError(message);
}

// Some of torch's warnings come with each call, as of weights that cuDNN would lay out otherwise.
class TorchWarnings final : public c10::WarningHandler {
 public:
  static TorchWarnings* The() {
    static TorchWarnings the;
    return &the;
  }
  void process(const c10::Warning& warning) override {
    WarnOfDevice(Concat("torch: ", warning.msg()));
  }
};

// Runs `body`; whatever it throws becomes kInternal (kResourceExhausted: memory; see DeviceLost),
// and what torch warns of meanwhile is told once. Used at the boundary of core/model and
// core/train, and where memory that does not suffice is answered by less work.
inline absl::Status GuardTorch(absl::FunctionRef<absl::Status()> body) {
  const c10::WarningUtils::WarningHandlerGuard warnings(TorchWarnings::The());
  try {
    return body();
  } catch (const c10::OutOfMemoryError& error) {
    return absl::ResourceExhaustedError(Concat("torch: ", error.what_without_backtrace()));
  } catch (const c10::AcceleratorError& error) {
    return TorchStatus(error.what_without_backtrace(), error.get_error_code());
  } catch (const c10::Error& error) {
    // Of cuBLAS or cuDNN, perhaps: what they met, the runtime has kept.
    return TorchStatus(error.what_without_backtrace(), LastCudaError());
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("out of memory");
  } catch (const std::exception& error) {
    return absl::InternalError(error.what());
  }
}

}  // namespace vrp
