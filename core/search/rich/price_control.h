// What it costs that a plan of a rich problem breaks limits.
#pragma once

#include <cstdint>

#include "core/search/rich/relaxed_routes.h"

namespace vrp {

// Each kind's price follows how often plans keep to it (Vidal et al. 2013, section 3.5). Not
// thread-safe.
class PriceControl {
 public:
  // What edges cost, last and measure in the mean.
  struct MeanEdge {
    double cost = 0;
    double duration = 0;
    double distance = 0;
  };
  explicit PriceControl(const MeanEdge& edge);

  const Breach& prices() const { return prices_; }
  // Whether a plan with that breach made prices change.
  bool Record(const Breach& breach);

 private:
  Breach prices_, first_;
  Breach rounding_;  // smaller violations are rounding
  Breach kept_;      // plans that keep to each
  int32_t plans_ = 0;
};

}  // namespace vrp
