#include "core/model/torch/engine.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/status_macros.h"
#include "core/model/torch/engine_trajectories.h"
#include "core/model/torch/fused.h"
#include "core/model/torch/guard.h"
#include "core/model/torch/rollout.h"

namespace vrp {
namespace {

// Largest number of rows (trajectories x nodes) in one part of a rollout.
constexpr int64_t kMaxRows = int64_t{1} << 21;
// Largest number of pairs of nodes in one part, if the network reads edges: some 150 bytes each.
constexpr int64_t kMaxPairs = int64_t{1} << 26;

}  // namespace

TorchEngine::TorchEngine(std::unique_ptr<TorchNetwork> network, FlatParameters parameters,
                         at::TensorOptions tensors, const EngineOptions& options)
    : network_(std::move(network)),
      options_(options),
      host_(std::move(parameters)),
      tensors_(&host_, tensors),
      largest_part_(std::numeric_limits<int32_t>::max()),
      captured_(MakeCapturedRollouts()) {
  if (options.precision == Precision::kFp16) scaler_.emplace(tensors.device());
}

absl::Status TorchEngine::ParametersChanged() {
  return GuardTorch([this] {
    uploaded_ += tensors_.Upload();
    return absl::OkStatus();
  });
}

Precision TorchEngine::PrecisionOf(bool bf16) const {
  return bf16 && options_.precision == Precision::kFp32 ? Precision::kBf16 : options_.precision;
}

TorchBatch TorchEngine::Tensors(const NetworkBatch& batch, Part part, Transfers& transfers) const {
  return MakeTorchBatch(batch,
                        {.first = part.first,
                         .count = part.count,
                         .options = tensors_.options(),
                         .edges = network_->wants_edges()},
                        transfers);
}

std::optional<DecoderProjections> TorchEngine::Project(const NetworkBatch& batch, Part part,
                                                       const EncodeOptions& options,
                                                       Transfers& transfers) const {
  if (!options_.fused) return std::nullopt;
  return network_->Project(tensors_, Tensors(batch, part, transfers), options);
}

std::unique_ptr<TorchDecoder> TorchEngine::Encode(const NetworkBatch& batch, Part part,
                                                  const EncodeOptions& options,
                                                  Transfers& transfers) const {
  return network_->Encode(tensors_, Tensors(batch, part, transfers), options);
}

absl::StatusOr<Trajectories> TorchEngine::Run(const NetworkBatch& batch,
                                              const RolloutRequest& request) const {
  VRP_RETURN_IF_ERROR(CheckTorchRequest(batch, request));
  if (captured_ == nullptr) return RunInParts(batch, request);
  if (auto captured = captured_->Run(batch, request); captured.has_value()) {
    return *std::move(captured);
  }
  absl::StatusOr<Trajectories> done = RunInParts(batch, request);
  const bool short_of_memory = absl::IsResourceExhausted(done.status());
  return short_of_memory && captured_->ReleaseMemory() ? RunInParts(batch, request)
                                                       : std::move(done);
}

absl::StatusOr<Trajectories> TorchEngine::RunInParts(const NetworkBatch& batch,
                                                     const RolloutRequest& request) const {
  Trajectories all;
  all.count = request.trajectories;
  const auto longest = std::max<int64_t>(1, batch.longest());
  const int64_t rows = longest * request.trajectories;
  int64_t instances = kMaxRows / rows;
  if (network_->wants_edges()) instances = std::min(instances, kMaxPairs / (longest * longest));
  const auto largest = static_cast<int32_t>(std::max<int64_t>(1, instances));
  const absl::Status status = GuardTorch([&]() -> absl::Status {
    const c10::NoGradGuard no_gradients;
    const AutocastScope autocast(tensors_.options().device().type(), options_.precision);
    for (int32_t first = 0; first < batch.size(); first += largest) {
      const Part part = {first, std::min(largest, batch.size() - first)};
      VRP_ASSIGN_OR_RETURN(const Trajectories done, RunPart(batch, request, part));
      AppendTrajectories(done, all);
    }
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return all;
}

absl::StatusOr<Trajectories> TorchEngine::RunPart(const NetworkBatch& batch,
                                                  const RolloutRequest& request, Part part) const {
  Transfers transfers(tensors_.options().device(), options_.pinned);
  if (const std::optional<DecoderProjections> projections = Project(batch, part, {}, transfers)) {
    return MakeFusedDecoder(*projections,
                            {.batch = &batch, .first = part.first, .count = part.count}, transfers)
        ->Rollout(request);
  }
  const std::unique_ptr<TorchDecoder> decoder = Encode(batch, part, {}, transfers);
  const TorchRolloutJob job = {.network = network_.get(),
                               .decoder = decoder.get(),
                               .batch = &batch,
                               .first = part.first,
                               .count = part.count,
                               .request = &request,
                               .record = request.choice == Choice::kForced,
                               .options = tensors_.options()};
  VRP_ASSIGN_OR_RETURN(TorchRollout rollout, RunTorchRollout(job, transfers));
  if (job.record) {
    FillForced(Replay(*decoder, rollout.steps, request.trajectories, 0), transfers,
               rollout.trajectories);
  }
  return std::move(rollout.trajectories);
}

absl::StatusOr<std::map<std::string, double>> TorchEngine::ScalarState() const {
  std::map<std::string, double> numbers;
  VRP_RETURN_IF_ERROR(GuardTorch([&] {
    if (scaler_.has_value()) numbers = scaler_->ScalarState();
    return absl::OkStatus();
  }));
  return numbers;
}

absl::Status TorchEngine::Restore(const std::map<std::string, double>& numbers) {
  return GuardTorch([&] {
    if (scaler_.has_value() && numbers.contains("loss_scale")) scaler_->Restore(numbers);
    return absl::OkStatus();
  });
}

}  // namespace vrp
