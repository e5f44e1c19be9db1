// The parameters: names, shapes and offsets. Needs no torch.
//
// Weights are [out, in], as in torch.nn.Linear. H = hidden, L = layers, M = kPointerHeads,
// I = number of a node's inputs without is_visited:
//   embed.{weight [H, I], bias}
//   encoder.{weight_ih [4H, H], weight_hh [4H, H], bias_ih, bias_hh}_lK   gates input, forget,
//   decoder.{...}_lK                                                       candidate, output
//   start.{weight [2LH, H], bias}     of the nodes' mean; hidden states of all layers, then cells
//   context.weight [H, kPointerContext]
//   glimpse.{query, key, value, out}.weight [H, H]
//   glimpse.dynamic.weight [M, kPointerDynamic]
//   pointer.{query, key}.weight [H, H]
//   pointer.dynamic.{weight [kPointerDynamic, H], bias}
#pragma once

#include <cstdint>

#include "core/model/pointer_network/pointer_network_options.h"
#include "core/model/weights/flat_parameters.h"

namespace vrp {

// Number of heads of the glimpse.
inline constexpr int32_t kPointerHeads = 8;

ParameterLayout PointerLayout(const PointerNetworkOptions& options);

}  // namespace vrp
