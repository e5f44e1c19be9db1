// The orders in which a recreation inserts customers (Christiaens and Vanden Berghe 2020, "Slack
// induction by string removals for vehicle routing problems").
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/problem/instance/node.h"
#include "core/search/model/fast_random.h"

namespace vrp {

// The largest load first, the farthest from the depot, the nearest, the shortest window, the
// earliest opening, the latest close.
enum class InsertionOrder { kRandom, kLoad, kFar, kClose, kNarrow, kEarly, kLate };

// Draws an order with the article's weights: 4, 4, 2, 1, and 2 for each of the last three, which
// look at windows.
inline InsertionOrder DrawInsertionOrder(FastRandom& random, bool timed) {
  const int32_t ticket = random.Below(timed ? 17 : 11);
  if (ticket < 4) return InsertionOrder::kRandom;
  if (ticket < 8) return InsertionOrder::kLoad;
  if (ticket < 10) return InsertionOrder::kFar;
  if (ticket < 11) return InsertionOrder::kClose;
  if (ticket < 13) return InsertionOrder::kNarrow;
  return ticket < 15 ? InsertionOrder::kEarly : InsertionOrder::kLate;
}

// Returns the key by which `order` sorts a customer, the least first.
template <typename AnyProblem>
double InsertionKey(const AnyProblem& problem, InsertionOrder order, NodeIndex customer) {
  switch (order) {
    case InsertionOrder::kRandom:
      return 0;
    case InsertionOrder::kLoad:
      return -problem.bulk(customer);
    case InsertionOrder::kFar:
      return -problem.DepotDistance(customer);
    case InsertionOrder::kClose:
      return problem.DepotDistance(customer);
    case InsertionOrder::kNarrow:
      return problem.late_from(customer) - problem.open(customer);
    case InsertionOrder::kEarly:
      return problem.open(customer);
    case InsertionOrder::kLate:
      return -problem.late_from(customer);
  }
  return 0;
}

// Sorts customers or units. Keeps its scratch space: not thread-safe.
class InsertionSorter {
 public:
  // Sorts `items` by key(item), the least first; equal ones keep their order. Calls `key` once for
  // each, in their order.
  template <typename Key>
  void SortBy(std::vector<int32_t>& items, Key key) {
    keyed_.clear();
    for (const int32_t item : items) keyed_.emplace_back(key(item), item);
    const auto less = [](const auto& a, const auto& b) { return a.first < b.first; };
    if (keyed_.size() > kFew) {
      std::stable_sort(keyed_.begin(), keyed_.end(), less);
    } else {
      for (auto at = keyed_.begin(); at != keyed_.end(); ++at) {
        std::rotate(std::upper_bound(keyed_.begin(), at, *at, less), at, at + 1);
      }
    }
    for (size_t i = 0; i < keyed_.size(); ++i) items[i] = keyed_[i].second;
  }

  // Sorts `customers` by an order drawn at random, ties too.
  template <typename AnyProblem>
  void SortRandomly(std::vector<NodeIndex>& customers, const AnyProblem& problem,
                    FastRandom& random) {
    random.Shuffle(std::span<NodeIndex>(customers));
    const InsertionOrder order = DrawInsertionOrder(random, problem.timed());
    if (order == InsertionOrder::kRandom) return;
    SortBy(customers, [&](NodeIndex node) { return InsertionKey(problem, order, node); });
  }

 private:
  // Up to as many are sorted by insertion, without the memory that std::stable_sort takes.
  static constexpr size_t kFew = 32;
  std::vector<std::pair<double, int32_t>> keyed_;
};

}  // namespace vrp
