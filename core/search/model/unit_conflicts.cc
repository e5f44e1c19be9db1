#include "core/search/model/unit_conflicts.h"

#include <algorithm>
#include <bit>

namespace vrp {
namespace {

constexpr int32_t kMostUnits = 3000;

}  // namespace

bool UnitConflicts::Conflict(int32_t a, int32_t b) {
  const int64_t units = problem_.units();
  const bool may_conflict = problem_.timed() || problem_.rules().limits_routes();
  if (!may_conflict || problem_.has_reloads() || units > kMostUnits) return false;
  if (states_.empty()) states_.assign(units * units, kUnknown);
  const auto [low, high] = std::minmax(a, b);
  State& state = states_[low * units + high];
  if (state == kUnknown) state = Fit(low, high) ? kFit : kConflict;
  return state == kConflict;
}

bool UnitConflicts::Fit(int32_t a, int32_t b) {
  const Unit& first = problem_.unit(a);
  const Unit& second = problem_.unit(b);
  if (first.kind == Unit::Kind::kAlternatives || second.kind == Unit::Kind::kAlternatives) {
    return true;
  }
  // Bit i of `merge` says whether the i-th visit is one of the second unit.
  const int32_t visits = first.count + second.count;
  for (uint32_t merge = 0; merge < 1u << visits; ++merge) {
    if (std::popcount(merge) != second.count) continue;
    const NodeIndex* next[] = {problem_.NodesOf(first).data(), problem_.NodesOf(second).data()};
    nodes_.assign(1, 0);
    for (int32_t i = 0; i < visits; ++i) nodes_.push_back(*next[merge >> i & 1]++);
    nodes_.push_back(0);
    for (const Vehicle& vehicle : problem_.vehicles()) {
      nodes_.front() = vehicle.start;
      nodes_.back() = vehicle.end;
      if (evaluator_.Evaluate(vehicle, nodes_).feasible) return true;
    }
  }
  return false;
}

}  // namespace vrp
