#include "core/search/regions/lent_routes.h"

#include <algorithm>
#include <utility>

namespace vrp {
namespace {

// A region begins at the least lent of so many routes drawn.
constexpr int kDraws = 8;
// From each of its customers a region grows towards so many of the nearest.
constexpr size_t kTowards = 10;

}  // namespace

LentRoutes::LentRoutes(const SearchProblem& problem, const Plan& plan)
    : problem_(problem), slot_of_(problem.size(), -1) {
  absl::MutexLock lock(&mutex_);
  slots_.resize(plan.size());
  for (size_t slot = 0; slot < plan.size(); ++slot) {
    Keep(static_cast<int32_t>(slot), plan[slot].customers);
  }
  spare_ = problem.max_routes() - static_cast<int32_t>(plan.size());
  best_ = {plan, distance_};
}

std::optional<Region> LentRoutes::Lend(int32_t customers, FastRandom& random) {
  absl::MutexLock lock(&mutex_);
  const int32_t first = LeastLent(random);
  if (first < 0) return std::nullopt;
  Region region;
  Lend(first, region);
  // Breadth first: the customers of the region's routes in the order in which they joined. Where
  // that ends, as in a town that lies apart, it goes on with the nearest beyond.
  std::vector<NodeIndex> reached = slots_[first].customers;
  const NodeIndex seed = reached[random.Below(reached.size())];
  const auto room = [&] { return customers - std::ssize(reached); };
  const auto join = [&](int32_t slot) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    Lend(slot, region);
    const auto& joining = slots_[slot].customers;
    reached.insert(reached.end(), joining.begin(), joining.end());
  };
  for (size_t at = 0; room() > 0; ++at) {
    if (at == reached.size()) {
      const int32_t beyond = NearestThatFits(seed, room());
      if (beyond < 0) break;
      join(beyond);
    }
    const auto near = problem_.Near(reached[at]);
    for (const NodeIndex other : near.first(std::min(near.size(), kTowards))) {
      const int32_t slot = slot_of_[other];
      if (slot >= 0 && Fits(slot, room())) join(slot);
    }
  }
  region.spare_vehicles = std::min(spare_, 1);
  spare_ -= region.spare_vehicles;
  return region;
}

bool LentRoutes::Fits(int32_t slot, int64_t room) const {
  const Slot& kept = slots_[slot];
  return !kept.out && !kept.customers.empty() && std::ssize(kept.customers) <= room;
}

int32_t LentRoutes::NearestThatFits(NodeIndex seed, int64_t room) const {
  int32_t nearest = -1;
  double least = kNoLimit;
  for (NodeIndex node = 1; node < problem_.size(); ++node) {
    const int32_t slot = slot_of_[node];
    if (slot < 0 || !Fits(slot, room)) continue;
    const double way = problem_.Distance(seed, node) + problem_.Distance(node, seed);
    if (way >= least) continue;
    least = way;
    nearest = slot;
  }
  return nearest;
}

// -1: all are out.
int32_t LentRoutes::LeastLent(FastRandom& random) const {
  const auto lendable = [this](int32_t slot) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return !slots_[slot].out && !slots_[slot].customers.empty();
  };
  const auto size = static_cast<int32_t>(slots_.size());
  int32_t least = -1;
  for (int draw = 0; draw < kDraws; ++draw) {
    const auto slot = static_cast<int32_t>(random.Below(size));
    if (!lendable(slot)) continue;
    if (least < 0 || slots_[slot].times_lent < slots_[least].times_lent) least = slot;
  }
  for (int32_t slot = 0; least < 0 && slot < size; ++slot) {
    if (lendable(slot)) least = slot;
  }
  return least;
}

void LentRoutes::Lend(int32_t slot, Region& region) {
  slots_[slot].out = true;
  ++slots_[slot].times_lent;
  region.slots.push_back(slot);
  region.plan.push_back({.vehicle_type = 0, .customers = slots_[slot].customers});
}

void LentRoutes::TakeBack(const Region& region, const Plan& plan) {
  absl::MutexLock lock(&mutex_);
  int64_t times_lent = 0;
  for (const int32_t slot : region.slots) {
    times_lent = std::max(times_lent, slots_[slot].times_lent);
    slots_[slot].out = false;
    Keep(slot, {});
  }
  spare_ += region.spare_vehicles + static_cast<int32_t>(region.slots.size() - plan.size());
  size_t next = 0;
  for (const PlannedRoute& route : plan) {
    const int32_t slot = next < region.slots.size() ? region.slots[next++] : FreeSlot();
    Keep(slot, route.customers);
    slots_[slot].times_lent = times_lent;
  }
  // Those that are out count as they were lent.
  if (distance_ < best_.distance - problem_.epsilon()) best_ = {ToPlan(), distance_};
}

void LentRoutes::Keep(int32_t slot, std::vector<NodeIndex> customers) {
  distance_ -= slots_[slot].distance;
  for (const NodeIndex customer : customers) slot_of_[customer] = slot;
  std::vector<NodeIndex> visits = {0};
  visits.insert(visits.end(), customers.begin(), customers.end());
  visits.push_back(0);
  slots_[slot].distance = customers.empty() ? 0 : problem_.SequenceDistance(visits);
  slots_[slot].customers = std::move(customers);
  distance_ += slots_[slot].distance;
}

int32_t LentRoutes::FreeSlot() {
  for (size_t slot = 0; slot < slots_.size(); ++slot) {
    if (slots_[slot].customers.empty() && !slots_[slot].out) return static_cast<int32_t>(slot);
  }
  slots_.emplace_back();
  return static_cast<int32_t>(slots_.size() - 1);
}

Plan LentRoutes::ToPlan() const {
  Plan plan;
  for (const Slot& slot : slots_) {
    if (!slot.customers.empty()) plan.push_back({.vehicle_type = 0, .customers = slot.customers});
  }
  return plan;
}

std::optional<LentRoutes::Standing> LentRoutes::BestBelow(double distance) const {
  absl::MutexLock lock(&mutex_);
  if (best_.distance >= distance - problem_.epsilon()) return std::nullopt;
  return best_;
}

}  // namespace vrp
