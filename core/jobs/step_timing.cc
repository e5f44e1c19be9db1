#include "core/jobs/step_timing.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {
namespace {

// The first steps allocate memory, compile and record graphs.
constexpr int64_t kWarmUpSteps = 3;
constexpr int64_t kTimedSteps = 20;
// Time after which fewer steps suffice.
constexpr double kEnoughSeconds = 3;
// A measurement validates little, because only its steps count.
constexpr int64_t kFewValidations = 16;

// An observer that sums the time of steps and cancels `end` once that suffices.
class StepTimer final : public TrainingObserver {
 public:
  explicit StepTimer(CancelFlag& end) : end_(end) {}

  void OnLog(std::string_view) override {}
  void OnCheckpoint(int64_t) override {}
  void OnProgress(const TrainingProgress& progress) override { Add(progress.totals); }
  void OnEnd(const TrainingTotals& totals) override { Add(totals); }

  // Returns the mean seconds of a step; nullopt if there was none.
  std::optional<double> Mean() const {
    // A short training may have ended within the warm-up.
    const TrainingTotals from = last_.steps > kWarmUpSteps ? warm_ : TrainingTotals();
    const int64_t steps = last_.steps - from.steps;
    if (steps <= 0) return std::nullopt;
    return (last_.seconds - from.seconds) / static_cast<double>(steps);
  }

 private:
  void Add(const TrainingTotals& totals) {
    if (totals.steps <= kWarmUpSteps) warm_ = totals;
    last_ = totals;
    const int64_t steps = last_.steps - warm_.steps;
    const bool long_enough = last_.seconds - warm_.seconds >= kEnoughSeconds;
    if (steps >= kTimedSteps || (steps >= 1 && last_.steps > kWarmUpSteps && long_enough)) {
      end_.Cancel();
    }
  }

  CancelFlag& end_;
  TrainingTotals warm_;  // after the warm-up
  TrainingTotals last_;
};

// Whether a setting does not change the work of a step.
bool IsIrrelevant(std::string_view key) {
  static constexpr std::string_view kKeys[] = {"name",
                                               "training.epochs",
                                               "training.learning_rate",
                                               "training.patience",
                                               "training.publish",
                                               "training.seed"};
  return key.starts_with("validation.") ||
         std::find(std::begin(kKeys), std::end(kKeys), key) != std::end(kKeys);
}

}  // namespace

absl::StatusOr<double> MeasureStep(Trainer& trainer, TrainingRequest request,
                                   const std::string& folder,
                                   const std::shared_ptr<const CancelFlag>& cancel) {
  const absl::Cleanup remove = [&folder] {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  };
  request.checkpoint_directory = folder + "/checkpoint";
  request.model_directory = folder + "/model";
  VRP_RETURN_IF_ERROR(EnsureDirectory(request.checkpoint_directory));
  VRP_RETURN_IF_ERROR(EnsureDirectory(request.model_directory));
  ValidationConfig& validation = request.config.validation;
  validation.instances = std::min(validation.instances, kFewValidations);
  validation.reference = Reference::kNearestNeighbour;
  const auto end = std::make_shared<CancelFlag>(cancel);
  StepTimer timer(*end);
  const absl::Status trained =
      trainer.Train(request, StopCondition(absl::InfiniteFuture(), end), timer).status();
  if (cancel->cancelled()) return absl::CancelledError("cancelled");
  if (!trained.ok() && !absl::IsCancelled(trained)) return trained;
  const std::optional<double> mean = timer.Mean();
  if (mean.has_value()) return *mean;
  return absl::InternalError(Concat("no step ended on ", request.device.ToString()));
}

std::string TimingKey(const JobSpec& spec, const TimedDevices& devices) {
  std::string text = Concat(devices.cpu.name, "\n", devices.cpu_threads, "\n", devices.gpu.name);
  const absl::StatusOr<ResolvedConfig> config =
      ResolveTrainingConfig(spec.config_yaml, spec.config_name, spec.overrides);
  // An earlier version may have accepted a configuration that this one refuses.
  if (!config.ok()) {
    text += Concat("\n", spec.config_yaml);
    for (const std::string& setting : spec.overrides) text += Concat("\n", setting);
    return Sha256Hex(text);
  }
  for (const auto& [key, value] : config->settings) {
    if (!IsIrrelevant(key)) text += Concat("\n", key, "=", value);
  }
  return Sha256Hex(text);
}

}  // namespace vrp
