#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/search/build/construct.h"
#include "core/search/model/ranking.h"
#include "core/search/ruin_recreate/recreate.h"

namespace vrp {
namespace {

constexpr int32_t kRelatedLooked = 40;
// Noisy plans are many and made in haste. Noise varies them enough, so fewer candidates do.
constexpr int32_t kRelatedLookedNoisy = 15;
constexpr int32_t kTypesLooked = 48;  // for a merged chain
constexpr int32_t kPoll = 64;
constexpr double kRounding = 1e-9;

// Visits that one vehicle serves, without its start and end. Empty: merged into another, or
// dissolved.
struct Chain {
  std::vector<NodeIndex> visits = {};
  int32_t type = -1;
  double cost = Problem::kNever;
  double bulk = 0;       // of all visits
  double departure = 0;  // the earliest from the last visit; timed only
  double latest = 0;     // begin of the first visit; timed only
};

class ChainMerger {
 public:
  explicit ChainMerger(RouteStore& routes)
      : routes_(routes),
        problem_(routes.problem()),
        chain_of_(problem_.size(), -1),
        types_(problem_.vehicles().size()),
        used_(types_.size(), 0),
        one_load_(problem_.plain_loads() && problem_.dimensions() == 1),
        may_turn_(!problem_.timed() && problem_.plain_loads() && !problem_.rules().has_orders()) {
    const Vehicle& first = problem_.vehicle(0);
    for (const Vehicle& vehicle : problem_.vehicles()) {
      may_turn_ = may_turn_ && vehicle.symmetric && vehicle.start == vehicle.end &&
                  vehicle.duration == nullptr && vehicle.row_duration == nullptr;
      same_drive_ = same_drive_ && DriveAlike(first, vehicle);
      same_cost_ = same_cost_ && first.fixed == vehicle.fixed &&
                   first.per_distance == vehicle.per_distance &&
                   first.per_time == vehicle.per_time &&
                   first.per_service_time == vehicle.per_service_time &&
                   first.per_travel_time == vehicle.per_travel_time;
    }
    ReadTypes();
  }

  // Returns false if stopped, with the routes as they were.
  template <typename Noise>
  bool Run(const StopCondition& stop, int32_t looked, Noise noise) {
    OpenChains();
    std::vector<uint64_t> keys = Savings(looked, noise);
    SortByValue(keys);
    for (size_t i = 0; i < keys.size(); ++i) {
      if (i % kPoll == 0 && stop.ShouldStop()) return false;
      const auto pair = static_cast<uint32_t>(keys[i]);
      const auto tail = static_cast<NodeIndex>(pair / looked);
      TryMerge(tail, problem_.Related(tail)[pair % looked]);
    }
    KeepToFleet();
    Store();
    return true;
  }

 private:
  // A chain beyond the fleet that goes to a free vehicle of another type; -1: is dissolved.
  struct Change {
    int64_t dropped = 0;  // visits that the other may not serve
    double added = 0;     // cost
    int32_t chain = 0;
    int32_t type = -1;
  };

  // Orders types by the customers whom they may serve, the fewest first: the others are spared for
  // who needs them. For the same end, where vehicles drive alike, chains of a type hold no more
  // than its vehicles do.
  void ReadTypes() {
    std::vector<int32_t> served(types_.size(), 0);
    for (int32_t type = 0; type < std::ssize(types_); ++type) {
      types_[type] = type;
      const Vehicle& vehicle = problem_.vehicle(type);
      const double most = problem_.most_capacity()[0];
      const double share = most > 0 ? std::min(1.0, vehicle.capacity[0] / most) : 1;
      room_.push_back(one_load_ && same_drive_ ? share * vehicle.count : kNoLimit);
      for (NodeIndex node = problem_.depots(); types_.size() > 1 && node < problem_.size(); ++node)
        served[type] += problem_.Allowed(vehicle, node);
    }
    std::stable_sort(types_.begin(), types_.end(),
                     [&](int32_t a, int32_t b) { return served[a] < served[b]; });
  }

  // One chain for each absent unit that no route must serve, those with the fewest vehicles first.
  void OpenChains() {
    std::vector<std::pair<int64_t, int32_t>> units;
    for (const int32_t u : routes_.absent()) {
      const Unit& unit = problem_.unit(u);
      if (unit.kind == Unit::Kind::kShipment || unit.slot >= 0) continue;
      int64_t vehicles = 0;
      for (const int32_t type : types_) {
        const Vehicle& vehicle = problem_.vehicle(type);
        if (problem_.Allowed(vehicle, problem_.NodesOf(unit)[0])) vehicles += vehicle.count;
      }
      units.emplace_back(vehicles, u);
    }
    std::sort(units.begin(), units.end());
    for (const auto& [vehicles, u] : units) {
      Chain best;
      for (const NodeIndex node : problem_.NodesOf(problem_.unit(u))) {
        if (problem_.OtherEnd(node) >= 0) continue;
        Chain chain{.visits = {node}, .cost = best.cost, .bulk = problem_.bulk(node)};
        ChooseType(chain, -1, -1);
        if (chain.type >= 0) best = std::move(chain);
      }
      if (best.type < 0) continue;
      MeasureTimes(best);
      room_[best.type] -= best.bulk;
      chain_of_[best.visits[0]] = static_cast<int32_t>(chains_.size());
      chains_.push_back(std::move(best));
    }
  }

  // Keys of the pairs of chains that save something, the largest saving first.
  template <typename Noise>
  std::vector<uint64_t> Savings(int32_t looked, Noise noise) {
    std::vector<uint64_t> keys;
    for (const Chain& chain : chains_) {
      const NodeIndex tail = chain.visits[0];
      const auto related = problem_.Related(tail);
      for (int32_t k = 0; k < std::min<int32_t>(looked, std::ssize(related)); ++k) {
        const int32_t other = chain_of_[related[k]];
        const double saving = other < 0 ? 0 : Saving(chain, chains_[other]);
        if (saving > 0) keys.push_back(~RankKey(saving * noise(), -1) | (tail * looked + k));
      }
    }
    return keys;
  }

  // Returns the distance that one vehicle saves that serves `a` and then `b`, of one visit each.
  double Saving(const Chain& a, const Chain& b) const {
    const NodeIndex tail = a.visits[0];
    const NodeIndex head = b.visits[0];
    const Vehicle& first = problem_.vehicle(a.type);
    const Vehicle& second = problem_.vehicle(b.type);
    const double home = problem_.Distance(first, tail, first.end);
    const double out = problem_.Distance(second, second.start, head);
    const double saved = home + out - problem_.Distance(first, tail, head);
    if (same_drive_ || a.type == b.type) return saved;
    // One of the two goes to another depot.
    return saved - std::min(problem_.Distance(first, head, first.end) -
                                problem_.Distance(second, head, second.end),
                            problem_.Distance(second, second.start, tail) -
                                problem_.Distance(first, first.start, tail));
  }

  // Joins the chain that ends with `tail` and the one that begins with `head`, if that costs less.
  void TryMerge(NodeIndex tail, NodeIndex head) {
    const int32_t a = chain_of_[tail];
    const int32_t b = chain_of_[head];
    Chain& first = chains_[a];
    Chain& second = chains_[b];
    const double bulk = first.bulk + second.bulk;
    if (a == b || (one_load_ && bulk > 1 + kRounding)) return;
    if (may_turn_) {
      if (first.visits.back() != tail) std::reverse(first.visits.begin(), first.visits.end());
      if (second.visits.front() != head) std::reverse(second.visits.begin(), second.visits.end());
    }
    if (first.visits.back() != tail || second.visits.front() != head) return;
    const double arrival =
        first.departure + problem_.Duration(problem_.vehicle(first.type), tail, head);
    if (problem_.timed() && !problem_.InTime(arrival, second.latest)) return;
    merged_.visits.assign(first.visits.begin(), first.visits.end());
    merged_.visits.insert(merged_.visits.end(), second.visits.begin(), second.visits.end());
    merged_.cost = first.cost + second.cost + problem_.route_weight() - problem_.epsilon();
    merged_.bulk = bulk;
    merged_.type = -1;
    room_[first.type] += first.bulk;
    room_[second.type] += second.bulk;
    ChooseType(merged_, first.type, second.type);
    if (merged_.type >= 0) {
      for (const NodeIndex node : second.visits) chain_of_[node] = a;
      second = {.type = merged_.type};
      std::swap(first, merged_);
      MeasureTimes(first);
    }
    room_[first.type] -= first.bulk;
    room_[second.type] -= second.bulk;
  }

  // Breaks and releases, which only take more time, are left to the evaluator.
  void MeasureTimes(Chain& chain) const {
    if (!problem_.timed()) return;
    const Vehicle& vehicle = problem_.vehicle(chain.type);
    chain.departure = vehicle.leaves_from;
    NodeIndex at = vehicle.start;
    for (const NodeIndex node : chain.visits) {
      const double arrival = chain.departure + problem_.Duration(vehicle, at, node);
      chain.departure = problem_.Earliest(node, arrival) + problem_.Handling(vehicle, at, node);
      at = node;
    }
    at = vehicle.end;
    chain.latest = at == problem_.nowhere() ? vehicle.shift_close
                                            : std::min(vehicle.shift_close, problem_.close(at));
    for (size_t i = chain.visits.size(); i-- > 0;) {
      const NodeIndex node = chain.visits[i];
      const double leave = chain.latest - problem_.Duration(vehicle, node, at);
      chain.latest = problem_.Latest(node, leave - problem_.service(node));
      at = node;
    }
  }

  // Sets type and cost to those of the cheapest type below the cost. Looks at others than `a` and
  // `b` where neither can drive it or costs are unlike.
  void ChooseType(Chain& chain, int32_t a, int32_t b) {
    if (a >= 0) LookAt(a, chain);
    if (b != a) LookAt(b, chain);
    if (a >= 0 && same_cost_ && chain.type >= 0) return;
    const size_t looked = a < 0 ? types_.size() : std::min<size_t>(types_.size(), kTypesLooked);
    for (const int32_t type : std::span(types_).first(looked)) {
      if (type != a && type != b) LookAt(type, chain);
    }
  }

  void LookAt(int32_t type, Chain& chain) {
    const Vehicle& vehicle = problem_.vehicle(type);
    const double ways = problem_.Distance(vehicle, vehicle.start, chain.visits.front()) +
                        problem_.Distance(vehicle, chain.visits.back(), vehicle.end);
    if (vehicle.fixed + vehicle.per_distance * ways >= chain.cost ||
        chain.bulk > room_[type] * (1 + kRounding)) {
      return;
    }
    const RouteValue value = Evaluate(vehicle, chain.visits);
    if (!value.feasible || value.cost >= chain.cost) return;
    chain.type = type;
    chain.cost = value.cost;
  }

  RouteValue Evaluate(const Vehicle& vehicle, std::span<const NodeIndex> visits) {
    nodes_.assign(1, vehicle.start);
    nodes_.insert(nodes_.end(), visits.begin(), visits.end());
    nodes_.push_back(vehicle.end);
    return routes_.evaluator().Evaluate(vehicle, nodes_);
  }

  bool IsOver(const Chain& chain) const {
    return !chain.visits.empty() && used_[chain.type] > problem_.vehicle(chain.type).count;
  }
  bool IsFree(int32_t type) const { return used_[type] < problem_.vehicle(type).count; }
  std::vector<NodeIndex> AllowedOf(const Chain& chain, int32_t type) const {
    std::vector<NodeIndex> visits = chain.visits;
    std::erase_if(visits,
                  [&](NodeIndex node) { return !problem_.Allowed(problem_.vehicle(type), node); });
    return visits;
  }

  // Gives chains beyond the fleet to free vehicles: the fewest dropped visits first, then the least
  // cost. Dissolves the shortest of the rest.
  void KeepToFleet() {
    for (const SearchRoute& route : routes_.routes()) {
      if (!route.empty()) ++used_[route.type];
    }
    for (const Chain& chain : chains_) used_[chain.type] += !chain.visits.empty();
    std::vector<Change> changes;
    for (int32_t c = 0; c < std::ssize(chains_); ++c) {
      if (!IsOver(chains_[c])) continue;
      const int64_t visits = std::ssize(chains_[c].visits);
      changes.push_back({.dropped = visits, .chain = c});
      for (const int32_t type : types_) {
        if (!IsFree(type)) continue;
        const std::vector<NodeIndex> kept = AllowedOf(chains_[c], type);
        if (kept.empty()) continue;
        const RouteValue value = Evaluate(problem_.vehicle(type), kept);
        const double added = value.cost - chains_[c].cost;
        if (value.feasible) changes.push_back({visits - std::ssize(kept), added, c, type});
      }
    }
    std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
      return std::pair(a.dropped, a.added) < std::pair(b.dropped, b.added);
    });
    for (const Change& change : changes) {
      Chain& chain = chains_[change.chain];
      if (!IsOver(chain) || (change.type >= 0 && !IsFree(change.type))) continue;
      --used_[chain.type];
      if (change.type < 0) {
        chain.visits.clear();
      } else {
        chain.visits = AllowedOf(chain, change.type);
        chain.type = change.type;
        ++used_[change.type];
      }
    }
  }

  void Store() {
    for (const Chain& chain : chains_) {
      if (chain.visits.empty()) continue;
      const std::vector<NodeIndex> nodes = WithEnds(problem_.vehicle(chain.type), chain.visits);
      routes_.SetRoute(routes_.EmptySlot(), chain.type, nodes);
    }
    std::vector<int32_t> absent = routes_.absent();
    std::erase_if(absent, [&](int32_t u) { return routes_.Serves(u); });
    routes_.SetAbsent(std::move(absent));
  }

  RouteStore& routes_;
  const Problem& problem_;
  std::vector<Chain> chains_;
  std::vector<int32_t> chain_of_;  // [N]
  std::vector<int32_t> types_;     // in the order in which they are looked at
  std::vector<int32_t> used_;      // vehicles of each type
  std::vector<double> room_;       // left in each type's vehicles, as bulks
  bool one_load_, may_turn_;
  bool same_drive_ = true, same_cost_ = true;  // all vehicles
  std::vector<NodeIndex> nodes_;
  Chain merged_;
};

}  // namespace

bool MergeRoutes(RouteStore& routes, const StopCondition& stop) {
  return ChainMerger(routes).Run(stop, kRelatedLooked, [] { return 1.0; });
}

Plan NoisySavingsPlan(const Problem& problem, const StopCondition& stop, double noise,
                      FastRandom& random) {
  RouteStore routes(problem);
  ChainMerger(routes).Run(stop, kRelatedLookedNoisy,
                          [&] { return 1 + noise * (2 * random.Unit() - 1); });
  Recreate(routes, random, stop).InsertAbsent(1);
  return routes.ToPlan();
}

}  // namespace vrp
