// The inputs of an attention model's decoder: one instance's projections, and the rule that chooses
// a step's node. Includes only the standard library, so that CUDA sources can include it.
#pragma once

#include <cstdint>

namespace vrp {

// The sizes of a decoder.
struct DecoderShape {
  int32_t hidden = 128;  // H: a multiple of 16
  int32_t heads = 8;     // M: divides H
  double clip = 10;      // largest absolute value of a logit
};

// One instance's projections, or with a non-const T the sums of their gradients. Rows of nodes are
// `stride` elements apart. Arrays marked TSP may be null for other instances.
template <typename T>
struct DecoderNodes {
  int64_t stride = 0;
  T* keys = nullptr;           // [N, H]
  T* values = nullptr;         // [N, H]
  T* logit_keys = nullptr;     // [N, H]
  T* queries = nullptr;        // [N, H]
  T* first_queries = nullptr;  // [N, H]; TSP
  T* base_query = nullptr;     // [H]
  T* start_query = nullptr;    // [H]; TSP
  T* shares_weight = nullptr;  // [kContextShares, H], rows H apart; null: unused
};

// The rule that chooses a step's node. kGreedy chooses the likeliest node, the first one among
// equals. kForced takes the given nodes. kSample chooses the first node at which the running sum of
//   w[n] = exp((logits[n] - maximum) / temperature)
// exceeds u times the total. u comes from the first two words of a Philox block
// (core/base/random.h). The block's key is the seed. Its counter is
//   (t + 2^20 * high, low, stream low, stream high),
// where high and low are the halves of first_trajectory + p.
enum class StepChoice { kGreedy, kSample, kForced };

}  // namespace vrp
