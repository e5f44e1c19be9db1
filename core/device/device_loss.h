// Errors that make a GPU unusable: every later CUDA call of this process fails until the process
// restarts. This header does not include CUDA.
#pragma once

#include <cstdint>
#include <functional>

#include "absl/status/status.h"

namespace vrp {

// Whether a cudaError_t is such an error, which CUDA calls sticky. Examples are an illegal address,
// a failed launch or assertion, and an ECC error. Errors of a single call are not sticky, such as
// running out of memory or a device in exclusive use.
bool IsStickyCudaError(int32_t cuda_error);

// Notifies the listener of an error that lost a device. Returns kUnavailable with the consequence
// for the user. Every function that turns CUDA's errors into statuses calls this for sticky ones.
// Thread-safe.
absl::Status ReportDeviceLoss(const absl::Status& error);
// Whether `status` is, or was copied from, a result of ReportDeviceLoss.
bool IsDeviceLost(const absl::Status& status);

// Sets the callback for the next loss; null removes the callback. The callback is called at most
// once, in the thread that detected the loss, and must not block. There is one listener for the
// process, because a loss concerns the whole process. Thread-safe.
void SetDeviceLossListener(std::function<void(const absl::Status&)> listener);

}  // namespace vrp
