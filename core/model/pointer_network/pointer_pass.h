// The network's passes over a group of instances, on the calling thread. Needs no torch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "core/kernels/decoder/beam_search.h"
#include "core/kernels/pointer_steps/pointer_steps.h"
#include "core/model/pointer_network/pointer_architecture.h"
#include "core/model/pointer_network/pointer_group.h"
#include "core/model/pointer_network/pointer_weights.h"
#include "core/model/policy/network_batch.h"
#include "core/model/policy/policy_engine.h"
#include "core/model/policy/trajectory_table.h"

namespace vrp {

// A network's passes over groups. Const functions may run on several threads at once, each with its
// own group.
class PointerPass {
 public:
  // Makes passes that multiply by the weights of LSTMs and projections as `bf16` says. kNone: they
  // multiply in float.
  PointerPass(const PointerNetworkOptions& options, Isa isa, Bf16 bf16);

  PointerWeights& weights() { return weights_; }
  const PointerWeights& weights() const { return weights_; }

  // The seed and the counters of an encoder's dropout.
  struct DropoutSettings {
    bool dropout = false;  // whether units are dropped
    uint64_t seed = 0;
    uint64_t stream = 0;
    int64_t first_instance = 0;
  };
  // Encodes instances first .. first + count - 1 of `batch`, with dropout if `settings.dropout`.
  void Encode(const NetworkBatch& batch, int32_t first, int32_t count,
              const DropoutSettings& settings, PointerGroup& group) const;
  // Decodes trajectories into the group's rows of `table`, and records the nodes that the decoder
  // has read. This function and the next two return the errors of PolicyEngine::Run.
  absl::Status Rollout(const RolloutRequest& request, PointerGroup& group,
                       TrajectoryTable& table) const;
  // Decodes each instance's beam search into the group's rows of `table`.
  absl::Status Beam(const RolloutRequest& request, PointerGroup& group,
                    TrajectoryTable& table) const;
  // Computes costs and lengths of the forced choices in `request`, without the network.
  // ForwardSteps later determines which own choices the decoder reads.
  absl::Status ReplayChoices(const RolloutRequest& request, PointerGroup& group,
                             TrajectoryTable& table) const;

  // The input and the results of a second pass over a group's trajectories.
  struct SecondPass {
    const GradientRequest* request = nullptr;
    const double* weights = nullptr;  // [count, P]
    TrajectoryTable* table = nullptr;
    // Whether to write the log-likelihoods and agreements that ReplayChoices leaves at 0.
    bool score = false;
    double loss = 0;        // result: sum of weight * log-likelihood (smoothed)
    double difference = 0;  // result: GradientOutcome::pass_difference
  };
  // Replays the trajectories of `table`. Computes the results of `pass` and the gradients of the
  // pointer's queries, keys and dynamic weights.
  void ForwardSteps(SecondPass& pass, PointerGroup& group) const;
  // Propagates these gradients through the decoder (BackwardSteps), then through the encoder
  // (BackwardNodes). Adds the gradients of the weights to the flat `gradient` and to group.sums.
  void BackwardSteps(const SecondPass& pass, PointerGroup& group, float* gradient) const;
  void BackwardNodes(PointerGroup& group, float* gradient) const;

 private:
  struct OwnChoices;
  // The left side of a product: `rows` rows of `a`, `stride` apart.
  struct Product {
    const float* a;
    int64_t stride;
    int64_t rows;
    Floats* work = nullptr;  // scratch, for weights that may be in bf16
    float* WorkFor(const PointerLinear& weight, int64_t inner) const;
  };
  void Multiply(const Product& a, const PointerLinear& weight, const float* bias, float* to) const;
  void MultiplyTo(const Product& a, const PointerLinear& weight, const float* bias,
                  Rows<float> to) const;
  void MultiplyAdd(const Product& a, const PointerLinear& weight, Rows<float> to) const;
  // Computes to (+)= a W, which turns the gradient of outputs into the gradient of inputs.
  void MultiplyBackward(const Product& a, const PointerLinear& weight, float* to, bool add) const;
  // A sum a^T b that is added to `weights`. The sums of a's columns are added to `bias`, unless it
  // is null.
  struct WeightSum {
    const float* b;
    float* weights;
    float* bias = nullptr;
  };
  void AddWeightGradient(const Product& a, const WeightSum& sum, const PointerLinear& weight,
                         PointerGroup& group) const;

  void ForwardStack(const std::vector<PointerLayer>& layers, const PointerDropout& dropout,
                    PointerStack& stack) const;
  LstmRun<float> RunOf(const PointerLayer& layer, size_t l, PointerStack& stack) const;
  // Propagates the top layer's d_hiddens down; gates become their gradients. `gradient` is flat.
  void BackwardStack(const std::vector<PointerLayer>& layers, PointerStack& stack,
                     PointerGroup& group, float* gradient) const;
  void AddRecurrentWeightGradient(const PointerLayer& layer, const LstmRun<float>& run,
                                  PointerGroup& group, float* gradient) const;
  void GrowStack(PointerStack& stack) const;
  void DrawDropoutFactors(const PointerDropout& dropout, int64_t layer, PointerStack& stack) const;

  void FillFeatures(const NetworkBatch& batch, PointerGroup& group) const;
  void RunEncoder(const DropoutSettings& settings, PointerGroup& group) const;
  void GatherNodes(PointerGroup& group) const;
  void ProjectNodes(PointerGroup& group) const;
  void LayOutInstances(const NetworkBatch& batch, PointerGroup& group) const;
  void OrderInstances(int32_t longest, PointerGroup& group) const;

  void StartSteps(int64_t trajectories, PointerGroup& group) const;
  void ReadNode(const PointerInstance& at, int32_t node, const RouteState& state, int64_t row,
                PointerGroup& group) const;
  void MoveStates(int64_t width, PointerGroup& group) const;
  // Runs layer l on the step_hidden of the layer below; the lowest layer reads step_gates. States
  // of consecutive layers are `stride` apart.
  void StepLayer(int64_t l, int64_t rows, int64_t stride, PointerGroup& group) const;
  void ScoreStep(int64_t trajectories, PointerGroup& group) const;
  // Rows of decoder outputs that belong to the same instance, and the memory of their logits.
  struct ScoredRows {
    const PointerInstance* at;
    int64_t row;
    int64_t rows;
    const StepView<float>* views;  // [rows]
    float* logits;                 // [rows, N']
  };
  void Score(const Product& outputs, std::span<const ScoredRows> parts, PointerGroup& group) const;
  GlimpseJob<float> Glimpse(const PointerInstance& at, PointerGroup& group, int64_t row,
                            int64_t steps) const;
  PointerJob<float> Logits(const PointerInstance& at, PointerGroup& group, int64_t row,
                           int64_t steps) const;
  void ReplaySteps(const SecondPass& pass, PointerGroup& group) const;
  void LayOutSteps(const SecondPass& pass, PointerGroup& group) const;
  void CopyFirstStates(const SecondPass& pass, PointerGroup& group) const;
  void GatherStepInputs(const TrajectoryTable& table, int64_t begin, int64_t end,
                        PointerGroup& group) const;
  void ReadOwnChoices(const SecondPass& pass, PointerGroup& group) const;
  void StartOwnChoices(OwnChoices& own, PointerGroup& group) const;
  void StepOwnChoices(int64_t t, OwnChoices& own, PointerGroup& group) const;
  void ChooseOwn(int64_t t, const OwnChoices& own, PointerGroup& group) const;
  void GlimpseSteps(const SecondPass& pass, PointerGroup& group) const;
  void ScoreSteps(SecondPass& pass, PointerGroup& group) const;
  void ScoreTrajectory(const SecondPass& pass, size_t r, PointerGroup& group) const;
  void AddTrajectoryResults(SecondPass& pass, size_t r, const PointerGroup& group) const;

  void BackwardGlimpses(const SecondPass& pass, PointerGroup& group, float* gradient) const;
  void BackwardDecoder(PointerGroup& group, float* gradient) const;
  void SpreadStepGradients(const SecondPass& pass, PointerGroup& group) const;
  void BackwardProjections(PointerGroup& group, float* gradient) const;
  void BackwardEncoder(PointerGroup& group, float* gradient) const;

  const PointerNetworkOptions options_;
  const int64_t gate_stride_;
  const PointerKernels<float>& kernels_;
  PointerWeights weights_;
};

}  // namespace vrp
