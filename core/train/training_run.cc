#include "core/train/training_run.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "core/base/number.h"
#include "core/base/sha256.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/pointer_policy.h"
#include "core/model/rollout.h"
#include "core/train/evaluation.h"
#include "core/train/training_data.h"

namespace vrp {
namespace {

constexpr int64_t kMaxBadSteps = 10;
// Numbers that every checkpoint has, besides the learner's.
constexpr char kEpochsEnded[] = "epochs_ended";
constexpr char kAdamSteps[] = "adam_steps";
constexpr char kBadSteps[] = "bad_steps";
constexpr char kHasValidation[] = "has_validation";
constexpr char kValidationCost[] = "validation_cost";
constexpr char kParameters[] = "parameters";
constexpr char kAdamMean[] = "adam.mean";
constexpr char kAdamSquare[] = "adam.square";

}  // namespace

TrainingRun::TrainingRun(const TrainingRequest& request, const StopCondition& stop,
                         TrainingObserver& observer)
    : request_(request),
      config_(request.config),
      stop_(stop),
      observer_(observer),
      steps_per_epoch_(config_.StepsPerEpoch()),
      network_(config_.network, TensorsOn(request.device), config_.seed),
      adam_(network_.parameters()),
      validation_cost_(std::numeric_limits<double>::quiet_NaN()) {
  network_.parameters().TrackGradients();
}

absl::StatusOr<TrainingResult> TrainingRun::Run() {
  at::set_num_threads(request_.threads);
  VRP_RETURN_IF_ERROR(Prepare());
  absl::Status status = Loop();
  if (status.code() == absl::StatusCode::kCancelled && step_ != saved_step_) {
    VRP_RETURN_IF_ERROR(Save());
  }
  if (!status.ok()) return status;
  return Publish();
}

absl::Status TrainingRun::Prepare() {
  for (const DeviceInfo& device : ListDevices()) {
    if (device.id == request_.device) amp_ = config_.amp && device.amp && device.bf16;
  }
  VRP_ASSIGN_OR_RETURN(validation_, GenerateInputs(config_.problem, config_.validation_seed, 0,
                                                   config_.validation_instances));
  validation_reference_ = MeanReferenceCost(validation_);
  Banner();
  const LearnerOptions options{
      .config = config_, .network = &network_, .threads = request_.threads, .amp = amp_};
  if (config_.method == TrainingMethod::kReinforce) {
    learner_ = MakeReinforceLearner(options);
  } else {
    VRP_ASSIGN_OR_RETURN(learner_, MakeSupervisedLearner(options, stop_));
  }
  return Resume();
}

absl::Status TrainingRun::Loop() {
  const int64_t steps = config_.epochs * steps_per_epoch_;
  last_report_ = absl::Now();
  // An interruption may have come between an epoch's last step and its end.
  if (step_ > 0 && step_ / steps_per_epoch_ > epochs_ended_) VRP_RETURN_IF_ERROR(EndEpoch());
  while (step_ < steps) {
    VRP_RETURN_IF_ERROR(StopStatus(stop_.Check()));
    VRP_RETURN_IF_ERROR(OneStep());
    if (step_ % steps_per_epoch_ == 0) VRP_RETURN_IF_ERROR(EndEpoch());
    if (step_ % config_.checkpoint_every_steps == 0) VRP_RETURN_IF_ERROR(Save());
  }
  return absl::OkStatus();
}

absl::Status TrainingRun::OneStep() {
  network_.parameters().gradient().zero_();
  VRP_ASSIGN_OR_RETURN(const StepOutcome outcome, learner_->ComputeGradient(step_ + 1, stop_));
  const double norm = Adam::ClipGradient(network_.parameters(), config_.gradient_clip);
  const bool sound = std::isfinite(outcome.loss) && std::isfinite(norm);
  if (sound) {
    adam_.Step(network_.parameters(), LearningRate());
    bad_steps_ = 0;
  }
  ++step_;
  pass_difference_ = std::max(pass_difference_, outcome.pass_difference);
  if (!sound)
    return CountBadStep(
        Concat("loss ", FormatNumber(outcome.loss), ", gradient norm ", FormatNumber(norm)));
  Report(outcome, norm);
  return absl::OkStatus();
}

absl::Status TrainingRun::CountBadStep(const std::string& why) {
  ++bad_steps_;
  observer_.OnLog(Concat("step ", step_, ": left out: ", why));
  if (bad_steps_ < kMaxBadSteps) return absl::OkStatus();
  return absl::InternalError(Concat("training diverged: ", kMaxBadSteps,
                                    " steps in a row without a finite loss, the last at step ",
                                    step_, " (", why,
                                    "); lower training.learning_rate or training.gradient_clip"));
}

double TrainingRun::LearningRate() const {
  const auto epoch = static_cast<double>(step_ / steps_per_epoch_);
  return config_.learning_rate * std::pow(config_.learning_rate_decay, epoch);
}

void TrainingRun::Report(const StepOutcome& outcome, double gradient_norm) {
  const absl::Time now = absl::Now();
  const double seconds = absl::ToDoubleSeconds(now - last_report_);
  last_report_ = now;
  progress_ = {.epoch = (step_ - 1) / steps_per_epoch_ + 1,
               .epochs = config_.epochs,
               .step = step_,
               .steps = config_.epochs * steps_per_epoch_,
               .loss = outcome.loss,
               .train_cost = outcome.cost,
               .validation_cost = validation_cost_,
               .validation_reference = validation_reference_,
               .learning_rate = LearningRate(),
               .gradient_norm = gradient_norm,
               .instances_per_second = seconds > 0 ? config_.batch_size / seconds : 0};
  observer_.OnProgress(progress_);
}

absl::Status TrainingRun::EndEpoch() {
  const int64_t epoch = epochs_ended_ + 1;
  VRP_ASSIGN_OR_RETURN(const std::vector<double> costs, GreedyCosts(network_, validation_, stop_));
  VRP_ASSIGN_OR_RETURN(const std::string line, learner_->EndEpoch(epoch, stop_));
  validation_cost_ = Mean(costs);
  epochs_ended_ = epoch;
  if (!line.empty()) observer_.OnLog(line);
  observer_.OnLog(absl::StrFormat(
      "epoch %d/%d: validation %.4f (nearest neighbour %.4f, %+.2f %%)%s", epoch, config_.epochs,
      validation_cost_, validation_reference_, 100 * (validation_cost_ / validation_reference_ - 1),
      config_.method == TrainingMethod::kReinforce
          ? absl::StrFormat("; the passes differ by %.1e at most", pass_difference_)
          : std::string()));
  pass_difference_ = 0;
  progress_.epoch = epoch;
  progress_.epochs = config_.epochs;
  progress_.step = step_;
  progress_.steps = config_.epochs * steps_per_epoch_;
  progress_.validation_cost = validation_cost_;
  progress_.validation_reference = validation_reference_;
  progress_.end_of_epoch = true;
  observer_.OnProgress(progress_);
  last_report_ = absl::Now();
  return absl::OkStatus();
}

void TrainingRun::Banner() {
  const auto log = [this](const std::string& line) { observer_.OnLog(line); };
  for (const DeviceInfo& device : ListDevices()) {
    if (device.id != request_.device) continue;
    log(absl::StrFormat("device: %s (%s, %.1f GiB), %d threads", device.id.ToString(), device.name,
                        static_cast<double>(device.memory_bytes) / (1 << 30), request_.threads));
  }
  std::string amp = config_.amp ? "on (bf16)" : "off";
  if (config_.amp && !amp_) amp = "off: the device has no bf16 in hardware";
  log(absl::StrFormat("epochs: %d of %d batches of %d; AMP: %s", config_.epochs, steps_per_epoch_,
                      config_.batch_size, amp));
  log(absl::StrFormat("model: %s, %d parameters (hidden %d, layers %d)", config_.model,
                      network_.parameters().size(), config_.network.hidden,
                      config_.network.layers));
  std::string features;
  for (const std::string_view feature : kInputFeatures) {
    features += Concat(features.empty() ? "" : ", ", feature);
  }
  log(absl::StrFormat("input features: %d a node: %s", kInputFeatures.size(), features));
  log(absl::StrFormat("validation: %d instances, nearest neighbour %.4f",
                      config_.validation_instances, validation_reference_));
}

std::map<std::string, double> TrainingRun::Numbers() const {
  std::map<std::string, double> numbers = learner_->Numbers();
  const bool validated = std::isfinite(validation_cost_);
  numbers[kEpochsEnded] = static_cast<double>(epochs_ended_);
  numbers[kAdamSteps] = static_cast<double>(adam_.steps());
  numbers[kBadSteps] = static_cast<double>(bad_steps_);
  numbers[kHasValidation] = validated ? 1 : 0;
  numbers[kValidationCost] = validated ? validation_cost_ : 0;
  return numbers;
}

std::map<std::string, at::Tensor> TrainingRun::Tensors() {
  std::map<std::string, at::Tensor> tensors = learner_->Tensors();
  tensors[kParameters] = network_.parameters().flat();
  tensors[kAdamMean] = adam_.mean();
  tensors[kAdamSquare] = adam_.square();
  return tensors;
}

absl::Status TrainingRun::Save() {
  std::vector<at::Tensor> host;
  std::vector<TensorView> views;
  for (const auto& [name, tensor] : Tensors()) {
    host.push_back(tensor.to(at::kCPU).contiguous());
    const auto length = static_cast<size_t>(host.back().numel());
    views.push_back({name,
                     TensorType::kFloat32,
                     {host.back().numel()},
                     std::as_bytes(std::span(host.back().const_data_ptr<float>(), length))});
  }
  VRP_RETURN_IF_ERROR(
      WriteCheckpoint(request_.checkpoint_directory, {.step = step_,
                                                      .config_sha256 = Sha256Hex(config_.source),
                                                      .numbers = Numbers(),
                                                      .state = WriteSafetensors(views)}));
  saved_step_ = step_;
  observer_.OnCheckpoint(step_);
  return absl::OkStatus();
}

absl::StatusOr<std::map<std::string, at::Tensor>> TrainingRun::ReadTensors(
    const Checkpoint& checkpoint, const std::string& where) {
  VRP_ASSIGN_OR_RETURN(const SafetensorsFile file, SafetensorsFile::Parse(checkpoint.state, where));
  std::map<std::string, at::Tensor> tensors;
  for (const auto& [name, tensor] : Tensors()) {
    const TensorView* view = file.Find(name);
    if (view == nullptr || view->type != TensorType::kFloat32 ||
        view->shape != std::vector<int64_t>{tensor.numel()}) {
      return absl::DataLossError(Concat(where, ": ", name, ": missing or of another size"));
    }
    tensors[name] = at::empty({tensor.numel()}, at::kFloat);
    std::memcpy(tensors[name].mutable_data_ptr<float>(), view->data.data(), view->data.size());
  }
  for (const auto& [name, value] : Numbers()) {
    if (checkpoint.numbers.contains(name)) continue;
    return absl::DataLossError(Concat(where, ": ", name, ": missing"));
  }
  return tensors;
}

absl::Status TrainingRun::Resume() {
  absl::StatusOr<Checkpoint> found = ReadNewestCheckpoint(request_.checkpoint_directory);
  if (found.status().code() == absl::StatusCode::kNotFound) return absl::OkStatus();
  VRP_RETURN_IF_ERROR(found.status());
  const Checkpoint& checkpoint = *found;
  const std::string where = Concat(request_.checkpoint_directory, ": step ", checkpoint.step);
  if (checkpoint.config_sha256 != Sha256Hex(config_.source)) {
    return absl::FailedPreconditionError(Concat(where, ": it belongs to another configuration"));
  }
  VRP_ASSIGN_OR_RETURN(const auto restored, ReadTensors(checkpoint, where));
  const c10::NoGradGuard no_gradients;
  network_.parameters().flat().copy_(restored.at(kParameters));
  adam_.mean().copy_(restored.at(kAdamMean));
  adam_.square().copy_(restored.at(kAdamSquare));
  adam_.set_steps(static_cast<int64_t>(checkpoint.numbers.at(kAdamSteps)));
  epochs_ended_ = static_cast<int64_t>(checkpoint.numbers.at(kEpochsEnded));
  bad_steps_ = static_cast<int64_t>(checkpoint.numbers.at(kBadSteps));
  if (checkpoint.numbers.at(kHasValidation) != 0) {
    validation_cost_ = checkpoint.numbers.at(kValidationCost);
  }
  learner_->Restore(checkpoint.numbers, restored);
  step_ = saved_step_ = checkpoint.step;
  observer_.OnLog(Concat("resumed from step ", step_));
  return absl::OkStatus();
}

}  // namespace vrp
