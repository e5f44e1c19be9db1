// Blocks of the scores of a panel of queries in causal attention. vec.h states who may include
// this.
#pragma once

#include <cstdint>

#include "core/kernels/encoder/causal_panels.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// The scores of some of a panel's queries and keys.
struct ScoreBlock {
  QueryPanel queries;
  int64_t lane;  // of the panel's lanes, the first of the queries
  int64_t first_key;
  int64_t keys;

  // Returns the queries relative to the block's first key.
  QueryPanel relative() const { return {queries.first - first_key, queries.count}; }
};

// Calls visit<kVectors>(block) for blocks that cover all keys that a panel's queries see, in order.
// A block has at most `max_keys` keys and kVectors vectors of queries. The panel's last keys are a
// block of its second vector only, because the first vector does not see them.
template <typename T, typename Visit>
inline __attribute__((always_inline)) void ForEachScoreBlock(const QueryPanel& panel,
                                                             int64_t max_keys, const Visit& visit) {
  const bool is_wide = panel.count > kLanes<T>;
  const int64_t end = is_wide ? panel.first + kLanes<T> : panel.keys();
  const int64_t blocks = (end + max_keys - 1) / max_keys;
  for (int64_t n = 0; n < blocks; ++n) {
    const int64_t first = end * n / blocks;
    const ScoreBlock block{panel, 0, first, end * (n + 1) / blocks - first};
    if (is_wide) {
      visit.template operator()<2>(block);
    } else {
      visit.template operator()<1>(block);
    }
  }
  if (!is_wide) return;
  const QueryPanel rest{end, panel.count - kLanes<T>};
  visit.template operator()<1>(ScoreBlock{rest, kLanes<T>, end, rest.count});
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
