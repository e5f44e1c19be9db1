#include "core/problem/plan/compartment_use.h"

#include <algorithm>
#include <tuple>

#include "core/problem/plan/break_leg.h"

namespace vrp {
namespace {

// The best way to fill the load dimensions one after the other with a set of compartments.
struct Filling {
  int32_t full = -1;  // dimensions whose load has space; below 0: unreachable
  double part = 0;    // space for the next dimension
  int32_t last = -1;  // compartment that was added last
};

double SpaceOf(const Compartment& compartment) {
  return compartment.capacity + kLoadSlack * std::max(1.0, compartment.capacity);
}

// Returns the next larger number with as many bits (Gosper's hack). `set` is above 0.
size_t NextOfEqualSize(size_t set) {
  const size_t lowest = set & (~set + 1);
  const size_t carried = set + lowest;
  return carried | (((carried ^ set) / lowest) >> 2);
}

// With the same compartments in use, more full dimensions are better, and then more space for the
// next one. So the best filling of each set suffices.
class Assignment {
 public:
  Assignment(std::span<const Compartment> compartments, std::span<const double> loads)
      : compartments_(compartments), loads_(loads), best_(size_t{1} << compartments.size()) {
    for (int32_t k = 0; k < static_cast<int32_t>(loads.size()); ++k) {
      if (loads[static_cast<size_t>(k)] > kLoadSlack) dimensions_.push_back(k);
    }
  }

  // Tries the sets by their size, so that few are tried where few compartments suffice.
  std::vector<CompartmentUse> Make() {
    if (dimensions_.empty()) return {};
    best_[0].full = 0;
    Extend(0);
    for (size_t size = 1; size <= compartments_.size(); ++size) {
      for (size_t set = (size_t{1} << size) - 1; set < best_.size(); set = NextOfEqualSize(set)) {
        if (best_[set].full < 0) continue;
        if (best_[set].full == static_cast<int32_t>(dimensions_.size())) return UsesOf(set);
        Extend(set);
      }
    }
    return {};
  }

 private:
  // Adds each compartment that is not in `set` and may hold the next dimension.
  void Extend(size_t set) {
    const Filling& from = best_[set];
    const int32_t dimension = dimensions_[static_cast<size_t>(from.full)];
    for (size_t c = 0; c < compartments_.size(); ++c) {
      const size_t with = set | (size_t{1} << c);
      if (with == set || !compartments_[c].Holds(dimension)) continue;
      Filling next = {from.full, from.part + SpaceOf(compartments_[c]), static_cast<int32_t>(c)};
      if (next.part >= loads_[static_cast<size_t>(dimension)]) {
        next.full += 1;
        next.part = 0;
      }
      Filling& best = best_[with];
      if (std::tie(next.full, next.part) > std::tie(best.full, best.part)) best = next;
    }
  }

  std::vector<CompartmentUse> UsesOf(size_t set) const {
    std::vector<CompartmentUse> uses;
    std::vector<double> left(loads_.begin(), loads_.end());
    while (set != 0) {
      const int32_t last = best_[set].last;
      set &= ~(size_t{1} << last);
      const int32_t dimension = dimensions_[static_cast<size_t>(best_[set].full)];
      double& rest = left[static_cast<size_t>(dimension)];
      const double load = std::min(rest, compartments_[static_cast<size_t>(last)].capacity);
      rest -= load;
      uses.push_back({.compartment = last, .load_dimension = dimension, .load = load});
    }
    std::ranges::sort(uses, {}, &CompartmentUse::compartment);
    return uses;
  }

  const std::span<const Compartment> compartments_;
  const std::span<const double> loads_;
  std::vector<int32_t> dimensions_;  // those with a load
  std::vector<Filling> best_;        // by set of compartments, a bit for each
};

}  // namespace

std::vector<CompartmentUse> AssignCompartments(std::span<const Compartment> compartments,
                                               std::span<const double> loads) {
  return Assignment(compartments, loads).Make();
}

}  // namespace vrp
