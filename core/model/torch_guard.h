// Where torch's exceptions end. Needs torch.
#pragma once

#include <c10/util/Exception.h>

#include <cstdint>
#include <exception>
#include <new>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "core/base/text.h"
#include "core/device/device_loss.h"

namespace vrp {

// Of cudaError_t, whose numbers are part of CUDA's ABI: cudaErrorMemoryAllocation.
inline constexpr int32_t kCudaMemoryAllocation = 2;

// Runs `body`; whatever it throws becomes kInternal (kResourceExhausted: memory; see DeviceLost).
// Used once, at the boundary of core/model and core/train.
inline absl::Status GuardTorch(absl::FunctionRef<absl::Status()> body) {
  try {
    return body();
  } catch (const c10::OutOfMemoryError& error) {
    return absl::ResourceExhaustedError(Concat("torch: ", error.what_without_backtrace()));
  } catch (const c10::AcceleratorError& error) {
    const std::string message = Concat("torch: ", error.what_without_backtrace());
    // Torch's allocator throws its own error; graphs and streams take memory beside it.
    if (error.get_error_code() == kCudaMemoryAllocation) {
      return absl::ResourceExhaustedError(message);
    }
    const absl::Status status = absl::InternalError(message);
    return LosesDevice(error.get_error_code()) ? DeviceLost(status) : status;
  } catch (const c10::Error& error) {
    return absl::InternalError(Concat("torch: ", error.what_without_backtrace()));
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("out of memory");
  } catch (const std::exception& error) {
    return absl::InternalError(error.what());
  }
}

}  // namespace vrp
