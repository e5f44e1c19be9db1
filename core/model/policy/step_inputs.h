// The inputs of networks' decoders, in words, for users.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vrp {

// Returns what the decoder of "gt" or "ptrnet" reads before each choice of a node, besides the
// nodes' own inputs (network_inputs.h).
std::vector<std::string> StepInputs(std::string_view architecture);

}  // namespace vrp
