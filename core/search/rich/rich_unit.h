// What a rich plan serves or leaves out as one.
#pragma once

#include <cstdint>

#include "core/problem/node.h"

namespace vrp {

// A customer, a shipment's two ends, or one of several
// alternatives.
struct RichUnit {
  enum class Kind { kSingle, kShipment, kAlternatives };
  Kind kind = Kind::kSingle;
  int32_t first = 0;  // of unit_nodes(); a shipment's pickup, then its delivery
  int32_t count = 1;
  double prize = kNoLimit;  // lost when left out; kNoLimit: it is required
  double weight = 1;        // of what is required

  bool required() const { return prize == kNoLimit; }
};

}  // namespace vrp
