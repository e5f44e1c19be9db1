#include "core/train/run/step_source.h"

#include "core/base/status_macros.h"
#include "core/base/steady_time.h"

namespace vrp {

StepSource::StepSource(const Parts& parts)
    : context_(parts.context),
      micro_batch_(parts.context),
      feed_(parts.context, parts.batches, parts.reporter),
      resources_{.context = parts.context,
                 .network = parts.network,
                 .learner = parts.learner,
                 .reporter = parts.reporter,
                 .feed = feed_,
                 .micro_batch = micro_batch_},
      host_(resources_) {}

absl::Status StepSource::Start(int64_t steps_done) {
  // Captured steps have no place for an exchange yet.
  if (!context_.ranks.alone()) return absl::OkStatus();
  VRP_ASSIGN_OR_RETURN(device_, DeviceSteps::Create(resources_, steps_done));
  return absl::OkStatus();
}

absl::Status StepSource::Take(int64_t step) {
  const RunClock::Scope clocked(context_.clock, RunPhase::kSteps);
  context_.observer.OnPhase("training step");
  const absl::Time start = SteadyNow();
  if (device_ != nullptr) {
    VRP_ASSIGN_OR_RETURN(const bool begun, device_->Begin(step));
    if (begun) return absl::OkStatus();
    device_.reset();
  }
  return host_.Take(step, start);
}

absl::Status StepSource::Settle() {
  return device_ == nullptr ? absl::OkStatus() : device_->Settle();
}

}  // namespace vrp
