// Assigns rows to columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vrp {

// Returns a different column for each of the N rows, such that the sum of their values is as large
// as possible. `values` is [N, M] row-major, M >= N >= 0; all are finite. Takes O(N^2 M) time by
// shortest augmenting paths (Jonker and Volgenant 1987). Of equal assignments, which one depends
// only on the arguments.
std::vector<int32_t> BestAssignment(std::span<const double> values, size_t rows, size_t columns);

}  // namespace vrp
