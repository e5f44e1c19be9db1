// Validates flags for which CLI11 lacks a validator or has unclear errors.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>

namespace vrp::client {

// Returns a validator of whole numbers from `min` to `max`. CLI11 alone lets a negative value of
// an unsigned flag wrap around.
CLI::Validator WholeNumber(int64_t min, uint64_t max = std::numeric_limits<int64_t>::max());

}  // namespace vrp::client
