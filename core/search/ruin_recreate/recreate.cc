#include "core/search/ruin_recreate/recreate.h"

#include <algorithm>
#include <utility>

namespace vrp {
namespace {

constexpr double kBlink = 0.01;
// How often optional units are inserted for more than their prize: together they may be worth it.
constexpr double kGenerousRate = 0.15;
constexpr double kMostGenerous = 6;
// How often new routes are compared by shares of their fixed cost.
constexpr double kShareRate = 0.5;
// Where units may be left out: how often the order is by worth for the load, give or take a factor.
constexpr double kWorthyRate = 0.3;
constexpr double kLeastBulk = 1e-3;
constexpr double kRoughness = 1;
// The clock is asked after that many insertions, fast and slow ones.
constexpr int32_t kFastPoll = 64;
constexpr int32_t kPoll = 4;
constexpr int32_t kFastNodes = 2000;

}  // namespace

bool RecreatesFast(const Problem& problem) {
  return problem.size() <= kFastNodes && problem.plain_loads() && !problem.has_releases() &&
         std::ranges::none_of(problem.vehicles(), &Vehicle::simulated);
}

Recreate::Recreate(RouteStore& routes, FastRandom& random, const StopCondition& stop)
    : routes_(routes),
      problem_(routes.problem()),
      random_(random),
      stop_(stop),
      insertion_(routes, random),
      detours_(routes, random),
      groups_(routes, insertion_, random),
      is_kept_(problem_.units(), 0),
      poll_(RecreatesFast(problem_) ? kFastPoll : kPoll),
      has_optional_(!std::ranges::all_of(problem_.all_units(), &Unit::required)) {}

void Recreate::InsertSome(std::span<const int32_t> removed, NodeIndex seed) {
  insertion_.SetPolicy({.blink = kBlink, .shares_fixed_cost = random_.Unit() < kShareRate});
  const bool generous = random_.Unit() < kGenerousRate;
  const double worth = generous ? 1 + random_.Unit() * kMostGenerous : 1;
  Gather(removed, seed);
  Order();
  InsertGathered(worth);
}

void Recreate::Pack(std::span<const int32_t> removed, NodeIndex seed) {
  insertion_.SetPolicy({.blink = kBlink, .packs = true});
  Gather(removed, seed);
  sorter_.SortBy(gathered_,
                 [&](int32_t u) { return -BulkOf(u) * (1 + kRoughness * random_.Unit()); });
  InsertGathered(1);
}

void Recreate::Gather(std::span<const int32_t> removed, NodeIndex seed) {
  gathered_.assign(removed.begin(), removed.end());
  const std::vector<int32_t>& absent = routes_.absent();
  const auto room = [&] { return gathered_.size() < removed.size() + kMostRetried; };
  if (std::ssize(absent) <= kMostRetried) {
    gathered_.insert(gathered_.end(), absent.begin(), absent.end());
    kept_absent_.clear();
    return;
  }
  for (const int32_t u : absent) is_kept_[u] = 1;
  const auto gather = [&](int32_t u) {
    if (std::exchange(is_kept_[u], 0)) gathered_.push_back(u);
  };
  if (groups_.has_any()) GatherGroups(removed);
  for (int32_t i = 0; i < kMostRetried / 3; ++i) {
    gather(absent[random_.Below(static_cast<int32_t>(absent.size()))]);
  }
  gather(problem_.UnitOf(seed));
  for (const NodeIndex near : problem_.Near(seed)) {
    if (!room()) break;
    gather(problem_.UnitOf(near));
  }
  kept_absent_.clear();
  for (const int32_t u : absent) {
    if (std::exchange(is_kept_[u], 0)) kept_absent_.push_back(u);
  }
}

// Gathers absent units that must share a route with removed ones.
void Recreate::GatherGroups(std::span<const int32_t> removed) {
  for (const int32_t u : removed) {
    for (const NodeIndex node : problem_.NodesOf(problem_.unit(u))) {
      for (const NodeIndex other : problem_.rules().GroupOf(node)) {
        const int32_t mate = problem_.UnitOf(other);
        if (std::exchange(is_kept_[mate], 0)) gathered_.push_back(mate);
      }
    }
  }
}

void Recreate::Order() {
  random_.Shuffle(std::span<int32_t>(gathered_));
  if ((unserved_penalty_ > 0 || has_optional_) && random_.Unit() < kWorthyRate) {
    return sorter_.SortBy(gathered_, [&](int32_t u) {
      return -Limit(problem_.unit(u), 1) * (1 + random_.Unit()) / std::max(BulkOf(u), kLeastBulk);
    });
  }
  OrderBy(DrawInsertionOrder(random_, problem_.timed()));
}

void Recreate::OrderBy(InsertionOrder order) {
  if (order == InsertionOrder::kRandom) return;
  if (order == InsertionOrder::kLoad && groups_.has_any()) {
    return sorter_.SortBy(gathered_, [&](int32_t u) { return -BulkOf(u); });
  }
  sorter_.SortBy(gathered_, [&](int32_t u) {
    return InsertionKey(problem_, order, problem_.NodesOf(problem_.unit(u)).front());
  });
}

double Recreate::BulkOf(int32_t unit) const {
  const NodeIndex node = problem_.NodesOf(problem_.unit(unit)).front();
  const auto group = problem_.rules().GroupOf(node);
  if (group.empty()) return problem_.bulk(node);
  double sum = 0;
  for (const NodeIndex other : group) sum += problem_.bulk(other);
  return sum;
}

void Recreate::InsertGathered(double worth) {
  std::vector<int32_t> absent = kept_absent_;
  bool stopped = false;
  if (groups_.has_any()) groups_.Begin(gathered_);
  const auto limit_of = [&](int32_t u) { return Limit(problem_.unit(u), worth); };
  for (const int32_t u : gathered_) {
    if (--until_poll_ <= 0) {
      until_poll_ = poll_;
      stopped = stopped || stop_.ShouldStop();
    }
    if ((detours_.used() || groups_.has_any()) && routes_.Serves(u)) continue;
    if (groups_.has_any() && !stopped && groups_.Insert(u, limit_of)) continue;
    const double limit = Limit(problem_.unit(u), worth);
    const InsertionPlace place = stopped ? InsertionPlace{} : insertion_.Find(u, limit);
    if (place.found()) {
      insertion_.Insert(place);
    } else if (stopped || !detours_.Insert(u, limit)) {
      absent.push_back(u);
    }
  }
  if (detours_.used()) {
    std::erase_if(absent, [&](int32_t u) { return routes_.Serves(u); });
  }
  routes_.SetAbsent(std::move(absent));
}

double Recreate::Limit(const Unit& unit, double worth) const {
  if (!unit.required()) return worth * unit.prize;
  return unserved_penalty_ > 0 ? worth * unserved_penalty_ * unit.weight : Problem::kNever;
}

void Recreate::InsertAbsent(double worth, First first) {
  insertion_.SetPolicy({});
  gathered_ = routes_.absent();
  kept_absent_.clear();
  OrderBy(first == First::kFar ? InsertionOrder::kFar : InsertionOrder::kLoad);
  InsertGathered(worth);
}

}  // namespace vrp
