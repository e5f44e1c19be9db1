// The interface of models that predict prizes.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "core/dispatch/site.h"
#include "core/dispatch/state.h"

namespace vrp {

// A model that predicts what it is worth to serve each waiting request now. Immutable; thread-safe.
class PrizeModel {
 public:
  virtual ~PrizeModel() = default;
  // Returns a prize of at least 0 for each request of `state`, in the unit of the site's costs.
  // Must-go requests get one too, which callers ignore. Uses at most the time and iterations of
  // `options`.
  virtual absl::StatusOr<std::vector<double>> Prizes(const DispatchState& state,
                                                     const DecisionOptions& options) const = 0;
};

}  // namespace vrp
