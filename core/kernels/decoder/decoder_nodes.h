// What decoders of attention models decode: one instance's projections, and how a step's node is
// chosen. No includes beyond the language's, so that CUDA sources can have it.
#pragma once

#include <cstdint>

namespace vrp {

struct DecoderShape {
  int32_t hidden = 128;  // H: a multiple of 16
  int32_t heads = 8;     // M: divides H
  double clip = 10;
};

// One instance's projections; rows of nodes are `stride` elements apart. With T non-const: where
// their gradients are added. Those marked TSP may be null for other instances.
template <typename T>
struct DecoderNodes {
  int64_t stride = 0;
  T* keys = nullptr;           // [N, H]
  T* values = nullptr;         // [N, H]
  T* logit_keys = nullptr;     // [N, H]
  T* queries = nullptr;        // [N, H]
  T* first_queries = nullptr;  // [N, H]; TSP alone
  T* base_query = nullptr;     // [H]
  T* start_query = nullptr;    // [H]; TSP alone
  T* shares_weight = nullptr;  // [kContextShares, H], rows H apart; null: not used
};

// kGreedy: the likeliest node, the first of equal ones. kSample: with w[n] = exp((logits[n] - their
// largest) / temperature), the first node at which the running sum of w exceeds u times the whole;
// u comes from the first two words of the Philox block (core/base/random.h) whose key is the seed
// and whose counter is (t + 2^20 * high, low, stream low, stream high), where high and low are the
// halves of first_trajectory + p. kForced: the nodes given.
enum class StepChoice { kGreedy, kSample, kForced };

}  // namespace vrp
