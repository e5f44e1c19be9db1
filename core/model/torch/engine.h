// The engine around any network in torch's operators. It divides batches to fit into the device's
// memory, runs both passes and applies the precision. Needs torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/model/policy/engine_options.h"
#include "core/model/policy/policy_engine.h"
#include "core/model/torch/captured_rollouts.h"
#include "core/model/torch/network.h"
#include "core/model/torch/parameters.h"
#include "core/model/torch/precision.h"

namespace vrp {

class TorchEngine final : public PolicyEngine {
 public:
  // Makes an engine that computes in the type and on the device of `tensors`.
  TorchEngine(std::unique_ptr<TorchNetwork> network, FlatParameters parameters,
              at::TensorOptions tensors, const EngineOptions& options);

  std::string_view architecture() const override { return network_->architecture(); }
  const NetworkInputs& inputs() const override { return network_->inputs(); }
  FlatParameters& parameters() override { return host_; }
  const FlatParameters& parameters() const override { return host_; }
  absl::Status ParametersChanged() override;

  // Uses captured rollouts for small greedy batches if the device supports them.
  absl::StatusOr<Trajectories> Run(const NetworkBatch& batch,
                                   const RolloutRequest& request) const override;

  // Adds the gradient in parts. If memory runs out, halves all later parts and logs that once.
  absl::StatusOr<GradientOutcome> AddGradient(const NetworkBatch& batch,
                                              const GradientRequest& request,
                                              WeighTrajectories weigh) override;

  // Whether the device or EngineOptions::step_stream provides streams. MakeCapturedSteps also needs
  // float32, and fused passes unless the network is a sequence model.
  bool can_capture_steps() const override;
  absl::StatusOr<std::unique_ptr<CapturedSteps>> MakeCapturedSteps(
      const CapturedStepsRequest& request) override;

  absl::StatusOr<std::map<std::string, double>> ScalarState() const override;
  absl::Status Restore(const std::map<std::string, double>& numbers) override;

  // Returns the parameters in the engine's type; tests in float64 compare them.
  TorchParameters& tensors() { return tensors_; }

 private:
  struct Part {  // instances first .. first + count - 1 of a batch
    int32_t first = 0;
    int32_t count = 0;
  };
  struct PartGradient;  // state of one AddPart

  Precision PrecisionOf(bool bf16) const;
  TorchBatch Tensors(const NetworkBatch& batch, Part part, Transfers& transfers) const;
  // Returns the projections for a FusedDecoder, or none if the decoder of Encode must be used.
  std::optional<DecoderProjections> Project(const NetworkBatch& batch, Part part,
                                            const EncodeOptions& options,
                                            Transfers& transfers) const;
  std::unique_ptr<TorchDecoder> Encode(const NetworkBatch& batch, Part part,
                                       const EncodeOptions& options, Transfers& transfers) const;
  absl::StatusOr<Trajectories> RunInParts(const NetworkBatch& batch,
                                          const RolloutRequest& request) const;
  absl::StatusOr<Trajectories> RunPart(const NetworkBatch& batch, const RolloutRequest& request,
                                       Part part) const;
  // Adds to `outcome` and to tensors_.gradient(), by AddFusedPart or AddSteppedPart.
  absl::Status AddPart(const NetworkBatch& batch, const GradientRequest& request,
                       WeighTrajectories weigh, Part part, GradientOutcome& outcome);
  absl::Status AddFusedPart(PartGradient& part, WeighTrajectories weigh,
                            const DecoderProjections& projections);
  absl::Status AddSteppedPart(PartGradient& part, WeighTrajectories weigh);
  // Adds all parts. If memory runs out, divides the batch into smaller ones.
  absl::Status AddParts(const NetworkBatch& batch, const GradientRequest& request,
                        WeighTrajectories weigh, GradientOutcome& outcome);
  void FinishGradient(GradientOutcome& outcome, Transfers& transfers);
  absl::Status CheckCapture(const CapturedStepsRequest& request) const;
  // Returns null if rollouts cannot be captured.
  std::unique_ptr<CapturedRollouts> MakeCapturedRollouts() const;

  const std::unique_ptr<const TorchNetwork> network_;
  const EngineOptions options_;
  FlatParameters host_;
  TorchParameters tensors_;
  std::optional<LossScaler> scaler_;  // fp16 only
  int32_t largest_part_;              // number of instances; halved when memory runs out
  int64_t uploaded_ = 0;              // bytes of parameters uploaded since the last step
  const std::unique_ptr<CapturedRollouts> captured_;
};

}  // namespace vrp
