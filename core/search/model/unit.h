// The parts of an instance that a plan serves or leaves out together, and frozen routes.
#pragma once

#include <cstdint>
#include <vector>

#include "core/problem/instance/node.h"

namespace vrp {

// A customer, a shipment's two ends, or one of several alternatives, each a customer or a shipment.
// The delivery of a shipment whose pickup is frozen is a unit of its own, bound to that route, and
// so is the pickup unless it is an alternative.
struct Unit {
  enum class Kind { kSingle, kShipment, kAlternatives };
  Kind kind = Kind::kSingle;
  // Index into unit_nodes(). The delivery of a shipment follows its pickup
  // (Problem::DeliveryInUnit).
  int32_t first = 0;
  int32_t count = 1;
  double prize = kNoLimit;  // lost when left out; kNoLimit: it is required. Largest of alternatives
  double weight = 1;        // of what is required
  int32_t slot = -1;        // the only route that may serve it (Problem::frozen); -1: any

  bool required() const { return prize == kNoLimit; }
};

// A route that every plan has, in the slot of its place among them (Instance::frozen).
struct FrozenSearchRoute {
  int32_t type = 0;
  int32_t label = 0;                  // the instance's type
  std::vector<NodeIndex> nodes = {};  // with nothing else: start, frozen visits, deliveries, end
  int32_t fixed = 0;                  // the position of the last frozen visit
};

}  // namespace vrp
