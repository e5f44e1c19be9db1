// What a network sees of an instance, in words, for cards and users.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vrp {

// Returns the features of each node that the network of "gt" or "ptrnet" reads.
std::vector<std::string> InputFeatures(std::string_view architecture);

// Returns what its decoder reads besides, before each choice of a node.
std::vector<std::string> StepInputs(std::string_view architecture);

}  // namespace vrp
