// The graph transformer on the CPU, by our own kernels: attention encoder with edge bias, attention
// decoder (Kool et al. 2019; multi-start training as Kwon et al. 2020). No torch here.
//
// A group of instances goes through the whole step (encoder, rollout, weights, second pass,
// backward) before the next one begins, so that its activations stay in the caches and a batch
// needs the memory of as many groups as there are threads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/model/graph_transformer/graph_transformer_options.h"
#include "core/model/policy/policy_engine.h"

namespace vrp {

// `options` are valid (CheckGraphTransformerOptions). Weights are drawn from `seed`.
std::unique_ptr<PolicyEngine> MakeCpuGraphTransformer(const GraphTransformerOptions& options,
                                                      uint64_t seed);

// The same in double precision, for comparing: parameters and their gradient are still float, the
// last gradient can be read as it was summed.
class Float64Engine : public PolicyEngine {
 public:
  // Of the last AddGradient, [parameters().size()].
  virtual std::span<const double> LastGradient() const = 0;
};
std::unique_ptr<Float64Engine> MakeFloat64GraphTransformer(const GraphTransformerOptions& options,
                                                           uint64_t seed);

}  // namespace vrp
