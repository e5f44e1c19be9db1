// Local search until no move makes the plan cheaper.
#pragma once

#include <cstdint>

#include "core/kernels/improve/relocate_move.h"
#include "core/kernels/improve/swap_move.h"
#include "core/kernels/improve/two_opt_move.h"
#include "core/kernels/improve/two_opt_star_move.h"

namespace vrp {

// Applies the best of Move's moves that make the plan cheaper, the first among equals. Returns
// whether there was one. The scratch's route index is valid before and after.
template <typename Move, typename Lanes>
VRP_DEVICE bool ApplyBestMove(const Lanes& lanes, const ImproveTask& task,
                              const ImproveScratch& scratch) {
  const int32_t neighbours =
      kMoveNeighbours < task.list_length() ? kMoveNeighbours : task.list_length();
  const int32_t moves_per_customer = neighbours * Move::kVariants;
  const auto customer = [&](int32_t index) { return index / moves_per_customer + 1; };
  const auto other = [&](int32_t index) {
    return int32_t{task.neighbours[customer(index) * task.list_length() +
                                   index % moves_per_customer / Move::kVariants]};
  };
  const auto variant = [](int32_t index) { return index % Move::kVariants; };
  const auto best = lanes.Min((task.nodes - 1) * moves_per_customer, [&](int32_t index) {
    return Move::Delta(task, scratch, customer(index), other(index), variant(index));
  });
  if (best.value >= 0) return false;
  lanes.Once([&] {
    Move::Apply(task, scratch, customer(best.index), other(best.index), variant(best.index));
    scratch.trial.header->cost += best.value;
  });
  IndexRoutes(lanes, task, scratch);
  return true;
}

// Applies moves to the scratch's trial plan until none makes it cheaper.
template <typename Lanes>
VRP_DEVICE void Descend(const Lanes& lanes, const ImproveTask& task,
                        const ImproveScratch& scratch) {
  if (task.list_length() < 1) return;
  IndexRoutes(lanes, task, scratch);
  for (bool better = true; better;) {
    better = ApplyBestMove<RelocateMove>(lanes, task, scratch);
    better = ApplyBestMove<SwapMove>(lanes, task, scratch) || better;
    better = ApplyBestMove<TwoOptStarMove>(lanes, task, scratch) || better;
    better = ApplyBestMove<TwoOptMove>(lanes, task, scratch) || better;
  }
}

}  // namespace vrp
