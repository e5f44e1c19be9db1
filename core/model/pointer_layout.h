// The parameters of a pointer network: names, shapes, and where each lies. No torch here.
//
// Weights are [out, in], as torch.nn.Linear's, H = hidden, L = layers, M = kPointerHeads:
//   embed.{weight [H, kPointerInputs], bias}
//   encoder.{weight_ih [4H, H], weight_hh [4H, H], bias_ih, bias_hh}_lK   gates input, forget,
//   decoder.{...}_lK                                                       candidate, output
//   start.{weight [2LH, H], bias}     of the nodes' mean: first all layers' hidden, then their
//   cells context.weight [H, kPointerContext] glimpse.{query, key, value, out}.weight [H, H]
//   glimpse.dynamic.weight [M, kPointerDynamic]
//   pointer.{query, key}.weight [H, H]
//   pointer.dynamic.{weight [kPointerDynamic, H], bias}
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/model/flat_parameters.h"
#include "core/model/pointer_network_options.h"

namespace vrp {

inline constexpr int32_t kPointerHeads = 8;
// The static ones of the eight inputs; is_visited is the dynamic one.
inline constexpr std::array<std::string_view, 7> kPointerInputNames = {
    "x", "y", "demand", "window_open", "window_close", "service", "is_depot"};
inline constexpr int32_t kPointerInputs = 7;

ParameterLayout PointerLayout(const PointerNetworkOptions& options);

// Columns of NetworkBatch::features that kPointerInputNames are.
std::array<int32_t, kPointerInputs> PointerInputColumns();

}  // namespace vrp
