// One plan that several searches improve at once, each another region of it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/problem/plan/solution.h"
#include "core/search/fast_random.h"
#include "core/search/search_problem.h"

namespace vrp {

// Routes near each other, out on loan.
struct Region {
  std::vector<int32_t> slots;  // where they are kept
  Plan plan;
  int32_t spare_vehicles = 0;  // that it may use besides
};

// Thread-safe. `problem` must outlive it.
class LentRoutes {
 public:
  // `plan` is feasible and serves every customer that can be served.
  LentRoutes(const SearchProblem& problem, const Plan& plan);

  // A route that was lent seldom, and free ones around it until they have `customers` (less where
  // every other would be too many, more where one route alone has more). Nothing where all are out.
  std::optional<Region> Lend(int32_t customers, FastRandom& random);
  // `plan` serves region.plan's customers, feasibly, with at most its routes and the spare ones.
  void TakeBack(const Region& region, const Plan& plan);

  struct Standing {
    Plan plan;
    double distance = 0;
  };
  // The shortest that the routes were together, if that is shorter than `distance`.
  std::optional<Standing> BestBelow(double distance) const;

 private:
  struct Slot {
    std::vector<NodeIndex> customers;
    int64_t times_lent = 0;
    double distance = 0;
    bool out = false;
  };

  // Whether a region with `room` for more customers may take it.
  bool Fits(int32_t slot, int64_t room) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Of the route that fits and has the customer nearest to `seed`; -1: none fits.
  int32_t NearestThatFits(NodeIndex seed, int64_t room) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  int32_t LeastLent(FastRandom& random) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Lend(int32_t slot, Region& region) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Keep(int32_t slot, std::vector<NodeIndex> customers) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  int32_t FreeSlot() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Plan ToPlan() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const SearchProblem& problem_;
  mutable absl::Mutex mutex_;
  std::vector<Slot> slots_ ABSL_GUARDED_BY(mutex_);       // those without customers are free
  std::vector<int32_t> slot_of_ ABSL_GUARDED_BY(mutex_);  // [N], -1: nobody serves it
  int32_t spare_ ABSL_GUARDED_BY(mutex_) = 0;             // vehicles that nobody drives
  double distance_ ABSL_GUARDED_BY(mutex_) = 0;
  Standing best_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace vrp
