#include "server/telemetry/device_usage_trainer.h"

#include <memory>
#include <string_view>

namespace vrp {
namespace {

class DeviceUsageObserver final : public TrainingObserver {
 public:
  DeviceUsageObserver(TrainingObserver& next, const DeviceSampler& sampler, DeviceId device)
      : next_(next), sampler_(sampler), device_(device) {}

  void OnLog(std::string_view line) override { next_.OnLog(line); }
  void OnProgress(const TrainingProgress& progress) override {
    TrainingProgress with_usage = progress;
    const std::shared_ptr<const DeviceSample> sample = sampler_.Latest();
    if (sample->ok()) {
      for (const DeviceTelemetry& device : **sample) {
        if (device.id != device_) continue;
        with_usage.device_utilization = device.utilization;
        with_usage.device_memory_used_bytes = device.memory_used_bytes;
      }
    }
    next_.OnProgress(with_usage);
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

absl::StatusOr<TrainingResult> DeviceUsageTrainer::Train(const TrainingRequest& request,
                                                         const StopCondition& stop,
                                                         TrainingObserver& observer) {
  const DeviceLoad::Lease lease = load_.Begin(request.device);
  DeviceUsageObserver with_usage(observer, sampler_, request.device);
  return trainer_.Train(request, stop, with_usage);
}

}  // namespace vrp
