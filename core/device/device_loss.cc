#include "core/device/device_loss.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/cord.h"
#include "absl/synchronization/mutex.h"
#include "core/base/text.h"

namespace vrp {
namespace {

constexpr char kLostUrl[] = "vrp/device_lost";

// Numbers of cudaError_t, which are part of CUDA's ABI. They include the errors after which the
// process must be relaunched (driver_types.h), and the two errors that report broken hardware.
constexpr auto kStickyErrors = std::to_array<int32_t>({
    214,  // ECC, uncorrectable
    220,  // NVLink, uncorrectable
    226,  // hardware error that the GPU has contained
    700,  // illegal address
    702,  // launch timed out
    710,  // assertion in a kernel
    714,  // error in the hardware stack
    715,  // illegal instruction
    716,  // misaligned address
    717,  // invalid address space
    718,  // invalid program counter
    719,  // launch failed
    721,  // tensor memory leaked
    810,  // MPS ended this client
    911,  // asynchronous error of an external device
});

struct GuardedListener {
  absl::Mutex mutex;
  std::function<void(const absl::Status&)> listener ABSL_GUARDED_BY(mutex);
};

GuardedListener& LossListener() {
  static GuardedListener listener;
  return listener;
}

}  // namespace

bool IsStickyCudaError(int32_t cuda_error) {
  return std::find(kStickyErrors.begin(), kStickyErrors.end(), cuda_error) != kStickyErrors.end();
}

absl::Status ReportDeviceLoss(const absl::Status& error) {
  absl::Status lost = absl::UnavailableError(
      Concat("the GPU cannot be used until the daemon has restarted itself: ", error.message()));
  lost.SetPayload(kLostUrl, absl::Cord("1"));
  std::function<void(const absl::Status&)> listener;
  {
    absl::MutexLock lock(&LossListener().mutex);
    listener = std::exchange(LossListener().listener, nullptr);
  }
  if (listener != nullptr) listener(lost);
  return lost;
}

bool IsDeviceLost(const absl::Status& status) { return status.GetPayload(kLostUrl).has_value(); }

void SetDeviceLossListener(std::function<void(const absl::Status&)> listener) {
  absl::MutexLock lock(&LossListener().mutex);
  LossListener().listener = std::move(listener);
}

}  // namespace vrp
