// A dispatch model under training, as a StateRun trains it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model/dispatch/dispatch_settings.h"
#include "core/train/dispatch/prize_learner.h"
#include "core/train/dispatch/shift_validator.h"
#include "core/train/run/run_context.h"
#include "core/train/run/state_run.h"

namespace vrp {

// The network of prizes with the shift that the last validation chose. The loss of a step is 1
// minus the agreement with the labels, and costs are those of simulated days. Not thread-safe.
class DispatchLearner final : public StateLearner {
 public:
  // `settings` are those of the model, without its shift. `context` must outlive the learner.
  DispatchLearner(RunContext& context, std::unique_ptr<PrizeLearner> prizes,
                  std::unique_ptr<ShiftValidator> validator, DispatchSettings settings)
      : context_(context),
        prizes_(std::move(prizes)),
        validator_(std::move(validator)),
        settings_(std::move(settings)) {}

  absl::StatusOr<StateStep> Step(int64_t step) override { return prizes_->Step(step); }
  absl::StatusOr<ValidationScore> Validate() override;
  FlatParameters& parameters() override { return prizes_->parameters(); }
  int64_t InstancesSeen(int64_t steps) const override { return prizes_->SamplesSeen(steps); }
  double reference() const override { return validator_->reference(); }
  std::string reference_name() const override { return validator_->reference_name(); }
  std::string ScoreText(const ValidationScore& score) const override;
  std::string StepsText(double loss) const override;
  absl::Status WriteModel(const std::string& directory, const std::string& job_name,
                          std::span<const float> parameters,
                          const TrainingResult& result) const override;
  std::map<std::string, double> ScalarState() const override;
  std::map<std::string, std::span<float>> TensorState() override { return prizes_->TensorState(); }
  std::vector<int32_t> IntegerState() const override { return prizes_->PlanState(); }
  absl::Status Restore(const std::map<std::string, double>& scalars,
                       std::span<const int32_t> integers) override;

 private:
  RunContext& context_;
  const std::unique_ptr<PrizeLearner> prizes_;
  const std::unique_ptr<ShiftValidator> validator_;
  const DispatchSettings settings_;
  double shift_ = 0;  // of the last validation
};

}  // namespace vrp
