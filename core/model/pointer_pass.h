// The passes of a pointer network over a group of instances, on the calling thread. No torch here.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "core/kernels/beam_search.h"
#include "core/kernels/pointer_steps.h"
#include "core/model/network_batch.h"
#include "core/model/pointer_group.h"
#include "core/model/pointer_network_options.h"
#include "core/model/pointer_weights.h"
#include "core/model/policy_engine.h"
#include "core/model/trajectory_table.h"

namespace vrp {

// Const functions may run on several threads at once, each with a group of its own.
class PointerPass {
 public:
  // `bf16` is what the LSTMs' products are computed in; kNone: float.
  PointerPass(const PointerNetworkOptions& options, Isa isa, Bf16 bf16);

  PointerWeights& weights() { return weights_; }
  const PointerWeights& weights() const { return weights_; }

  struct Noise {
    bool dropout = false;
    uint64_t seed = 0;
    uint64_t stream = 0;
    int64_t first_instance = 0;
  };
  void Encode(const NetworkBatch& batch, int32_t first, int32_t count, const Noise& noise,
              PointerGroup& group) const;
  // Writes the group's rows of `table`, and what the decoder has read.
  absl::Status Rollout(const RolloutRequest& request, PointerGroup& group,
                       TrajectoryTable& table) const;
  // Writes the group's rows of `table`: each instance's beam search.
  absl::Status Beam(const RolloutRequest& request, PointerGroup& group,
                    TrajectoryTable& table) const;
  // Only walks along the choices that `request` gives: costs and lengths.
  absl::Status Walk(const RolloutRequest& request, PointerGroup& group,
                    TrajectoryTable& table) const;

  struct SecondPass {
    const GradientRequest* request = nullptr;
    const double* weights = nullptr;  // [count, P]
    TrajectoryTable* table = nullptr;
    bool score = false;  // log-likelihoods and agreements go into the table
    double loss = 0;     // results
    double difference = 0;
  };
  void ForwardSteps(SecondPass& pass, PointerGroup& group) const;
  void BackwardSteps(const SecondPass& pass, PointerGroup& group, float* gradient) const;
  void BackwardNodes(PointerGroup& group, float* gradient) const;

 private:
  struct Product {
    const float* a;
    int64_t stride;
    int64_t rows;
    Floats* work = nullptr;  // with an LSTM's weights
    float* WorkFor(const PointerLinear& weight, int64_t inner) const;
  };
  void Multiply(const Product& a, const PointerLinear& weight, const float* bias, float* to) const;
  void MultiplyTo(const Product& a, const PointerLinear& weight, const float* bias,
                  Rows<float> to) const;
  // to += a W: from the outputs' gradient to the inputs'.
  void Back(const Product& a, const PointerLinear& weight, float* to, bool add) const;
  // weights += a^T b; bias (null: none) += the sums of a's columns.
  struct WeightSum {
    const float* b;
    float* weights;
    float* bias = nullptr;
  };
  void AddWeight(const Product& a, const WeightSum& sum, const PointerLinear& weight,
                 PointerGroup& group) const;

  void ForwardStack(const std::vector<PointerLayer>& layers, const PointerDropout& dropout,
                    PointerStack& stack) const;
  // Begins with the top layer's d_hiddens; leaves gates as gradients. `gradient` flat.
  void BackwardStack(const std::vector<PointerLayer>& layers, PointerStack& stack,
                     PointerGroup& group, float* gradient) const;
  void AddRecurrentWeight(const PointerLayer& layer, const LstmRun<float>& run, PointerGroup& group,
                          float* gradient) const;
  void GrowStack(PointerStack& stack) const;
  void Drop(const PointerDropout& dropout, int64_t layer, PointerStack& stack) const;

  void PlaceFeatures(const NetworkBatch& batch, PointerGroup& group) const;
  void RunEncoder(const Noise& noise, PointerGroup& group) const;
  void GatherNodes(PointerGroup& group) const;
  void ProjectNodes(PointerGroup& group) const;
  void PlaceInstances(const NetworkBatch& batch, PointerGroup& group) const;
  void OrderInstances(int32_t longest, PointerGroup& group) const;

  void StartSteps(int64_t trajectories, PointerGroup& group) const;
  void ReadNode(const PointerInstance& at, int32_t node, const RouteState& state, int64_t row,
                PointerGroup& group) const;
  void FollowTours(int64_t width, PointerGroup& group) const;
  void StepLayers(int64_t rows, PointerGroup& group) const;
  void ScoreStep(int64_t trajectories, PointerGroup& group) const;
  GlimpseJob<float> Glimpse(const PointerInstance& at, PointerGroup& group, int64_t row,
                            int64_t steps) const;
  PointerJob<float> Logits(const PointerInstance& at, PointerGroup& group, int64_t row,
                           int64_t steps) const;
  void ReplaySteps(const SecondPass& pass, PointerGroup& group) const;
  void PlaceSteps(const SecondPass& pass, PointerGroup& group) const;
  void PlaceStepInputs(const SecondPass& pass, PointerGroup& group) const;
  void GlimpseSteps(const SecondPass& pass, PointerGroup& group) const;
  void PointSteps(SecondPass& pass, PointerGroup& group) const;
  void PointTrajectory(const SecondPass& pass, size_t r, PointerGroup& group) const;
  void Summarise(SecondPass& pass, size_t r, const PointerGroup& group) const;

  void BackwardGlimpses(const SecondPass& pass, PointerGroup& group, float* gradient) const;
  void BackwardDecoder(PointerGroup& group, float* gradient) const;
  void SpreadStepGradients(const SecondPass& pass, PointerGroup& group) const;
  void BackwardProjections(PointerGroup& group, float* gradient) const;
  void BackwardEncoder(PointerGroup& group, float* gradient) const;

  const PointerNetworkOptions options_;
  const int64_t gate_stride_;
  const DenseKernels<float>& dense_;
  const PointerKernels<float>& kernels_;
  PointerWeights weights_;
};

// In [0, 1), drawn for step t of a trajectory: for its choice, and for what the decoder reads next.
struct PointerDraw {
  double choice;
  double reading;
};
PointerDraw DrawAt(const RolloutRequest& request, int64_t trajectory, int32_t t);

}  // namespace vrp
