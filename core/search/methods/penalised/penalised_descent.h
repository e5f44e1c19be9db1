// Descent on routes that may break limits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/search/model/fast_random.h"
#include "core/search/route/penalised_routes.h"

namespace vrp {

// Moves between near customers - one or two go behind another or change places with one or two, or
// routes exchange their tails - while that lowers the penalised cost, each judged in constant time
// where both vehicles drive alike (Vidal 2022). Not thread-safe; both must outlive it.
class PenalisedDescent {
 public:
  PenalisedDescent(PenalisedRoutes& routes, FastRandom& random);

  // Queues `customer` for re-evaluation.
  void Mark(NodeIndex customer);
  // Likewise the customers around those places of a route.
  void MarkAround(int32_t slot, int32_t first, int32_t last);
  // Until no move of what is marked pays; what such moves change is marked too.
  void Run();

 private:
  bool Improve(NodeIndex u);
  bool TryBeside(NodeIndex u, NodeIndex v);
  bool TryWithin(NodeIndex u, NodeIndex v);
  bool TryEmpty(NodeIndex u);
  // Exchanges `count` customers of route `a` behind position `at` for `other_count` of route `b`
  // behind `other_at`, where that pays.
  bool TryExchange(int32_t a, int32_t at, int32_t count, int32_t b, int32_t other_at,
                   int32_t other_count);
  bool TryTails(int32_t a, int32_t at, int32_t b, int32_t other_at);
  bool SetWithin(int32_t slot);
  // Moves that add this much distance to both or more cannot pay; kNever where that is not said.
  double LimitOf(int32_t a, int32_t b) const;

  PenalisedRoutes& routes_;
  const Problem& problem_;
  FastRandom& random_;
  const double epsilon_;
  std::vector<NodeIndex> marked_;
  std::vector<char> is_marked_;  // [N]
  std::vector<NodeIndex> scratch_[2];
};

}  // namespace vrp
