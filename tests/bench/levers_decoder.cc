#include "tests/bench/levers_decoder.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/generated/variable_factories.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "core/kernels/routing/routing_step.h"
#include "tests/bench/decoder_subject.h"
#include "tests/bench/lever.h"

namespace vrp {
namespace {

constexpr int32_t kCustomers = 50;
constexpr double kForbidden = -std::numeric_limits<double>::infinity();

// A subject's projections for `batch` equal instances, as tensors with gradients.
struct TorchNodes {
  TorchNodes(const DecoderSubject& subject, int64_t batch) : shape(subject.shape) {
    const at::Tensor all = at::from_blob(const_cast<float*>(subject.projections.data()),
                                         {subject.nodes + 2, subject.stride}, at::kFloat);
    const auto take = [&](int64_t row, int64_t rows, int64_t part) {
      return all.narrow(0, row, rows)
          .narrow(1, part * shape.hidden, shape.hidden)
          .repeat({batch, 1, 1})
          .set_requires_grad(true);
    };
    keys = take(0, subject.nodes, 0);
    values = take(0, subject.nodes, 1);
    logit_keys = take(0, subject.nodes, 2);
    queries = take(0, subject.nodes, 3);
    base = take(subject.nodes, 1, 0);
    shares_weight = all.narrow(0, subject.nodes, 2)
                        .reshape({-1})
                        .narrow(0, 2 * shape.hidden, kContextShares * shape.hidden)
                        .view({kContextShares, shape.hidden})
                        .clone()
                        .set_requires_grad(true);
  }

  // Returns log-probabilities [B, S, N] of S steps at `current` [B, S], with the remaining `shares`
  // [B, S, K] and `forbidden` [B, S, N].
  at::Tensor LogProbabilities(const at::Tensor& current, const at::Tensor& shares,
                              const at::Tensor& forbidden) const {
    const int64_t hidden = shape.hidden;
    const int64_t width = hidden / shape.heads;
    const at::Tensor at_node = queries.gather(1, current.unsqueeze(2).expand({-1, -1, hidden}));
    const at::Tensor query = base + at_node + at::matmul(shares, shares_weight);
    const auto heads = [&](const at::Tensor& rows) {
      return rows.view({rows.size(0), rows.size(1), shape.heads, width}).transpose(1, 2);
    };
    const at::Tensor scores = at::matmul(heads(query), heads(keys).transpose(2, 3)) /
                              std::sqrt(static_cast<double>(width));
    const at::Tensor attention =
        at::softmax(scores.masked_fill(forbidden.unsqueeze(1), kForbidden), -1);
    const at::Tensor glimpse =
        at::matmul(attention, heads(values)).transpose(1, 2).reshape(query.sizes());
    const at::Tensor logits =
        shape.clip * at::tanh(at::matmul(glimpse, logit_keys.transpose(1, 2)) /
                              std::sqrt(static_cast<double>(hidden)));
    return at::log_softmax(logits.masked_fill(forbidden, kForbidden), -1);
  }

  const DecoderShape shape;
  at::Tensor keys, values, logit_keys, queries;  // [B, N, H]
  at::Tensor base;                               // [B, 1, H]
  at::Tensor shares_weight;                      // [K, H]
};

// The observations of all steps of a subject's plans, [1, S, ...], and their choices.
struct TorchSteps {
  explicit TorchSteps(const DecoderSubject& subject) {
    const StepRules rules = MakeStepRules(subject.problem);
    std::vector<int64_t> at_node;
    std::vector<int64_t> chosen;
    std::vector<float> left;
    std::vector<float> masks;
    std::vector<uint8_t> visited(static_cast<size_t>(subject.nodes));
    std::vector<float> mask(visited.size());
    for (int32_t p = 0; p < subject.trajectories; ++p) {
      RouteState state = BeginTrajectory(rules, visited.data());
      for (const int32_t* choice = subject.plans.data() + p * subject.max_steps; !IsDone(state);
           ++choice) {
        WriteMask(rules, state, visited.data(), mask.data());
        masks.insert(masks.end(), mask.begin(), mask.end());
        left.resize(left.size() + kContextShares);
        WriteShares(rules, state, left.data() + left.size() - kContextShares);
        at_node.push_back(state.current);
        chosen.push_back(*choice);
        Take(rules, *choice, state, visited.data());
      }
    }
    const auto steps = static_cast<int64_t>(chosen.size());
    current = at::tensor(at_node).view({1, steps});
    choices = at::tensor(chosen).view({1, steps});
    shares = at::tensor(left).view({1, steps, kContextShares});
    forbidden = at::tensor(masks).view({1, steps, subject.nodes}).ne(0);
  }

  at::Tensor current, choices, shares, forbidden;
};

void CheckEqual(double ours, double theirs) {
  if (std::abs(ours - theirs) < 1e-3 * std::abs(theirs)) return;
  std::cerr << "levers_bench: second pass: sums of log-likelihoods differ by over 0.1 %: ours "
            << ours << ", torch " << theirs << "\n";
  std::exit(1);
}

void MeasureSecondPassOf(int32_t trajectories, int64_t batch) {
  DecoderSubject subject({.customers = kCustomers, .trajectories = trajectories});
  const auto decoder = MakeAttentionDecoder<float>(subject.shape, BestIsa());
  std::vector<float> scratch(
      static_cast<size_t>(decoder->ScratchSize(subject.problem, trajectories)));
  const std::vector<double> weights(static_cast<size_t>(trajectories), 0.01);
  std::vector<double> likelihoods(weights.size());
  const auto ours = [&] {
    for (int64_t b = 0; b < batch; ++b) {
      decoder->SecondPass(subject.problem, subject.View<const float>(subject.projections.data()),
                          {.trajectories = trajectories,
                           .max_steps = subject.max_steps,
                           .choices = subject.plans.data(),
                           .weights = weights.data()},
                          likelihoods.data(), subject.View<float>(subject.gradients.data()),
                          scratch.data());
    }
  };
  const TorchNodes nodes(subject, batch);
  const TorchSteps steps(subject);
  const auto repeated = [batch](const at::Tensor& one) {
    std::vector<int64_t> sizes = one.sizes().vec();
    sizes[0] = batch;
    return one.expand(sizes).contiguous();
  };
  const at::Tensor current = repeated(steps.current);
  const at::Tensor shares = repeated(steps.shares);
  const at::Tensor forbidden = repeated(steps.forbidden);
  const at::Tensor choices = repeated(steps.choices).unsqueeze(2);
  double sum = 0;
  const auto theirs = [&] {
    const at::Tensor loss =
        nodes.LogProbabilities(current, shares, forbidden).gather(2, choices).sum();
    (0.01 * loss).backward();
    sum = loss.item<double>() / static_cast<double>(batch);
  };
  ours();
  theirs();
  CheckEqual(std::accumulate(likelihoods.begin(), likelihoods.end(), 0.0), sum);
  MeasureLever({"second pass",
                std::to_string(batch) + " CVRP50 x " + std::to_string(trajectories) + " tours",
                {"fused, scores recomputed", ours},
                {"torch, all steps at once", theirs}});
}

// Samples tours of all instances step by step. Returns the sum of their log-likelihoods.
double TorchRollout(const TorchNodes& nodes, const at::Tensor& demands, double capacity) {
  const c10::NoGradGuard no_gradients;
  const int64_t batch = nodes.keys.size(0);
  at::Tensor visited = at::zeros({batch, demands.size(1)}, at::kBool);
  at::Tensor used = at::zeros({batch, 1});
  at::Tensor current = at::zeros({batch, 1}, at::kLong);
  at::Tensor likelihood = at::zeros({batch, 1});
  while (!visited.narrow(1, 1, kCustomers).all().item<bool>() || current.any().item<bool>()) {
    at::Tensor forbidden = visited.logical_or(demands + used > capacity);
    const at::Tensor stays = forbidden.narrow(1, 1, kCustomers).all(1).logical_not();
    forbidden.select(1, 0).copy_(current.squeeze(1).eq(0).logical_and(stays));
    at::Tensor shares = at::zeros({batch, 1, kContextShares});
    shares.select(2, 0).copy_((capacity - used) / capacity);
    const at::Tensor scores =
        nodes.LogProbabilities(current, shares, forbidden.unsqueeze(1)).squeeze(1);
    const at::Tensor choice = at::multinomial(scores.exp(), 1);
    likelihood += scores.gather(1, choice);
    used = at::where(choice.eq(0), 0.0F, used + demands.gather(1, choice));
    visited.scatter_(1, choice, visited.gather(1, choice).logical_or(choice.ne(0)));
    current = choice;
  }
  return likelihood.sum().item<double>();
}

}  // namespace

void MeasureSecondPass() {
  MeasureSecondPassOf(1, 128);
  MeasureSecondPassOf(kCustomers, 4);
}

void MeasureRollout() {
  constexpr int64_t kBatch = 512;
  DecoderSubject subject({.customers = kCustomers});
  const auto decoder = MakeAttentionDecoder<float>(subject.shape, BestIsa());
  std::vector<float> scratch(static_cast<size_t>(decoder->ScratchSize(subject.problem, 1)));
  std::vector<int32_t> choices(static_cast<size_t>(subject.max_steps));
  int32_t length = 0;
  int32_t agreements = 0;
  double cost = 0;
  double likelihood = 0;
  const TorchNodes nodes(subject, kBatch);
  const at::Tensor demands =
      at::tensor(subject.demands).to(at::kFloat).unsqueeze(0).repeat({kBatch, 1});
  MeasureLever({"rollout",
                std::to_string(kBatch) + " CVRP50",
                {"a tour at a time, in one loop",
                 [&] {
                   for (int64_t b = 0; b < kBatch; ++b) {
                     decoder->Rollout(subject.problem,
                                      subject.View<const float>(subject.projections.data()),
                                      {.choice = StepChoice::kSample, .first_trajectory = b},
                                      {subject.max_steps, choices.data(), &length, &cost,
                                       &likelihood, &agreements},
                                      scratch.data());
                   }
                 }},
                {"torch, a step at a time",
                 [&] { TorchRollout(nodes, demands, subject.problem.capacity); }}});
}

}  // namespace vrp
