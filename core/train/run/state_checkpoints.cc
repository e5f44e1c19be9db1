#include "core/train/run/state_checkpoints.h"

#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "core/base/sha256.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/weights/safetensors.h"

namespace vrp {
namespace {

constexpr char kWholeEpochs[] = "epochs_ended";
constexpr char kIntegers[] = "plans";  // the name in the file, as its first user called them

absl::Status Missing(const std::string& where, std::string_view name) {
  return absl::DataLossError(
      Concat(where, ": ", name, ": missing or of another size; submit the job again"));
}

}  // namespace

bool StateCheckpoints::IsOneOfTheBest() const {
  const int64_t best = context_.config.keep_best_checkpoints;
  const double cost = state_.cost(position_.step);
  if (best == 0 || std::isnan(cost)) return false;
  return IsAmongBest(context_.request.checkpoint_directory, cost, best);
}

std::map<std::string, double> StateCheckpoints::ScalarState() const {
  std::map<std::string, double> scalars = state_.scalars();
  scalars[kWholeEpochs] = static_cast<double>(position_.epochs_ended);
  scalars.merge(best_.ScalarState());
  return scalars;
}

std::map<std::string, std::span<float>> StateCheckpoints::TensorState() {
  std::map<std::string, std::span<float>> tensors = state_.tensors();
  tensors.merge(best_.TensorState());
  return tensors;
}

Checkpoint StateCheckpoints::MakeCheckpoint() {
  std::vector<TensorView> views;
  for (const auto& [name, values] : TensorState()) {
    views.push_back({name,
                     TensorType::kFloat32,
                     {std::ssize(values)},
                     std::as_bytes(std::span<const float>(values))});
  }
  const std::vector<int32_t> integers = state_.integers();
  if (!integers.empty()) {
    views.push_back({kIntegers,
                     TensorType::kInt32,
                     {std::ssize(integers)},
                     std::as_bytes(std::span<const int32_t>(integers))});
  }
  Checkpoint checkpoint = {.step = position_.step,
                           .config_sha256 = Sha256Hex(context_.config.source),
                           .scalars = ScalarState(),
                           .state = WriteSafetensors(views)};
  const double cost = state_.cost(position_.step);
  if (std::isfinite(cost)) checkpoint.validation_cost = cost;
  return checkpoint;
}

absl::Status StateCheckpoints::Save() {
  const RunClock::Scope clocked(context_.clock, RunPhase::kCheckpoints);
  context_.observer.OnPhase("checkpoint");
  const TrainingConfig& config = context_.config;
  const absl::Status written =
      WriteCheckpoint(context_.request.checkpoint_directory, MakeCheckpoint(),
                      {.last = config.keep_last_checkpoints, .best = config.keep_best_checkpoints});
  if (absl::IsInternal(written)) return written;
  if (!written.ok()) {
    context_.observer.OnLog(Concat("could not write a checkpoint of step ", position_.step, ": ",
                                   FromAbsl(written.message())));
    return absl::OkStatus();
  }
  saved_step_ = position_.step;
  context_.observer.OnCheckpoint(saved_step_);
  return absl::OkStatus();
}

void StateCheckpoints::SaveLast() {
  if (IsSaved()) return;
  const absl::Status saved = Save();
  if (saved.ok()) return;
  context_.observer.OnLog(Concat("could not write the last checkpoint: ", saved.ToString()));
}

absl::Status StateCheckpoints::Resume() {
  const std::string& directory = context_.request.checkpoint_directory;
  const absl::StatusOr<Checkpoint> found = ReadNewestCheckpoint(directory);
  if (absl::IsNotFound(found.status())) return absl::OkStatus();
  VRP_RETURN_IF_ERROR(found.status());
  const std::string where = Concat(directory, ": step ", found->step);
  if (found->config_sha256 != Sha256Hex(context_.config.source)) {
    return absl::FailedPreconditionError(
        Concat(where, ": belongs to another configuration; submit the job again"));
  }
  VRP_RETURN_IF_ERROR(Restore(*found, where));
  position_.step = saved_step_ = found->step;
  context_.observer.OnLog(Concat("resumed from step ", saved_step_));
  return absl::OkStatus();
}

absl::Status StateCheckpoints::Restore(const Checkpoint& checkpoint, const std::string& where) {
  for (const auto& [name, value] : ScalarState()) {
    if (!checkpoint.scalars.contains(name) && !BestWeights::IsOptional(name)) {
      return Missing(where, name);
    }
  }
  VRP_ASSIGN_OR_RETURN(const SafetensorsFile file, SafetensorsFile::Parse(checkpoint.state, where));
  best_.ExpectValues(checkpoint.scalars, file.Find(BestWeights::TensorName()) != nullptr,
                     state_.parameters);
  for (const auto& [name, values] : TensorState()) {
    const TensorView* view = file.Find(name);
    const bool fits = view != nullptr && view->type == TensorType::kFloat32 &&
                      view->shape == std::vector<int64_t>{std::ssize(values)};
    if (!fits) return Missing(where, name);
    std::memcpy(values.data(), view->data.data(), view->data.size());
  }
  std::vector<int32_t> integers;
  if (const TensorView* const view = file.Find(kIntegers); view != nullptr) {
    if (view->type != TensorType::kInt32) return Missing(where, kIntegers);
    integers.resize(view->data.size() / sizeof(int32_t));
    if (!integers.empty()) std::memcpy(integers.data(), view->data.data(), view->data.size());
  }
  position_.epochs_ended = static_cast<int64_t>(checkpoint.scalars.at(kWholeEpochs));
  best_.Restore(checkpoint.scalars);
  const absl::Status restored = state_.restore(checkpoint.scalars, integers);
  if (restored.ok()) return restored;
  return absl::Status(restored.code(), Concat(where, ": ", FromAbsl(restored.message())));
}

}  // namespace vrp
