#include "core/model/beam_search.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/status_macros.h"
#include "core/model/step_buffers.h"

namespace vrp {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

// One way to go on.
struct Candidate {
  double log_likelihood = kNever;
  int64_t parent = 0;  // beam of the same instance
  int32_t node = 0;
};

class BeamRunner {
 public:
  BeamRunner(const PointerNetwork& network, const EncodedNodes& encoded,
             std::span<const NetworkInput> inputs, const BeamOptions& options)
      : network_(network),
        encoded_(encoded),
        inputs_(inputs),
        options_(options),
        nodes_(encoded.nodes.size(1)),
        buffers_(static_cast<int64_t>(inputs.size()), options.width, nodes_) {
    for (const NetworkInput& input : inputs) {
      for (int64_t beam = 0; beam < options.width; ++beam) {
        result_.states.emplace_back(&input);
        result_.log_likelihoods.push_back(beam == 0 ? 0 : kNever);
      }
    }
  }

  absl::StatusOr<Rollout> Run() {
    DecoderState state = network_.Start(encoded_, options_.width);
    while (!AllDone()) {
      VRP_RETURN_IF_ERROR(StopStatus(options_.stop.Check()));
      VRP_RETURN_IF_ERROR(buffers_.Observe(result_.states, inputs_));
      const at::TensorOptions tensors = network_.tensor_options();
      const at::Tensor logits = network_.Step(encoded_, buffers_.Inputs(tensors), state)
                                    .to(at::kCPU, at::kFloat)
                                    .contiguous();
      const at::Tensor parents = Select(logits).to(tensors.device());
      state = {state.hidden.index_select(1, parents), state.cell.index_select(1, parents)};
      ++result_.steps;
    }
    return std::move(result_);
  }

 private:
  bool Alive(size_t row) const { return result_.log_likelihoods[row] != kNever; }

  bool AllDone() const {
    for (size_t row = 0; row < result_.states.size(); ++row) {
      if (Alive(row) && !result_.states[row].done()) return false;
    }
    return true;
  }

  // Keeps the best ways to go on; returns the rows that they come from, [B * width].
  at::Tensor Select(const at::Tensor& logits) {
    at::Tensor parents = at::empty({static_cast<int64_t>(result_.states.size())}, at::kLong);
    auto* parent = parents.mutable_data_ptr<int64_t>();
    std::vector<RoutingState> states;
    std::vector<double> log_likelihoods;
    for (size_t instance = 0; instance < inputs_.size(); ++instance) {
      const auto first = static_cast<int64_t>(instance) * options_.width;
      for (const Candidate& candidate : Best(first, logits.const_data_ptr<float>())) {
        const auto row = static_cast<size_t>(first + candidate.parent);
        *parent++ = static_cast<int64_t>(row);
        states.push_back(result_.states[row]);
        if (candidate.log_likelihood != kNever) states.back().Take(candidate.node);
        log_likelihoods.push_back(candidate.log_likelihood);
      }
    }
    result_.states = std::move(states);
    result_.log_likelihoods = std::move(log_likelihoods);
    return parents;
  }

  // Exactly `width` of them; the first goes on greedily from the first beam.
  std::vector<Candidate> Best(int64_t first, const float* logits) const {
    std::vector<Candidate> candidates;
    Candidate greedy;
    for (int64_t beam = 0; beam < options_.width; ++beam) {
      const size_t start = candidates.size();
      Extend(first, beam, logits, candidates);
      if (beam > 0) continue;
      const auto best = std::max_element(candidates.begin() + static_cast<int64_t>(start),
                                         candidates.end(), Less);
      greedy = *best;
      candidates.erase(best);
    }
    const auto others = static_cast<size_t>(options_.width - 1);
    const size_t kept = std::min(others, candidates.size());
    std::partial_sort(candidates.begin(), candidates.begin() + static_cast<int64_t>(kept),
                      candidates.end(),
                      [](const Candidate& a, const Candidate& b) { return Less(b, a); });
    candidates.resize(others);  // those that are missing are not alive
    candidates.insert(candidates.begin(), greedy);
    return candidates;
  }

  // A total order, so that ties are broken alike on every machine.
  static bool Less(const Candidate& a, const Candidate& b) {
    if (a.log_likelihood != b.log_likelihood) return a.log_likelihood < b.log_likelihood;
    return std::pair(a.parent, a.node) > std::pair(b.parent, b.node);
  }

  void Extend(int64_t first, int64_t beam, const float* logits,
              std::vector<Candidate>& candidates) const {
    const auto row = static_cast<size_t>(first + beam);
    if (!Alive(row)) return;
    const double so_far = result_.log_likelihoods[row];
    if (result_.states[row].done()) {
      candidates.push_back({so_far, beam, 0});
      return;
    }
    std::vector<double> log_probabilities(static_cast<size_t>(nodes_));
    LogSoftmax({logits + static_cast<int64_t>(row) * nodes_, log_probabilities.size()}, 1,
               log_probabilities);
    for (size_t node = 0; node < log_probabilities.size(); ++node) {
      if (log_probabilities[node] == kNever) continue;
      candidates.push_back({so_far + log_probabilities[node], beam, static_cast<int32_t>(node)});
    }
  }

  const PointerNetwork& network_;
  const EncodedNodes& encoded_;
  const std::span<const NetworkInput> inputs_;
  const BeamOptions& options_;
  const int64_t nodes_;
  StepBuffers buffers_;
  Rollout result_;
};

}  // namespace

absl::StatusOr<Rollout> RunBeamSearch(const PointerNetwork& network, const EncodedNodes& encoded,
                                      std::span<const NetworkInput> inputs,
                                      const BeamOptions& options) {
  const c10::NoGradGuard no_gradients;
  return BeamRunner(network, encoded, inputs, options).Run();
}

}  // namespace vrp
