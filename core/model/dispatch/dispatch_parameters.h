// The parameters of a dispatch model as they are trained and stored.
#pragma once

#include <span>
#include <string_view>

#include "core/dispatch/learning/prize_network.h"
#include "core/model/dispatch/prize_network_options.h"
#include "core/model/weights/flat_parameters.h"

namespace vrp {

inline constexpr std::string_view kDispatchMeans = "normalisation.means";
inline constexpr std::string_view kDispatchDeviations = "normalisation.deviations";
inline constexpr std::string_view kDispatchShift = "shift";

// Returns the layout of a network: first the parameters of PrizeNetwork::weights() in their order,
// which are those of PrizeTransformerParameters, or layers.K.weight [outputs, inputs] and
// layers.K.bias [outputs] of an MLP. Then, frozen, the means and deviations of the features, and
// the shift [1] of the output. MakePrizeNetwork must accept the options.
ParameterLayout DispatchLayout(const PrizeNetworkOptions& options);

// Copies the weights and the normalisation of `network` into `values`, which has the layout of its
// options. Does not change the shift.
void CopyFromNetwork(const PrizeNetwork& network, std::span<float> values);
// Copies the weights and the normalisation of `values` into `network`. The shift is not part of it.
void CopyToNetwork(std::span<const float> values, PrizeNetwork& network);

}  // namespace vrp
