// Hands out parts of one plan to searches that improve them at the same time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"
#include "core/problem/plan/plan_value.h"
#include "core/search/model/fast_random.h"
#include "core/search/model/node_selection.h"

namespace vrp {

// Routes near each other that one search has claimed.
struct Region {
  std::vector<int32_t> slots;  // where the pool keeps them
  Plan plan;
  std::vector<NodeIndex> unserved;  // customers near them that no route serves, and alternatives
  std::vector<int32_t> groups;      // of customers that must share a route, none of them served
  std::vector<VehicleCount> spare;  // further vehicles that the search may use
};

// Other customers, nearest first. Thread-safe.
using NearFn = absl::FunctionRef<std::span<const NodeIndex>(NodeIndex customer)>;

// Thread-safe. `instance` and `near` must outlive it.
class RoutePool {
 public:
  // `plan` is feasible, but may leave customers out. Differences of cost up to `epsilon` are
  // rounding. Frozen routes are never handed out.
  RoutePool(const Instance& instance, NearFn near, const Plan& plan, double epsilon);

  // Claims a route that was seldom claimed, and others around it until the region has `customers`
  // customers: fewer if every other route has too many, more if the first one has. Returns
  // std::nullopt if all routes are claimed.
  std::optional<Region> Claim(int32_t customers, FastRandom& random);
  // Replaces region.plan by `plan`, which serves at least as much with the same vehicles and the
  // spare ones. The values are those of the two plans.
  void Return(const Region& region, const Plan& plan, const PlanValue& before,
              const PlanValue& after);

  // Returns the best plan so far if it is better than `value`.
  std::optional<Plan> BestBelow(const PlanValue& value) const;

 private:
  struct Slot {
    int32_t vehicle_type = 0;
    std::vector<NodeIndex> customers;  // and reloads
    int64_t times_claimed = 0;
    bool claimed = false;
  };
  // A customer, a shipment, or a group of alternatives: a plan serves or leaves out all of it.
  struct Unit {
    std::vector<NodeIndex> customers;
    bool claimed = false;
  };

  // Customers that must share a route.
  struct Group {
    std::vector<NodeIndex> customers;
    bool claimed = false;  // while none is served, by the region that may serve them
  };

  void FindUnits() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns whether the region may serve an unserved customer: no route beyond it serves one that
  // must share its route, or may do so meanwhile. Claims the customer's group.
  bool MayServe(NodeIndex node, Region& region) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ClaimFrozen() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns whether a region with `room` for more customers may take the route.
  bool Fits(int32_t slot, int64_t room) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns the route that fits and has the customer nearest to `seed`; -1: none fits.
  int32_t NearestThatFits(NodeIndex seed, int64_t room) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  int32_t LeastClaimed(FastRandom& random) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ClaimRoute(int32_t slot, Region& region) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ClaimUnserved(Region& region) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ClaimSpare(Region& region, FastRandom& random) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Store(int32_t slot, const PlannedRoute& route) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  int32_t FreeSlot() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Plan ToPlan() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Instance& instance_;
  const NearFn near_;
  const double epsilon_;
  // [N] of customers that a plan may leave out, or that are in shipments or groups; else -1.
  std::vector<int32_t> unit_of_;
  std::vector<int32_t> group_of_;  // [N], in groups_; -1: none. Empty without groups.
  mutable absl::Mutex mutex_;
  std::vector<Group> groups_ ABSL_GUARDED_BY(mutex_);
  std::vector<Unit> units_ ABSL_GUARDED_BY(mutex_);
  std::vector<Slot> slots_ ABSL_GUARDED_BY(mutex_);             // those without customers are free
  std::vector<int32_t> slot_of_ ABSL_GUARDED_BY(mutex_);        // [N]; -1: not served
  std::vector<int64_t> vehicles_left_ ABSL_GUARDED_BY(mutex_);  // by type
  PlanValue value_ ABSL_GUARDED_BY(mutex_);
  PlanValue best_value_ ABSL_GUARDED_BY(mutex_);
  Plan best_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace vrp
