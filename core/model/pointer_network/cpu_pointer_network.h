// The LSTM pointer network on the CPU, by our own kernels (Vinyals et al. 2015, Bello et al. 2016).
// The pointer's attention has dynamic inputs, as in Nazari et al. 2018. Needs no torch.
//
//   embed      nodes' static features -> e [N, H]
//   encoder    LSTM over e in the canonical order (NodeOrder::kByAngle) -> o; a node is n = e + o
//   decoder    LSTM; a step's input is the node where the vehicle is, plus the projected context;
//              its first states are projections of the nodes' mean (hidden states: tanh of them)
//   glimpse    multi-head attention of the decoder's state over the nodes that are allowed
//   pointer    clip * tanh(q . k / sqrt(H) + c(q) . dynamic), the nodes' logits
//
// Both attentions read the dynamic features of every node at every step; is_visited is the first.
// pointer_architecture.h lists the names of the weights. A thread takes a group of instances
// through the whole step (encoder, rollout, weights, second pass, backward) before its next group
// begins. If the request asks for bf16 and the CPU supports it, the products of LSTMs and
// projections are in bf16.
#pragma once

#include <cstdint>
#include <memory>

#include "core/model/pointer_network/pointer_architecture.h"
#include "core/model/policy/policy_engine.h"

namespace vrp {

// Makes an engine whose weights are drawn from `seed`. `options` must be valid.
std::unique_ptr<PolicyEngine> MakeCpuPointerNetwork(const PointerNetworkOptions& options,
                                                    uint64_t seed);

}  // namespace vrp
