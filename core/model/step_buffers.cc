#include "core/model/step_buffers.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "core/base/text.h"

namespace vrp {

StepBuffers::StepBuffers(int64_t instances, int64_t trajectories, int64_t nodes)
    : trajectories_(trajectories), nodes_(nodes) {
  host_.current = at::empty({instances, trajectories}, at::kLong);
  host_.context = at::empty({instances, trajectories, kContextFeatures}, at::kFloat);
  host_.dynamic = at::empty({instances, trajectories, nodes, kDynamicFeatures}, at::kFloat);
  host_.forbidden = at::empty({instances, trajectories, nodes}, at::kBool);
}

absl::Status StepBuffers::Observe(std::span<const RoutingState> states,
                                  std::span<const NetworkInput> inputs) {
  host_.current = at::empty_like(host_.current);
  host_.context = at::empty_like(host_.context);
  host_.dynamic = at::zeros_like(host_.dynamic);  // padded nodes are not written
  host_.forbidden = at::ones_like(host_.forbidden);
  auto* current = host_.current.mutable_data_ptr<int64_t>();
  auto* context = host_.context.mutable_data_ptr<float>();
  auto* dynamic = host_.dynamic.mutable_data_ptr<float>();
  auto* forbidden = reinterpret_cast<uint8_t*>(host_.forbidden.mutable_data_ptr<bool>());
  std::atomic<int64_t> stuck{-1};
  const auto width = static_cast<size_t>(nodes_);
  at::parallel_for(0, static_cast<int64_t>(states.size()), 64, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const RoutingState& state = states[static_cast<size_t>(row)];
      current[row] = state.current();
      const bool free = state.Observe(
          {.forbidden = {forbidden + row * nodes_, width},
           .dynamic = {dynamic + row * nodes_ * kDynamicFeatures, width * kDynamicFeatures},
           .context = {context + row * kContextFeatures, kContextFeatures}});
      if (!free) stuck.store(row);
    }
  });
  if (stuck.load() < 0) return absl::OkStatus();
  const int64_t instance = stuck.load() / trajectories_;
  const NodeIndex customer = states[static_cast<size_t>(stuck.load())].FirstUnvisited();
  return absl::FailedPreconditionError(
      Concat("instances[", instance, "]: customer ",
             inputs[static_cast<size_t>(instance)].instance.id(customer),
             " cannot be served by a route of its own"));
}

StepInputs StepBuffers::Inputs(at::TensorOptions options) const {
  return {host_.current.to(options.device()), host_.context.to(options), host_.dynamic.to(options),
          host_.forbidden.to(options.device())};
}

void LogSoftmax(std::span<const float> logits, double temperature, std::span<double> to) {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  double highest = kNever;
  for (const float logit : logits) highest = std::max(highest, logit / temperature);
  double sum = 0;
  for (size_t i = 0; i < logits.size(); ++i) {
    to[i] = logits[i] / temperature - highest;
    sum += std::exp(to[i]);
  }
  const double log_sum = std::log(sum);
  if (std::isfinite(log_sum)) {
    for (double& value : to) value -= log_sum;
    return;
  }
  const auto allowed = [](float logit) { return logit != static_cast<float>(kNever); };
  const auto count = std::count_if(logits.begin(), logits.end(), allowed);
  const double uniform = -std::log(static_cast<double>(count));
  for (size_t i = 0; i < logits.size(); ++i) to[i] = allowed(logits[i]) ? uniform : kNever;
}

}  // namespace vrp
