#include "core/search/methods/regions/route_pool.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/problem/instance/customer_rules.h"

namespace vrp {
namespace {

// A region begins at the least claimed of so many routes drawn.
constexpr int kDraws = 8;
// A region grows from each of its customers to the routes of so many of the nearest.
constexpr size_t kNearest = 10;
// A region gets one spare vehicle of at most so many types.
constexpr int32_t kSpareTypes = 8;
constexpr int64_t kUnlimited = int64_t{1} << 40;

// Returns whether `a` is better than `b` by more than rounding.
bool IsBetter(const PlanValue& a, const PlanValue& b, double epsilon) {
  if (a.left_out != b.left_out) return a.left_out < b.left_out;
  return a.routes != b.routes ? a.routes < b.routes : a.cost < b.cost - epsilon;
}

std::span<const NodeIndex> Nearest(NearFn near, NodeIndex customer) {
  const auto all = near(customer);
  return all.first(std::min(all.size(), kNearest));
}

}  // namespace

RoutePool::RoutePool(const Instance& instance, NearFn near, const Plan& plan, double epsilon)
    : instance_(instance),
      near_(near),
      epsilon_(epsilon),
      unit_of_(instance.num_nodes(), -1),
      slot_of_(instance.num_nodes(), -1) {
  absl::MutexLock lock(&mutex_);
  for (const VehicleType& vehicle : instance.vehicles()) {
    vehicles_left_.push_back(vehicle.count == 0 ? kUnlimited : vehicle.count);
  }
  for (const PlannedRoute& route : plan) {
    if (route.customers.empty()) continue;
    Store(FreeSlot(), route);
    --vehicles_left_[route.vehicle_type];
  }
  FindUnits();
  ClaimFrozen();
  value_ = best_value_ = ValueOf(instance, plan);
  best_ = plan;
}

void RoutePool::FindUnits() {
  const InstanceData& data = instance_.data();
  const auto add = [this](std::vector<NodeIndex> customers) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    for (const NodeIndex node : customers) unit_of_[node] = static_cast<int32_t>(units_.size());
    units_.push_back({.customers = std::move(customers)});
  };
  std::vector<NodeIndex> delivery_of(instance_.num_nodes(), -1);
  for (const Shipment& shipment : data.shipments) delivery_of[shipment.pickup] = shipment.delivery;
  for (std::vector<NodeIndex> group : data.alternative_groups) {
    for (size_t i = 0, members = group.size(); i < members; ++i) {
      if (delivery_of[group[i]] >= 0) group.push_back(delivery_of[group[i]]);
    }
    add(std::move(group));
  }
  for (const Shipment& shipment : data.shipments) {
    if (unit_of_[shipment.pickup] < 0) add({shipment.pickup, shipment.delivery});
  }
  for (NodeIndex node = instance_.num_depots(); node < instance_.num_nodes(); ++node) {
    const bool optional = !data.prizes.empty() && data.prizes[node] != kNoLimit;
    if ((optional || slot_of_[node] < 0) && unit_of_[node] < 0) add({node});
  }
  for (std::vector<NodeIndex>& group : SameRouteGroups(data)) {
    group_of_.resize(instance_.num_nodes(), -1);
    for (const NodeIndex node : group) group_of_[node] = static_cast<int32_t>(groups_.size());
    groups_.push_back({.customers = std::move(group)});
  }
}

void RoutePool::ClaimFrozen() {
  for (const FrozenRoute& frozen : instance_.frozen()) {
    for (Slot& slot : slots_) {
      const bool begins_so =
          slot.vehicle_type == frozen.vehicle_type &&
          slot.customers.size() >= frozen.visits.size() &&
          std::equal(frozen.visits.begin(), frozen.visits.end(), slot.customers.begin());
      slot.claimed = slot.claimed || begins_so;
    }
  }
}

std::optional<Region> RoutePool::Claim(int32_t customers, FastRandom& random) {
  absl::MutexLock lock(&mutex_);
  const int32_t first = LeastClaimed(random);
  if (first < 0) return std::nullopt;
  Region region;
  ClaimRoute(first, region);
  // Breadth first: the customers of the region's routes in the order in which they joined. If those
  // have no other routes near them, as in a town that lies apart, the nearest route beyond joins.
  std::vector<NodeIndex> reached;
  const auto join = [&](int32_t slot) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    for (const NodeIndex node : slots_[slot].customers) {
      if (!instance_.is_depot(node)) reached.push_back(node);
    }
  };
  join(first);
  const NodeIndex seed = reached[random.Below(static_cast<int32_t>(reached.size()))];
  const auto room = [&] { return customers - std::ssize(reached); };
  for (size_t at = 0; room() > 0; ++at) {
    if (at == reached.size()) {
      const int32_t beyond = NearestThatFits(seed, room());
      if (beyond < 0) break;
      ClaimRoute(beyond, region);
      join(beyond);
    }
    for (const NodeIndex other : Nearest(near_, reached[at])) {
      const int32_t slot = slot_of_[other];
      if (slot < 0 || !Fits(slot, room())) continue;
      ClaimRoute(slot, region);
      join(slot);
    }
  }
  ClaimUnserved(region);
  ClaimSpare(region, random);
  return region;
}

bool RoutePool::Fits(int32_t slot, int64_t room) const {
  const Slot& kept = slots_[slot];
  return !kept.claimed && !kept.customers.empty() && std::ssize(kept.customers) <= room;
}

int32_t RoutePool::NearestThatFits(NodeIndex seed, int64_t room) const {
  int32_t nearest = -1;
  double least = kNoLimit;
  for (NodeIndex node = instance_.num_depots(); node < instance_.num_nodes(); ++node) {
    const int32_t slot = slot_of_[node];
    if (slot < 0 || !Fits(slot, room)) continue;
    const double apart = instance_.Distance(seed, node) + instance_.Distance(node, seed);
    if (apart >= least) continue;
    least = apart;
    nearest = slot;
  }
  return nearest;
}

// Returns -1 if all are claimed.
int32_t RoutePool::LeastClaimed(FastRandom& random) const {
  const auto is_free = [this](int32_t slot) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return Fits(slot, std::numeric_limits<int64_t>::max());
  };
  const auto size = static_cast<int32_t>(slots_.size());
  int32_t least = -1;
  for (int draw = 0; draw < kDraws; ++draw) {
    const auto slot = static_cast<int32_t>(random.Below(size));
    if (!is_free(slot)) continue;
    if (least < 0 || slots_[slot].times_claimed < slots_[least].times_claimed) least = slot;
  }
  for (int32_t slot = 0; least < 0 && slot < size; ++slot) {
    if (is_free(slot)) least = slot;
  }
  return least;
}

void RoutePool::ClaimRoute(int32_t slot, Region& region) {
  slots_[slot].claimed = true;
  ++slots_[slot].times_claimed;
  region.slots.push_back(slot);
  region.plan.push_back({slots_[slot].vehicle_type, slots_[slot].customers});
}

// Claims units that are not served and near the region, and the alternatives to its customers.
void RoutePool::ClaimUnserved(Region& region) {
  const auto is_served = [&](NodeIndex node)
                             ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return slot_of_[node] >= 0; };
  const auto is_in = [&](NodeIndex node) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return std::ranges::count(region.slots, slot_of_[node]) > 0;  // has no -1
  };
  const auto is_near = [&](NodeIndex customer) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return std::ranges::any_of(Nearest(near_, customer), is_in);
  };
  for (Unit& unit : units_) {
    const auto served = std::ranges::find_if(unit.customers, is_served);
    const bool joins = served != unit.customers.end()
                           ? is_in(*served)
                           : !unit.claimed && std::ranges::any_of(unit.customers, is_near);
    if (!joins) continue;
    unit.claimed = served != unit.customers.end();
    for (const NodeIndex node : unit.customers) {
      if (slot_of_[node] >= 0 || !MayServe(node, region)) continue;
      unit.claimed = true;
      region.unserved.push_back(node);
    }
  }
}

bool RoutePool::MayServe(NodeIndex node, Region& region) {
  if (group_of_.empty() || group_of_[node] < 0) return true;
  Group& group = groups_[group_of_[node]];
  const auto served = std::ranges::find_if(
      group.customers,
      [&](NodeIndex other) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return slot_of_[other] >= 0; });
  if (served != group.customers.end()) {
    return std::ranges::count(region.slots, slot_of_[*served]) > 0;
  }
  if (std::ranges::count(region.groups, group_of_[node]) > 0) return true;
  if (std::exchange(group.claimed, true)) return false;
  region.groups.push_back(group_of_[node]);
  return true;
}

void RoutePool::ClaimSpare(Region& region, FastRandom& random) {
  const auto types = static_cast<int32_t>(vehicles_left_.size());
  if (types == 0) return;
  const int32_t first = random.Below(types);
  for (int32_t i = 0; i < types && std::ssize(region.spare) < kSpareTypes; ++i) {
    const int32_t type = (first + i) % types;
    if (vehicles_left_[type] == 0) continue;
    --vehicles_left_[type];
    region.spare.push_back({type, 1});
  }
}

void RoutePool::Return(const Region& region, const Plan& plan, const PlanValue& before,
                       const PlanValue& after) {
  absl::MutexLock lock(&mutex_);
  int64_t times_claimed = 0;
  for (const int32_t slot : region.slots) {
    times_claimed = std::max(times_claimed, slots_[slot].times_claimed);
    slots_[slot].claimed = false;
    ++vehicles_left_[slots_[slot].vehicle_type];
    for (const NodeIndex node : slots_[slot].customers) {
      slot_of_[node] = -1;
      if (unit_of_[node] >= 0) units_[unit_of_[node]].claimed = false;
    }
    slots_[slot].customers.clear();
  }
  for (const NodeIndex node : region.unserved) units_[unit_of_[node]].claimed = false;
  for (const int32_t group : region.groups) groups_[group].claimed = false;
  for (const auto& [type, count] : region.spare) vehicles_left_[type] += count;
  size_t next = 0;
  for (const PlannedRoute& route : plan) {
    if (route.customers.empty()) continue;
    const int32_t slot = next < region.slots.size() ? region.slots[next++] : FreeSlot();
    Store(slot, route);
    slots_[slot].times_claimed = times_claimed;
    --vehicles_left_[route.vehicle_type];
  }
  // A sum of whole numbers.
  value_.left_out += after.left_out - before.left_out;
  value_.routes += after.routes - before.routes;
  value_.cost += after.cost - before.cost;
  // Routes that are claimed count as they were when they were claimed.
  if (!IsBetter(value_, best_value_, epsilon_)) return;
  best_value_ = value_;
  best_ = ToPlan();
}

void RoutePool::Store(int32_t slot, const PlannedRoute& route) {
  slots_[slot].vehicle_type = route.vehicle_type;
  slots_[slot].customers = route.customers;
  for (const NodeIndex node : route.customers) {
    if (!instance_.is_depot(node)) slot_of_[node] = slot;
  }
}

int32_t RoutePool::FreeSlot() {
  for (size_t slot = 0; slot < slots_.size(); ++slot) {
    if (slots_[slot].customers.empty() && !slots_[slot].claimed) return static_cast<int32_t>(slot);
  }
  slots_.emplace_back();
  return static_cast<int32_t>(slots_.size() - 1);
}

Plan RoutePool::ToPlan() const {
  Plan plan;
  for (const Slot& slot : slots_) {
    if (!slot.customers.empty()) plan.push_back({slot.vehicle_type, slot.customers});
  }
  return plan;
}

std::optional<Plan> RoutePool::BestBelow(const PlanValue& value) const {
  absl::MutexLock lock(&mutex_);
  return IsBetter(best_value_, value, epsilon_) ? std::optional(best_) : std::nullopt;
}

}  // namespace vrp
