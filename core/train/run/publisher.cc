#include "core/train/run/publisher.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

}  // namespace

absl::StatusOr<TrainingResult> Publisher::Publish(int64_t step, TrainingEnd end) const {
  const RunClock::Scope clocked(context_.clock, RunPhase::kPublication);
  context_.observer.OnPhase("publication");
  const TrainingResult result = ChooseWeights(step, end);
  context_.observer.OnLog(ChoiceText(result, step));
  const bool best = result.reason == PublishReason::kBestValidation;
  const std::span<const float> weights =
      best ? validator_.best().values() : network_.ServedWeights();
  const Target target = {context_.request.model_directory, context_.request.job_name};
  VRP_RETURN_IF_ERROR(WriteWhenDiskHasSpace(
      context_.stop, [&] { return WriteModel(target, weights, result); },
      [&](const absl::Status& full) {
        context_.observer.OnLog(
            Concat("waits for disk space to write the model: ", FromAbsl(full.message())));
      }));
  return result;
}

TrainingResult Publisher::ChooseWeights(int64_t step, TrainingEnd end) const {
  const ValidationScore& score = validator_.score();
  TrainingResult result{.steps = step,
                        .reason = PublishReason::kLastWeights,
                        .validation_cost = ZeroIfNotFinite(score.cost),
                        .validation_reference = ZeroIfNotFinite(validator_.set().reference()),
                        .validation_gap = score.gap,
                        .reference = validator_.set().reference_name(),
                        .end = end};
  if (context_.config.publish == PublishRule::kBest) {
    const BestWeights& kept = validator_.best();
    const bool best = !kept.values().empty();
    result.steps = best ? kept.step() : step;
    result.reason = best ? PublishReason::kBestValidation : PublishReason::kNotValidated;
    result.validation_cost = best ? kept.cost() : 0;
    result.validation_gap = best ? kept.gap() : std::numeric_limits<double>::quiet_NaN();
  }
  result.epoch = context_.EpochOf(result.steps);
  return result;
}

std::string Publisher::ChoiceText(const TrainingResult& result, int64_t step) const {
  std::string text = Concat("publishes the weights of epoch ", result.epoch, " of ",
                            context_.config.epochs, " (step ", result.steps, "): ");
  const auto other = [](std::string_view which, int64_t epoch, double cost) {
    return absl::StrFormat("; %s, epoch %d, had %.4f", which, epoch, cost);
  };
  const BestWeights& best = validator_.best();
  switch (result.reason) {
    case PublishReason::kBestValidation:
      text += absl::StrFormat("the best validation, cost %.4f", result.validation_cost);
      if (result.steps < step) {
        text += other("the last", context_.EpochOf(step), validator_.score().cost);
      }
      break;
    case PublishReason::kLastWeights:
      text += absl::StrFormat("the last weights, as training.publish says, validation cost %.4f",
                              result.validation_cost);
      if (best.step() > 0 && best.step() < step) {
        text += other("the best", context_.EpochOf(best.step()), best.cost());
      }
      break;
    case PublishReason::kNotValidated:
    case PublishReason::kUnknown:
      text += "the last weights, because no validation gave a cost";
      break;
  }
  return text;
}

absl::Status Publisher::ServeLive(
    int64_t step, absl::FunctionRef<absl::StatusOr<ValidationScore>()> validate) const {
  absl::Status failed;
  if (context_.request.live == nullptr) return failed;
  const RunClock::Scope clocked(context_.clock, RunPhase::kPublication);
  context_.request.live->Serve([&](const std::string& directory) -> absl::StatusOr<TrainingResult> {
    const absl::StatusOr<ValidationScore> score = validate();
    failed.Update(score.status());
    if (!score.ok()) return score.status();
    return PublishLive(step, directory, *score);
  });
  return failed;
}

absl::StatusOr<TrainingResult> Publisher::PublishLive(int64_t step, const std::string& directory,
                                                      const ValidationScore& score) const {
  const TrainingResult result{.steps = step,
                              .epoch = context_.EpochOf(step),
                              .reason = PublishReason::kLastWeights,
                              .validation_cost = ZeroIfNotFinite(score.cost),
                              .validation_reference = ZeroIfNotFinite(validator_.set().reference()),
                              .validation_gap = score.gap,
                              .reference = validator_.set().reference_name(),
                              .end = TrainingEnd::kUnknown};
  const Target target = {directory, LiveJobName(context_.request.job_name, step)};
  VRP_RETURN_IF_ERROR(WriteModel(target, network_.ServedWeights(), result));
  return result;
}

absl::Status Publisher::WriteModel(const Target& target, std::span<const float> weights,
                                   const TrainingResult& result) const {
  const TrainingConfig& config = context_.config;
  const std::string file = network_.engine().parameters().Save(weights);
  ModelCard card = CardOf(context_.config, target.job_name, result);
  card.architecture = config.architecture->name;
  card.architecture_json = config.sizes.json;
  for (const ProblemKind kind : config.problem.kinds) {  // adds each kind once
    const bool named = std::find(card.kinds.begin(), card.kinds.end(), kind) != card.kinds.end();
    if (!named) card.kinds.push_back(kind);
  }
  card.input_features = network_.engine().inputs().names;
  card.parameters = network_.engine().parameters().size();
  card.weights_sha256 = Sha256Hex(file);
  VRP_RETURN_IF_ERROR(EnsureDirectory(target.directory));
  VRP_RETURN_IF_ERROR(AtomicWriteFile(Concat(target.directory, "/", kWeightsFile), file));
  return AtomicWriteFile(Concat(target.directory, "/", kCardFile), WriteModelCard(card));
}

}  // namespace vrp
