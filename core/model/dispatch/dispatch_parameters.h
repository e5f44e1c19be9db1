// The parameters of a dispatch model as they are trained and stored.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "core/dispatch/learning/prize_network.h"
#include "core/model/weights/flat_parameters.h"

namespace vrp {

inline constexpr std::string_view kDispatchMeans = "normalisation.means";
inline constexpr std::string_view kDispatchDeviations = "normalisation.deviations";
inline constexpr std::string_view kDispatchShift = "shift";

// Returns the layout of a network with hidden layers of these widths: first the parameters of
// PrizeNetwork::weights() in their order, layers.K.weight [outputs, inputs] and layers.K.bias
// [outputs]. Then, frozen, the means and deviations of the features, and the shift [1] of the
// output. PrizeNetwork::Create must accept the widths.
ParameterLayout DispatchLayout(const std::vector<int32_t>& hidden);

// Copies the weights and the normalisation of `network` into `values`, which has the layout of its
// widths. Does not change the shift.
void CopyFromNetwork(const PrizeNetwork& network, std::span<float> values);
// Copies the weights and the normalisation of `values` into `network`. The shift is not part of it.
void CopyToNetwork(std::span<const float> values, PrizeNetwork& network);

// Returns the network whose output is that of `values`, with the shift. Returns the errors of
// PrizeNetwork::Create.
absl::StatusOr<PrizeNetwork> ShiftedNetwork(const std::vector<int32_t>& hidden,
                                            std::span<const float> values);

}  // namespace vrp
