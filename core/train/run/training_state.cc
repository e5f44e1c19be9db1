// How a run is saved, resumed and published.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "core/base/disk_room.h"
#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/weights/model_card.h"
#include "core/model/weights/safetensors.h"
#include "core/train/run/training_run.h"

namespace vrp {
namespace {

// Numbers that every checkpoint has, besides the learner's and the engine's.
constexpr char kEpochsEnded[] = "epochs_ended";
constexpr char kInstancesSeen[] = "instances_seen";
constexpr char kAdamSteps[] = "adam_steps";
constexpr char kBadSteps[] = "bad_steps";
constexpr char kMicroBatch[] = "micro_batch";
constexpr char kBestGap[] = "best_gap";
constexpr char kBestEpoch[] = "best_epoch";
constexpr char kBestStep[] = "best_step";
constexpr char kParameters[] = "parameters";
constexpr char kAdamMean[] = "adam.mean";
constexpr char kAdamSquare[] = "adam.square";
constexpr char kBestParameters[] = "best.parameters";
constexpr char kAverage[] = "average.parameters";
constexpr std::string_view kEngine = "engine.";

// A checkpoint holds finite numbers only: what is not is left out, and NaN when it is read.
void PutFinite(std::map<std::string, double>& numbers, const std::string& name, double value) {
  numbers["has_" + name] = std::isfinite(value) ? 1 : 0;
  numbers[name] = std::isfinite(value) ? value : 0;
}

double TakeFinite(const std::map<std::string, double>& numbers, const std::string& name) {
  const auto known = numbers.find("has_" + name);
  if (known == numbers.end() || known->second == 0) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return numbers.at(name);
}

// Whether checkpoints of earlier versions may lack the number; it is NaN then.
bool IsLater(std::string_view name) { return name == kBestGap || name == Concat("has_", kBestGap); }

double OrZero(double value) { return std::isfinite(value) ? value : 0; }

}  // namespace

absl::StatusOr<std::map<std::string, double>> TrainingRun::Numbers() const {
  VRP_ASSIGN_OR_RETURN(const auto of_engine, engine_->Numbers());
  std::map<std::string, double> numbers = learner_->ScalarState();
  for (const auto& [name, value] : of_engine) numbers[Concat(kEngine, name)] = value;
  numbers[kEpochsEnded] = static_cast<double>(epochs_ended_);
  numbers[kInstancesSeen] = static_cast<double>(instances_seen_);
  numbers[kAdamSteps] = static_cast<double>(adamw_->steps());
  numbers[kBadSteps] = static_cast<double>(bad_steps_);
  numbers[kMicroBatch] = micro_batch_;
  numbers[kBestEpoch] = static_cast<double>(best_epoch_);
  numbers[kBestStep] = static_cast<double>(best_step_);
  PutFinite(numbers, "validation_cost", score_.cost);
  PutFinite(numbers, "validation_gap", score_.gap);
  PutFinite(numbers, "validation_accuracy", score_.accuracy);
  PutFinite(numbers, "best_cost", best_cost_);
  PutFinite(numbers, kBestGap, best_gap_);
  return numbers;
}

absl::Status TrainingRun::TakeNumbers(const std::map<std::string, double>& numbers) {
  epochs_ended_ = static_cast<int64_t>(numbers.at(kEpochsEnded));
  instances_seen_ = static_cast<int64_t>(numbers.at(kInstancesSeen));
  adamw_->set_steps(static_cast<int64_t>(numbers.at(kAdamSteps)));
  bad_steps_ = static_cast<int64_t>(numbers.at(kBadSteps));
  micro_batch_ = static_cast<int32_t>(numbers.at(kMicroBatch));
  best_epoch_ = static_cast<int64_t>(numbers.at(kBestEpoch));
  best_step_ = static_cast<int64_t>(numbers.at(kBestStep));
  score_.cost = TakeFinite(numbers, "validation_cost");
  score_.gap = TakeFinite(numbers, "validation_gap");
  score_.accuracy = TakeFinite(numbers, "validation_accuracy");
  best_cost_ = TakeFinite(numbers, "best_cost");
  best_gap_ = TakeFinite(numbers, kBestGap);
  std::map<std::string, double> of_engine;
  for (const auto& [name, value] : numbers) {
    if (name.starts_with(kEngine)) of_engine[name.substr(kEngine.size())] = value;
  }
  VRP_RETURN_IF_ERROR(engine_->Restore(of_engine));
  VRP_RETURN_IF_ERROR(engine_->ParametersChanged());
  return learner_->Restore(numbers);
}

std::map<std::string, std::span<float>> TrainingRun::Spans(bool best) {
  std::map<std::string, std::span<float>> spans = learner_->TensorState();
  spans[kParameters] = engine_->parameters().values();
  spans[kAdamMean] = adamw_->mean();
  spans[kAdamSquare] = adamw_->square();
  if (average_.has_value()) spans[kAverage] = average_->values();
  if (best) {
    best_values_.resize(static_cast<size_t>(engine_->parameters().size()));
    spans[kBestParameters] = best_values_;
  }
  return spans;
}

absl::Status TrainingRun::Save() {
  const RunClock::Scope clocked(clock_, RunPhase::kCheckpoints);
  VRP_RETURN_IF_ERROR(Settle());
  observer_.OnPhase("checkpoint");
  VRP_ASSIGN_OR_RETURN(const auto numbers, Numbers());
  std::vector<TensorView> views;
  for (const auto& [name, span] : Spans(!best_values_.empty())) {
    views.push_back({name,
                     TensorType::kFloat32,
                     {static_cast<int64_t>(span.size())},
                     std::as_bytes(std::span<const float>(span))});
  }
  const absl::Status written = WriteCheckpoint(
      request_.checkpoint_directory,
      {.step = step_,
       .config_sha256 = Sha256Hex(config_.source),
       .numbers = numbers,
       .state = WriteSafetensors(views),
       .validation_cost = validated_step_ == step_ && std::isfinite(score_.cost)
                              ? std::optional<double>(score_.cost)
                              : std::nullopt},
      {.last = config_.keep_last_checkpoints, .best = config_.keep_best_checkpoints});
  if (absl::IsInternal(written)) return written;
  if (!written.ok()) {
    // The disk may have room again at the next one, or be there again; days of steps are not lost.
    const std::string before =
        saved_step_ >= 0 ? Concat("that of step ", saved_step_, " stands")
                         : "and none before it: interrupted now, the run would begin anew";
    observer_.OnLog(
        Concat("no checkpoint of step ", step_, ", ", before, ": ", FromAbsl(written.message())));
    return absl::OkStatus();
  }
  saved_step_ = step_;
  observer_.OnCheckpoint(step_);
  return absl::OkStatus();
}

absl::Status TrainingRun::Resume() {
  absl::StatusOr<Checkpoint> found = ReadNewestCheckpoint(request_.checkpoint_directory);
  if (found.status().code() == absl::StatusCode::kNotFound) return absl::OkStatus();
  VRP_RETURN_IF_ERROR(found.status());
  const std::string where = Concat(request_.checkpoint_directory, ": step ", found->step);
  if (found->config_sha256 != Sha256Hex(config_.source)) {
    return absl::FailedPreconditionError(Concat(where, ": it belongs to another configuration"));
  }
  VRP_RETURN_IF_ERROR(Fill(*found, where));
  VRP_RETURN_IF_ERROR(TakeNumbers(found->numbers));
  step_ = saved_step_ = found->step;
  observer_.OnLog(Concat("resumed from step ", step_));
  if (config_.publish == PublishRule::kBest && best_step_ > 0 && best_values_.empty()) {
    observer_.OnLog(
        Concat("the checkpoint, of an earlier version, has no weights of the best "
               "validation, step ",
               best_step_, "'s: the best from here on counts"));
    best_cost_ = best_gap_ = std::numeric_limits<double>::quiet_NaN();
    best_epoch_ = best_step_ = 0;
  }
  return absl::OkStatus();
}

absl::Status TrainingRun::Fill(const Checkpoint& checkpoint, const std::string& where) {
  VRP_ASSIGN_OR_RETURN(const SafetensorsFile file, SafetensorsFile::Parse(checkpoint.state, where));
  VRP_ASSIGN_OR_RETURN(const auto wanted, Numbers());
  for (const auto& [name, value] : wanted) {
    if (checkpoint.numbers.contains(name) || name.starts_with(kEngine) || IsLater(name)) continue;
    return absl::DataLossError(Concat(where, ": ", name, ": missing"));
  }
  const bool best = config_.publish == PublishRule::kBest && checkpoint.numbers.at(kBestStep) > 0 &&
                    file.Find(kBestParameters) != nullptr;
  for (const auto& [name, span] : Spans(best)) {
    const TensorView* view = file.Find(name);
    if (view == nullptr || view->type != TensorType::kFloat32 ||
        view->shape != std::vector<int64_t>{static_cast<int64_t>(span.size())}) {
      return absl::DataLossError(Concat(where, ": ", name, ": missing or of another size"));
    }
    std::memcpy(span.data(), view->data.data(), view->data.size());
  }
  return absl::OkStatus();
}

absl::StatusOr<TrainingResult> TrainingRun::Publish() {
  const RunClock::Scope clocked(clock_, RunPhase::kPublication);
  observer_.OnPhase("publication");
  const TrainingResult result = ChooseWeights();
  observer_.OnLog(ChoiceText(result));
  const bool best = result.reason == PublishReason::kBestValidation;
  VRP_RETURN_IF_ERROR(WriteModelForSure(best ? best_values_ : ServedWeights(), result));
  return result;
}

TrainingResult TrainingRun::ChooseWeights() const {
  TrainingResult result{.steps = step_,
                        .reason = PublishReason::kLastWeights,
                        .validation_cost = OrZero(score_.cost),
                        .validation_reference = OrZero(validation_.reference()),
                        .validation_gap = score_.gap,
                        .reference = validation_.reference_name(),
                        .end = end_};
  if (config_.publish == PublishRule::kBest) {
    const bool best = !best_values_.empty();
    result.steps = best ? best_step_ : step_;
    result.reason = best ? PublishReason::kBestValidation : PublishReason::kNotValidated;
    result.validation_cost = best ? best_cost_ : 0;
    result.validation_gap = best ? best_gap_ : std::numeric_limits<double>::quiet_NaN();
  }
  result.epoch = EpochOf(result.steps);
  return result;
}

std::string TrainingRun::ChoiceText(const TrainingResult& result) const {
  std::string text = Concat("publishes the weights of epoch ", result.epoch, " of ", config_.epochs,
                            " (step ", result.steps, "): ");
  const auto other = [](std::string_view which, int64_t epoch, double cost) {
    return absl::StrFormat("; %s, epoch %d, had %.4f", which, epoch, cost);
  };
  switch (result.reason) {
    case PublishReason::kBestValidation:
      text += absl::StrFormat("the best validation, cost %.4f", result.validation_cost);
      if (result.steps < step_) text += other("the last", EpochOf(step_), score_.cost);
      break;
    case PublishReason::kLastWeights:
      text += absl::StrFormat("the last ones, as training.publish says, validation cost %.4f",
                              result.validation_cost);
      if (best_step_ > 0 && best_step_ < step_) {
        text += other("the best", EpochOf(best_step_), best_cost_);
      }
      break;
    case PublishReason::kNotValidated:
    case PublishReason::kUnknown:
      text += "the last ones, for no validation gave a cost";
      break;
  }
  return text;
}

absl::Status TrainingRun::WriteModelForSure(std::span<const float> weights,
                                            const TrainingResult& result) {
  return WriteOnceThereIsRoom(
      stop_,
      [&] { return WriteModel(request_.model_directory, request_.job_name, weights, result); },
      [&](const absl::Status& full) {
        observer_.OnLog(
            Concat("the model is written once the disk has room: ", FromAbsl(full.message())));
      });
}

absl::Status TrainingRun::ServeLive() {
  absl::Status failed;
  if (request_.live == nullptr) return failed;
  const RunClock::Scope clocked(clock_, RunPhase::kPublication);
  request_.live->Serve([&](const std::string& directory) -> absl::StatusOr<TrainingResult> {
    const absl::StatusOr<ValidationScore> score = Validate();
    failed.Update(score.status());
    if (!score.ok()) return score.status();
    return PublishLive(directory, *score);
  });
  return failed;
}

absl::StatusOr<TrainingResult> TrainingRun::PublishLive(const std::string& directory,
                                                        const ValidationScore& score) const {
  const TrainingResult result{.steps = step_,
                              .epoch = EpochOf(step_),
                              .reason = PublishReason::kLastWeights,
                              .validation_cost = OrZero(score.cost),
                              .validation_reference = OrZero(validation_.reference()),
                              .validation_gap = score.gap,
                              .reference = validation_.reference_name(),
                              .end = TrainingEnd::kUnknown};
  const std::string job = LiveJobName(request_.job_name, step_);
  VRP_RETURN_IF_ERROR(WriteModel(directory, job, ServedWeights(), result));
  return result;
}

absl::Status TrainingRun::WriteModel(const std::string& directory, const std::string& job_name,
                                     std::span<const float> weights,
                                     const TrainingResult& result) const {
  const std::string file = std::as_const(*engine_).parameters().Save(weights);
  ModelCard card;
  card.architecture = config_.model;
  card.architecture_json = config_.ArchitectureJson();
  for (const ProblemKind kind : config_.problem.kinds) {  // once, however often it was drawn
    const bool named = std::find(card.kinds.begin(), card.kinds.end(), kind) != card.kinds.end();
    if (!named) card.kinds.push_back(kind);
  }
  card.input_features = engine_->inputs().names;
  card.parameters = engine_->parameters().size();
  card.training_job = job_name;
  card.training_config = config_.source;
  card.steps = result.steps;
  card.epoch = result.epoch;
  card.publish_reason = PublishReasonName(result.reason);
  card.validation_cost = result.validation_cost;
  card.validation_reference = result.validation_reference;
  card.validation_gap = result.validation_gap;
  card.reference = result.reference;
  card.created = absl::Now();
  card.weights_sha256 = Sha256Hex(file);
  VRP_RETURN_IF_ERROR(EnsureDirectory(directory));
  VRP_RETURN_IF_ERROR(AtomicWriteFile(Concat(directory, "/", kWeightsFile), file));
  return AtomicWriteFile(Concat(directory, "/", kCardFile), WriteModelCard(card));
}

}  // namespace vrp
