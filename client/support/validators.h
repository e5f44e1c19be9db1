// Checks of flags that CLI11's own would leave out or word badly.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>

namespace vrp::client {

// Whole numbers from `least` to `most`. A minus sign before an unsigned number would otherwise wrap
// around.
CLI::Validator WholeNumber(int64_t least, uint64_t most = std::numeric_limits<int64_t>::max());

}  // namespace vrp::client
