#include "core/train/run/checkpoint_keeper.h"

#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/base/sha256.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {
namespace {

constexpr char kEpochsEnded[] = "epochs_ended";
// Keys of the state that ranks share.
constexpr char kStep[] = "step";
constexpr char kScalars[] = "scalars";

}  // namespace

bool CheckpointKeeper::IsOneOfTheBest() const {
  const int64_t best = parts_.context.config.keep_best_checkpoints;
  if (best == 0 || !parts_.context.ranks.leads() ||
      !parts_.validator.Validated(parts_.position.step))
    return false;
  return IsAmongBest(parts_.context.request.checkpoint_directory, parts_.validator.score().cost,
                     best);
}

absl::StatusOr<std::map<std::string, double>> CheckpointKeeper::ScalarState() const {
  VRP_ASSIGN_OR_RETURN(auto scalars, parts_.network.ScalarState());
  scalars[kEpochsEnded] = static_cast<double>(parts_.position.epochs_ended);
  scalars.merge(parts_.learner.ScalarState());
  scalars.merge(parts_.steps.ScalarState());
  scalars.merge(parts_.validator.ScalarState());
  scalars.merge(parts_.reporter.ScalarState());
  return scalars;
}

std::map<std::string, std::span<float>> CheckpointKeeper::TensorState() {
  std::map<std::string, std::span<float>> tensors = parts_.network.TensorState();
  tensors.merge(parts_.learner.TensorState());
  tensors.merge(parts_.validator.best().TensorState());
  return tensors;
}

absl::StatusOr<Checkpoint> CheckpointKeeper::MakeCheckpoint() {
  VRP_ASSIGN_OR_RETURN(auto scalars, ScalarState());
  std::vector<TensorView> views;
  for (const auto& [name, values] : TensorState()) {
    views.push_back({name,
                     TensorType::kFloat32,
                     {static_cast<int64_t>(values.size())},
                     std::as_bytes(std::span<const float>(values))});
  }
  const int64_t step = parts_.position.step;
  Checkpoint checkpoint = {.step = step,
                           .config_sha256 = Sha256Hex(parts_.context.config.source),
                           .scalars = std::move(scalars),
                           .state = WriteSafetensors(views)};
  const double cost = parts_.validator.score().cost;
  if (parts_.validator.Validated(step) && std::isfinite(cost)) checkpoint.validation_cost = cost;
  return checkpoint;
}

absl::Status CheckpointKeeper::Save() {
  RunContext& context = parts_.context;
  if (!context.ranks.leads()) return absl::OkStatus();
  const RunClock::Scope clocked(context.clock, RunPhase::kCheckpoints);
  VRP_RETURN_IF_ERROR(parts_.steps.Settle());
  context.observer.OnPhase("checkpoint");
  VRP_ASSIGN_OR_RETURN(const Checkpoint checkpoint, MakeCheckpoint());
  const absl::Status written = WriteCheckpoint(
      context.request.checkpoint_directory, checkpoint,
      {.last = context.config.keep_last_checkpoints, .best = context.config.keep_best_checkpoints});
  if (absl::IsInternal(written)) return written;
  if (!written.ok()) {
    LogFailure(written);
    return absl::OkStatus();
  }
  saved_step_ = checkpoint.step;
  context.observer.OnCheckpoint(saved_step_);
  return absl::OkStatus();
}

void CheckpointKeeper::LogFailure(const absl::Status& failure) const {
  const std::string before = saved_step_ >= 0 ? Concat("the newest is of step ", saved_step_)
                                              : "there is none: an interrupted run would restart";
  parts_.context.observer.OnLog(Concat("could not write a checkpoint of step ",
                                       parts_.position.step, ", ", before, ": ",
                                       FromAbsl(failure.message())));
}

absl::Status CheckpointKeeper::Resume() {
  RunContext& context = parts_.context;
  if (!context.ranks.leads()) return absl::OkStatus();
  const std::string& directory = context.request.checkpoint_directory;
  absl::StatusOr<Checkpoint> found = ReadNewestCheckpoint(directory);
  if (found.status().code() == absl::StatusCode::kNotFound) return absl::OkStatus();
  VRP_RETURN_IF_ERROR(found.status());
  const std::string where = Concat(directory, ": step ", found->step);
  if (found->config_sha256 != Sha256Hex(context.config.source)) {
    return absl::FailedPreconditionError(
        Concat(where, ": belongs to another configuration; submit the job again"));
  }
  VRP_RETURN_IF_ERROR(Restore(*found, where));
  saved_step_ = found->step;
  context.observer.OnLog(Concat("resumed from step ", saved_step_));
  const int64_t best = parts_.validator.best().ResetIfWeightsMissing();
  if (best > 0) {
    context.observer.OnLog(Concat(
        "the checkpoint of an earlier version lacks the weights of the best validation (step ",
        best, "); only later validations count"));
  }
  return absl::OkStatus();
}

absl::Status CheckpointKeeper::Restore(const Checkpoint& checkpoint, const std::string& where) {
  VRP_RETURN_IF_ERROR(CheckScalars(checkpoint, where));
  VRP_RETURN_IF_ERROR(RestoreTensors(checkpoint, where));
  VRP_RETURN_IF_ERROR(RestoreScalars(checkpoint.scalars));
  parts_.position.step = checkpoint.step;
  return absl::OkStatus();
}

absl::Status CheckpointKeeper::ShareState() {
  RankGroup& ranks = parts_.context.ranks;
  if (ranks.alone()) return absl::OkStatus();
  const std::string where = "the state of rank 0";
  absl::StatusOr<Checkpoint> state = Checkpoint();
  std::string numbers;
  if (ranks.leads()) {
    state = MakeCheckpoint();
    if (state.ok()) {
      numbers = nlohmann::json{{kStep, state->step}, {kScalars, state->scalars}}.dump();
    }
  }
  VRP_RETURN_IF_ERROR(ranks.Share(state.status(), numbers));
  VRP_RETURN_IF_ERROR(ranks.Share(absl::OkStatus(), state->state));
  if (ranks.leads()) return absl::OkStatus();
  VRP_ASSIGN_OR_RETURN(const nlohmann::json json, ParseJsonText(numbers, where));
  state->step = json.at(kStep).get<int64_t>();
  state->scalars = json.at(kScalars).get<std::map<std::string, double>>();
  return Restore(*state, where);
}

absl::Status CheckpointKeeper::CheckScalars(const Checkpoint& checkpoint,
                                            const std::string& where) const {
  VRP_ASSIGN_OR_RETURN(const auto wanted, ScalarState());
  for (const auto& [name, value] : wanted) {
    const bool optional = TrainedNetwork::IsEngineScalar(name) || BestWeights::IsOptional(name);
    if (optional || checkpoint.scalars.contains(name)) continue;
    return absl::DataLossError(Concat(where, ": ", name, ": missing; submit the job again"));
  }
  return absl::OkStatus();
}

absl::Status CheckpointKeeper::RestoreTensors(const Checkpoint& checkpoint,
                                              const std::string& where) {
  VRP_ASSIGN_OR_RETURN(const SafetensorsFile file, SafetensorsFile::Parse(checkpoint.state, where));
  const bool has_best = file.Find(BestWeights::TensorName()) != nullptr;
  parts_.validator.best().ExpectValues(checkpoint.scalars, has_best,
                                       parts_.network.engine().parameters().size());
  for (const auto& [name, values] : TensorState()) {
    const TensorView* view = file.Find(name);
    if (view == nullptr || view->type != TensorType::kFloat32 ||
        view->shape != std::vector<int64_t>{static_cast<int64_t>(values.size())}) {
      return absl::DataLossError(
          Concat(where, ": ", name, ": missing or of another size; submit the job again"));
    }
    std::memcpy(values.data(), view->data.data(), view->data.size());
  }
  return absl::OkStatus();
}

absl::Status CheckpointKeeper::RestoreScalars(const std::map<std::string, double>& scalars) {
  parts_.position.epochs_ended = static_cast<int64_t>(scalars.at(kEpochsEnded));
  parts_.reporter.Restore(scalars);
  parts_.steps.Restore(scalars);
  parts_.validator.Restore(scalars);
  VRP_RETURN_IF_ERROR(parts_.network.Restore(scalars));
  return parts_.learner.Restore(scalars);
}

}  // namespace vrp
