// Broken limits of routes and what they cost a search that may break them.
#pragma once

namespace vrp {

// Costs of a unit of load beyond the capacity, of time beyond windows, shifts and the duration's
// limit, and of distance beyond its limit. The unit of load is that of LimitExcess.
struct Penalties {
  double load = 0;
  double time = 0;
  double distance = 0;
};

// By how much a route breaks its limits.
struct LimitExcess {
  // Beyond capacities and stops: in PenalisedRoutes in units of the first dimension, in a penalised
  // Problem in the largest capacities of each dimension.
  double load = 0;
  double time = 0;      // beyond windows, shifts and the limit of the duration
  double distance = 0;  // beyond the limit

  LimitExcess& operator+=(const LimitExcess& other) {
    load += other.load;
    time += other.time;
    distance += other.distance;
    return *this;
  }
};

inline double operator*(const Penalties& penalties, const LimitExcess& excess) {
  return penalties.load * excess.load + penalties.time * excess.time +
         penalties.distance * excess.distance;
}

}  // namespace vrp
