#include "core/train/dispatch/dispatch_publisher.h"

#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "core/base/disk_space.h"
#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/weights/model_card.h"
#include "core/train/run/result_card.h"

namespace vrp {
namespace {

double ZeroIfNotFinite(double value) { return std::isfinite(value) ? value : 0; }

// Returns a number of float32 in its shortest form, so that cards show 0.1 and not
// 0.10000000149011612.
double Shortest(float value) {
  double shortest = value;
  return absl::SimpleAtod(absl::StrFormat("%.7g", value), &shortest) ? shortest : value;
}

}  // namespace

absl::StatusOr<TrainingResult> DispatchPublisher::Publish(int64_t step, TrainingEnd end) const {
  const RunClock::Scope clocked(context_.clock, RunPhase::kPublication);
  context_.observer.OnPhase("publication");
  TrainingResult result = ChooseWeights(step);
  result.end = end;
  const bool best = result.reason == PublishReason::kBestValidation;
  context_.observer.OnLog(
      absl::StrFormat("publishes the weights of epoch %d of %d (step %d): %s, validation cost %.4f",
                      result.epoch, context_.config.epochs, result.steps,
                      PublishReasonName(result.reason), result.validation_cost));
  const std::span<const float> parameters =
      best ? validator_.best().values() : learner_.parameters().values();
  VRP_RETURN_IF_ERROR(WriteWhenDiskHasSpace(
      context_.stop,
      [&] {
        return WriteModel(context_.request.model_directory, context_.request.job_name, parameters,
                          result);
      },
      [&](const absl::Status& full) {
        context_.observer.OnLog(
            Concat("waits for disk space to write the model: ", FromAbsl(full.message())));
      }));
  return result;
}

TrainingResult DispatchPublisher::ResultOf(int64_t step, const ValidationScore& score,
                                           PublishReason reason) const {
  return {.steps = step,
          .epoch = context_.EpochOf(step),
          .reason = reason,
          .validation_cost = ZeroIfNotFinite(score.cost),
          .validation_reference = validator_.reference(),
          .validation_gap = score.gap,
          .reference = validator_.reference_name(),
          .end = TrainingEnd::kUnknown};
}

TrainingResult DispatchPublisher::ChooseWeights(int64_t step) const {
  if (context_.config.publish == PublishRule::kLast) {
    return ResultOf(step, validator_.score().score, PublishReason::kLastWeights);
  }
  const BestWeights& best = validator_.best();
  if (best.values().empty()) {
    return ResultOf(step, validator_.score().score, PublishReason::kNotValidated);
  }
  return ResultOf(best.step(), {.cost = best.cost(), .gap = best.gap()},
                  PublishReason::kBestValidation);
}

absl::Status DispatchPublisher::ServeLive(
    int64_t step, absl::FunctionRef<absl::StatusOr<ShiftScore>()> validate) const {
  absl::Status failed;
  if (context_.request.live == nullptr) return failed;
  const RunClock::Scope clocked(context_.clock, RunPhase::kPublication);
  context_.request.live->Serve([&](const std::string& directory) -> absl::StatusOr<TrainingResult> {
    const absl::StatusOr<ShiftScore> score = validate();
    failed.Update(score.status());
    if (!score.ok()) return score.status();
    const std::span<const float> current = learner_.parameters().values();
    std::vector<float> shifted(current.begin(), current.end());
    shifted.back() = static_cast<float>(score->shift);
    const TrainingResult result = ResultOf(step, score->score, PublishReason::kLastWeights);
    VRP_RETURN_IF_ERROR(
        WriteModel(directory, LiveJobName(context_.request.job_name, step), shifted, result));
    return result;
  });
  return failed;
}

absl::Status DispatchPublisher::WriteModel(const std::string& directory,
                                           const std::string& job_name,
                                           std::span<const float> parameters,
                                           const TrainingResult& result) const {
  DispatchSettings settings = settings_;
  settings.shift = Shortest(parameters.back());
  const std::string file = learner_.parameters().Save(parameters);
  ModelCard card = CardOf(context_.config, job_name, result);
  card.architecture = kDispatchArchitecture;
  card.architecture_json = WriteDispatchSettings(settings);
  card.input_features = InputFeatures(settings.network);
  card.parameters = learner_.parameters().size();
  card.weights_sha256 = Sha256Hex(file);
  VRP_RETURN_IF_ERROR(EnsureDirectory(directory));
  VRP_RETURN_IF_ERROR(AtomicWriteFile(Concat(directory, "/", kWeightsFile), file));
  return AtomicWriteFile(Concat(directory, "/", kCardFile), WriteModelCard(card));
}

}  // namespace vrp
