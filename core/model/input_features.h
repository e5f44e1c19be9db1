// What a network sees of each node, in words, for cards and users.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vrp {

// Of "gt" or "ptrnet".
std::vector<std::string> InputFeatures(std::string_view architecture);

}  // namespace vrp
