// Counts the arithmetic of the encoder's matrix products, without padding and recomputation.
#pragma once

#include <cstdint>

#include "core/kernels/encoder/encoder.h"

namespace vrp {

// Returns the number of forward operations of one instance, counting multiplications and additions
// separately. The backward pass needs twice as many.
inline double EncoderForwardFlops(const EncoderShape& s, int64_t nodes) {
  const double h = s.hidden;
  const double dense = 2 * (4 * h * h + 2 * h * s.feed_forward);
  const double attention = 4 * h * static_cast<double>(nodes) +
                           2.0 * s.heads * s.edge_features * static_cast<double>(nodes);
  return s.layers * static_cast<double>(nodes) * (dense + attention);
}

}  // namespace vrp
