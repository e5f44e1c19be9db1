#include "core/train/run/trained_network.h"

#include <string_view>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/device/device.h"
#include "core/train/optimiser/learning_rate.h"
#include "core/train/run/initial_model.h"

namespace vrp {
namespace {

constexpr char kAdamSteps[] = "adam_steps";
constexpr char kAdamMean[] = "adam.mean";
constexpr char kAdamSquare[] = "adam.square";
constexpr char kParameters[] = "parameters";
constexpr char kAverage[] = "average.parameters";
constexpr std::string_view kEngine = "engine.";

// Returns the precision that the configuration asks for, or kFp32 if the device does not support
// it. On a CPU the engine decides, because the kernels choose their instructions.
Precision AvailablePrecision(const TrainingConfig& config, DeviceId id) {
  if (!config.amp) return Precision::kFp32;
  if (id.kind == DeviceKind::kCpu) {
    return config.amp_type == Precision::kBf16 ? Precision::kBf16 : Precision::kFp32;
  }
  for (const DeviceInfo& device : ListDevices()) {
    if (device.id != id || !device.amp) continue;
    if (config.amp_type == Precision::kFp16 || device.bf16) return config.amp_type;
  }
  return Precision::kFp32;
}

EngineOptions OptionsOf(const TrainingRequest& request) {
  const TrainingConfig& config = request.config;
  return {.precision = AvailablePrecision(config, request.device),
          .allow_tf32 = config.tf32,
          .deterministic = config.deterministic,
          .gradient_checkpointing = config.gradient_checkpointing,
          .pinned = config.loader.pin};
}

}  // namespace

absl::StatusOr<std::unique_ptr<TrainedNetwork>> TrainedNetwork::Make(RunContext& context,
                                                                     const EngineFactory& factory) {
  const TrainingRequest& request = context.request;
  const EngineOptions options = OptionsOf(request);
  VRP_ASSIGN_OR_RETURN(std::unique_ptr<PolicyEngine> engine,
                       factory(context.config, request.device, options));
  engine->parameters().TrackGradient();
  // The other ranks get the weights of rank 0.
  if (!context.config.initial_model.empty() && context.ranks.leads()) {
    VRP_RETURN_IF_ERROR(LoadInitialModel(context.config, request.models_directories, *engine));
  }
  std::unique_ptr<TrainedNetwork> network(new TrainedNetwork(context, std::move(engine)));
  const bool fp32_only = request.device.kind == DeviceKind::kCpu && !network->engine_->HasBf16();
  network->precision_ = fp32_only ? Precision::kFp32 : options.precision;
  return network;
}

TrainedNetwork::TrainedNetwork(RunContext& context, std::unique_ptr<PolicyEngine> engine)
    : context_(context),
      engine_(std::move(engine)),
      adamw_(engine_->parameters().layout(), {.weight_decay = context.config.weight_decay}) {
  if (context.config.weight_average > 0) {
    average_.emplace(context.config.weight_average, engine_->parameters().values());
  }
}

absl::StatusOr<std::unique_ptr<PolicyEngine>> TrainedNetwork::MakeBaseline(
    const EngineFactory& factory) const {
  const TrainingConfig& config = context_.config;
  const bool greedy_rollout = config.method == TrainingMethod::kReinforce &&
                              config.reinforce.baseline == Baseline::kGreedyRollout;
  if (!greedy_rollout) return std::unique_ptr<PolicyEngine>();
  return factory(config, context_.request.device, OptionsOf(context_.request));
}

double TrainedNetwork::Norm() {
  return GradientNorm(std::as_const(*engine_).parameters().gradient(), &context_.pool);
}

absl::Status TrainedNetwork::Update(int64_t steps_done, double norm) {
  const TrainingConfig& config = context_.config;
  const double scale = norm > config.gradient_clip ? config.gradient_clip / norm : 1;
  adamw_.Step(engine_->parameters(), LearningRateAt(config, steps_done), scale, &context_.pool);
  if (average_.has_value()) {
    average_->Add(std::as_const(*engine_).parameters().values(), adamw_.steps(), &context_.pool);
  }
  return engine_->ParametersChanged();
}

std::span<const float> TrainedNetwork::ServedWeights() const {
  if (average_.has_value()) return average_->values();
  return std::as_const(*engine_).parameters().values();
}

absl::Status TrainedNetwork::WithServedWeights(absl::FunctionRef<absl::Status()> work) {
  return WithAveragedWeights(average_, *engine_, work);
}

CapturedStepsState TrainedNetwork::CapturedState() {
  CapturedStepsState state = {
      .updates = adamw_.steps(), .mean = adamw_.mean(), .square = adamw_.square()};
  if (average_.has_value()) state.weight_average = average_->values();
  return state;
}

absl::StatusOr<std::map<std::string, double>> TrainedNetwork::ScalarState() const {
  VRP_ASSIGN_OR_RETURN(const auto of_engine, engine_->ScalarState());
  std::map<std::string, double> scalars = {{kAdamSteps, static_cast<double>(adamw_.steps())}};
  for (const auto& [name, value] : of_engine) scalars[Concat(kEngine, name)] = value;
  return scalars;
}

std::map<std::string, std::span<float>> TrainedNetwork::TensorState() {
  std::map<std::string, std::span<float>> tensors = {{kParameters, engine_->parameters().values()},
                                                     {kAdamMean, adamw_.mean()},
                                                     {kAdamSquare, adamw_.square()}};
  if (average_.has_value()) tensors[kAverage] = average_->values();
  return tensors;
}

absl::Status TrainedNetwork::Restore(const std::map<std::string, double>& scalars) {
  adamw_.set_steps(static_cast<int64_t>(scalars.at(kAdamSteps)));
  std::map<std::string, double> of_engine;
  for (const auto& [name, value] : scalars) {
    if (IsEngineScalar(name)) of_engine[name.substr(kEngine.size())] = value;
  }
  VRP_RETURN_IF_ERROR(engine_->Restore(of_engine));
  return engine_->ParametersChanged();
}

bool TrainedNetwork::IsEngineScalar(const std::string& name) { return name.starts_with(kEngine); }

}  // namespace vrp
