// GPUs that fail for good: after such an error every CUDA call of this process fails, until the
// process is started anew. No CUDA in this header.
#pragma once

#include <cstdint>
#include <functional>

#include "absl/status/status.h"

namespace vrp {

// Whether a cudaError_t is such an error (CUDA calls it sticky): an illegal address, a failed
// launch or assertion, an ECC error. Those of one call alone are not, as of memory that ran out or
// of a device that another process has for itself.
bool LosesDevice(int32_t cuda_error);

// kUnavailable of an error that lost a device, with what becomes of it; tells the listener. Every
// boundary at which CUDA's errors become a Status gives them this way. Thread-safe.
absl::Status DeviceLost(const absl::Status& error);
bool IsDeviceLost(const absl::Status& status);

// Told of the first loss, in the thread that met it, which must not be kept waiting; null: nobody.
// One in a process, for what is lost is the process's. Thread-safe.
void SetDeviceLossListener(std::function<void(const absl::Status&)> listener);

}  // namespace vrp
