// The graph transformer on the CPU, by our own kernels. It has an attention encoder with edge bias
// and an attention decoder (Kool et al. 2019; multi-start training as in Kwon et al. 2020). Needs
// no torch.
//
// In training, a thread takes a group of instances through the whole step (encoder, rollout,
// weights, second pass, backward) before its next group begins. A group's activations stay in the
// caches, and a batch needs the memory of only one group per thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/model/graph_transformer/graph_transformer_architecture.h"
#include "core/model/policy/policy_engine.h"

namespace vrp {

// Makes an engine whose weights are drawn from `seed`. `options` must be valid.
std::unique_ptr<PolicyEngine> MakeCpuGraphTransformer(const GraphTransformerOptions& options,
                                                      uint64_t seed);

// An engine that computes in double precision, as a reference for tests. Its parameters and
// parameters().gradient() are still float.
class Float64Engine : public PolicyEngine {
 public:
  // Returns the gradient of the last AddGradient before rounding, [parameters().size()].
  virtual std::span<const double> LastGradient() const = 0;
};
std::unique_ptr<Float64Engine> MakeFloat64GraphTransformer(const GraphTransformerOptions& options,
                                                           uint64_t seed);

}  // namespace vrp
