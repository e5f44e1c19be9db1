#include "server/telemetry/metered_trainer.h"

#include <memory>
#include <string_view>

namespace vrp {
namespace {

class MeteredObserver final : public TrainingObserver {
 public:
  MeteredObserver(TrainingObserver& next, const DeviceSampler& sampler, DeviceId device)
      : next_(next), sampler_(sampler), device_(device) {}

  void OnLog(std::string_view line) override { next_.OnLog(line); }
  void OnProgress(const TrainingProgress& progress) override {
    TrainingProgress metered = progress;
    const std::shared_ptr<const DeviceSample> sample = sampler_.Latest();
    if (sample->ok()) {
      for (const DeviceTelemetry& device : **sample) {
        if (device.id != device_) continue;
        metered.device_utilization = device.utilization;
        metered.device_memory_used_bytes = device.memory_used_bytes;
      }
    }
    next_.OnProgress(metered);
  }
  void OnCheckpoint(int64_t step) override { next_.OnCheckpoint(step); }
  void OnEnd(const TrainingTotals& totals) override { next_.OnEnd(totals); }
  void OnPhase(std::string_view phase) override { next_.OnPhase(phase); }

 private:
  TrainingObserver& next_;
  const DeviceSampler& sampler_;
  const DeviceId device_;
};

}  // namespace

absl::StatusOr<TrainingResult> MeteredTrainer::Train(const TrainingRequest& request,
                                                     const StopCondition& stop,
                                                     TrainingObserver& observer) {
  MeteredObserver metered(observer, sampler_, request.device);
  return trainer_.Train(request, stop, metered);
}

}  // namespace vrp
