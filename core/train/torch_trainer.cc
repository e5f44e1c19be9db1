#include <memory>
#include <utility>

#include "absl/time/clock.h"
#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/model_card.h"
#include "core/model/torch_guard.h"
#include "core/train/trainer.h"
#include "core/train/training_run.h"

namespace vrp {

absl::StatusOr<TrainingResult> TrainingRun::Publish() const {
  const std::string weights = network_.parameters().Save();
  ModelCard card;
  card.architecture = config_.model;
  card.architecture_json = WritePointerNetworkOptions(config_.network);
  card.kinds = {config_.problem.kind};
  card.input_features.assign(kInputFeatures.begin(), kInputFeatures.end());
  card.parameters = network_.parameters().size();
  card.training_job = request_.job_name;
  card.training_config = config_.source;
  card.steps = step_;
  card.validation_cost = validation_cost_;
  card.validation_reference = validation_reference_;
  card.created = absl::Now();
  card.weights_sha256 = Sha256Hex(weights);
  VRP_RETURN_IF_ERROR(EnsureDirectory(request_.model_directory));
  VRP_RETURN_IF_ERROR(
      AtomicWriteFile(Concat(request_.model_directory, "/", kWeightsFile), weights));
  VRP_RETURN_IF_ERROR(
      AtomicWriteFile(Concat(request_.model_directory, "/", kCardFile), WriteModelCard(card)));
  return TrainingResult{.steps = step_,
                        .validation_cost = validation_cost_,
                        .validation_reference = validation_reference_};
}

namespace {

class TorchTrainer final : public Trainer {
 public:
  absl::StatusOr<TrainingResult> Train(const TrainingRequest& request, const StopCondition& stop,
                                       TrainingObserver& observer) override {
    TrainingResult result;
    absl::Status status = GuardTorch([&] {
      TrainingRun run(request, stop, observer);
      absl::StatusOr<TrainingResult> outcome = run.Run();
      if (outcome.ok()) result = *outcome;
      return outcome.status();
    });
    if (!status.ok()) return status;
    return result;
  }

  absl::StatusOr<int64_t> ResumeStep(const std::string& checkpoint_directory) override {
    const absl::StatusOr<Checkpoint> checkpoint = ReadNewestCheckpoint(checkpoint_directory);
    if (checkpoint.status().code() == absl::StatusCode::kNotFound) return 0;
    VRP_RETURN_IF_ERROR(checkpoint.status());
    return checkpoint->step;
  }
};

}  // namespace

std::unique_ptr<Trainer> MakeTrainer() { return std::make_unique<TorchTrainer>(); }

}  // namespace vrp
