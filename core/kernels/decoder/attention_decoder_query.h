// Queries of decoder steps, and the gradient of their terms. vec.h states who may include this.
#pragma once

#include "core/kernels/decoder/attention_decoder_kernels.h"
#include "core/kernels/simd/math.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Calls visit(at, padded, lanes) for each vector of a row of all heads. `at` is an index into the
// caller's rows [H], `padded` is one into padded rows [width], and `lanes` is the number of valid
// lanes.
template <typename T, typename Visit>
inline __attribute__((always_inline)) void VisitHeads(const DecoderSizes& sizes,
                                                      const Visit& visit) {
  if (sizes.head == sizes.padded_head) {
    for (int64_t i = 0; i < sizes.width; i += kLanes<T>) visit(i, i, kLanes<T>);
    return;
  }
  for (int64_t m = 0; m < sizes.heads; ++m) {
    for (int64_t d = 0; d < sizes.head; d += kLanes<T>) {
      const int64_t rest = sizes.head - d;
      visit(m * sizes.head + d, m * sizes.padded_head + d, rest < kLanes<T> ? rest : kLanes<T>);
    }
  }
}

template <typename T>
inline __attribute__((always_inline)) Vec<T> LoadSome(const T* from, int64_t lanes) {
  return lanes == kLanes<T> ? Load<T>(from) : LoadFirst<T>(from, lanes);
}
template <typename T>
inline __attribute__((always_inline)) void AddSome(T* to, int64_t lanes, Vec<T> value) {
  if (lanes == kLanes<T>) {
    Store<T>(to, Load<T>(to) + value);
  } else {
    StoreFirst<T>(to, lanes, LoadFirst<T>(to, lanes) + value);
  }
}

template <typename T>
inline T QueryScale(const DecoderSizes& sizes) {
  return static_cast<T>(1 / __builtin_sqrt(static_cast<double>(sizes.head)));
}

// Writes the query of step r, scaled by 1 / sqrt(head), with zero-padded heads, to [width].
template <typename T>
inline void WriteQuery(const DecoderSizes& sizes, const DecoderNodes<const T>& nodes,
                       const DecoderSteps<T>& steps, int64_t r, T* to) {
  const T scale = QueryScale<T>(sizes);
  const int64_t current = steps.currents[r];
  const int64_t first = steps.firsts[r];
  const T* const shares = steps.shares + r * kContextShares;
  VisitHeads<T>(sizes, [&](int64_t at, int64_t padded, int64_t lanes) {
    Vec<T> sum;
    if (current < 0) {
      sum = LoadSome<T>(nodes.start_query + at, lanes);
    } else {
      sum = LoadSome<T>(nodes.base_query + at, lanes) +
            LoadSome<T>(nodes.queries + current * nodes.stride + at, lanes);
      if (first >= 0) sum += LoadSome<T>(nodes.first_queries + first * nodes.stride + at, lanes);
      for (int64_t k = 0; nodes.shares_weight != nullptr && k < kContextShares; ++k) {
        sum += LoadSome<T>(nodes.shares_weight + k * sizes.hidden + at, lanes) * shares[k];
      }
    }
    Store<T>(to + padded, sum * scale);
  });
}

// Adds the gradient of step r's query terms. `row` [width] is the gradient with respect to the
// scaled query.
template <typename T>
inline void AddQueryGradient(const DecoderSizes& sizes, const DecoderSteps<T>& steps, int64_t r,
                             const T* row, const DecoderNodes<T>& gradient) {
  const T scale = QueryScale<T>(sizes);
  const int64_t current = steps.currents[r];
  const int64_t first = steps.firsts[r];
  const T* const shares = steps.shares + r * kContextShares;
  VisitHeads<T>(sizes, [&](int64_t at, int64_t padded, int64_t lanes) {
    const Vec<T> value = Load<T>(row + padded) * scale;
    if (current < 0) {
      AddSome<T>(gradient.start_query + at, lanes, value);
      return;
    }
    AddSome<T>(gradient.base_query + at, lanes, value);
    AddSome<T>(gradient.queries + current * gradient.stride + at, lanes, value);
    if (first >= 0) AddSome<T>(gradient.first_queries + first * gradient.stride + at, lanes, value);
    for (int64_t k = 0; gradient.shares_weight != nullptr && k < kContextShares; ++k) {
      if (shares[k] == 0) continue;
      AddSome<T>(gradient.shares_weight + k * sizes.hidden + at, lanes, value * shares[k]);
    }
  });
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
