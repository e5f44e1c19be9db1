// GPUs that fail for good: after such an error every CUDA call of this process fails until the
// process restarts. No CUDA in this header.
#pragma once

#include <cstdint>
#include <functional>

#include "absl/status/status.h"

namespace vrp {

// Whether a cudaError_t is such an error, which CUDA calls sticky: an illegal address, a failed
// launch or assertion, an ECC error. Errors of a single call, such as running out of memory or a
// device in exclusive use, are not.
bool LosesDevice(int32_t cuda_error);

// Returns kUnavailable for an error that lost a device, with the consequence for the user, and
// notifies the listener. Every boundary that turns CUDA's errors into statuses calls this.
// Thread-safe.
absl::Status DeviceLost(const absl::Status& error);
bool IsDeviceLost(const absl::Status& status);

// Sets the callback for the first loss, called in the thread that met it; it must not block. Null:
// none. There is one listener for the process, because the loss concerns all of it. Thread-safe.
void SetDeviceLossListener(std::function<void(const absl::Status&)> listener);

}  // namespace vrp
