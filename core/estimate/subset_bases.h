// Finds subsets of customers that differ by one customer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/problem/instance/instance.h"

namespace vrp {

// How a subset is made from another one by one more customer.
struct SubsetBase {
  int64_t base = -1;  // the index of the other one; -1: there is none
  NodeIndex added = 0;
};

// Returns the base of each subset: the first one that lacks one of its customers and has no other.
// Takes time in proportion to the number of customers in all subsets.
std::vector<SubsetBase> FindSubsetBases(std::span<const std::vector<NodeIndex>> subsets);

}  // namespace vrp
