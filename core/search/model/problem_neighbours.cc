// Neighbour lists of a problem.
#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "core/search/model/deadline_monitor.h"
#include "core/search/model/neighbour_lists.h"
#include "core/search/model/point_tree.h"
#include "core/search/model/problem_builder.h"
#include "core/search/model/ranking.h"

namespace vrp {
namespace {

// Windows rank among this many times as many nearest ones.
constexpr int32_t kWider = 2;
// Customers whom no vehicle may serve both are of no use in each other's lists: they come behind
// all others, of whom as many are wanted among this many times as many nearest ones.
constexpr int32_t kAmongWhom = 4;
constexpr double kBehindAll = Problem::kNever;
// Sets of skills are compared as long as that takes a millisecond.
constexpr int64_t kMostCompared = 1'000'000;

}  // namespace

double ProblemBuilder::Nearness(NodeIndex a, NodeIndex b) const {
  const Vehicle& vehicle = problem_.vehicles_.front();
  const double there = problem_.Distance(vehicle, a, b);
  return vehicle.symmetric ? there : std::min(there, problem_.Distance(vehicle, b, a));
}

void ProblemBuilder::BuildNeighbours() {
  const Problem& p = problem_;
  const int32_t others = p.size_ - p.depots_ - 1;
  const int32_t length =
      std::min(p.size_ > Problem::kScanAllNodes ? Problem::kListedLarge : Problem::kListed, others);
  if (length < 1 || stop_.ShouldStop()) return;
  if (!ListNeighbours(length, kListsShare) && length > kHastyLength) {
    ListNeighbours(kHastyLength, kHastyShare);
  }
}

// Fills in together_; whether some customers have no vehicle in common.
bool ProblemBuilder::SomeKeepApart() {
  const Problem& p = problem_;
  const int64_t rows = p.skill_rows_;
  const int64_t sets = std::ssize(p.skilled_) / rows;
  if (sets * sets * rows > kMostCompared) return false;
  together_.assign(sets * sets, 0);
  for (int64_t pair = 0; pair < sets * sets; ++pair) {
    const char* const one = &p.skilled_[pair / sets * rows];
    const char* const other = &p.skilled_[pair % sets * rows];
    for (int64_t row = 0; row < rows; ++row) together_[pair] |= one[row] & other[row];
  }
  return std::find(together_.begin(), together_.end(), 0) != together_.end();
}

bool ProblemBuilder::MayGoTogether(NodeIndex a, NodeIndex b) const {
  const int64_t sets = std::ssize(problem_.skilled_) / problem_.skill_rows_;
  return together_[problem_.skill_set_[a] * sets + problem_.skill_set_[b]] != 0;
}

void ProblemBuilder::RateRelated(NodeIndex node, std::span<const uint64_t> keys) {
  const Problem& p = problem_;
  const Vehicle& vehicle = p.vehicles_.front();
  NeighbourCandidates& c = candidates_;
  c.nodes.resize(keys.size());
  for (auto* values : {&c.open, &c.close, &c.service, &there_, &back_, &time_there_, &time_back_}) {
    values->resize(keys.size());
  }
  for (size_t k = 0; k < keys.size(); ++k) {
    const NodeIndex other = RankedNode(keys[k]);
    const double nearness = RankedValue(keys[k]);
    // Where both ways are as long, a look at the far side of the matrix is spared.
    const bool known = vehicle.symmetric || nearness == kBehindAll;
    c.nodes[k] = other;
    c.open[k] = p.open_[other];
    c.close[k] = p.late_from_[other];
    c.service[k] = p.service_[other];
    there_[k] = known ? nearness : p.Distance(vehicle, node, other);
    back_[k] = known ? nearness : p.Distance(vehicle, other, node);
    time_there_[k] = p.Duration(vehicle, node, other, there_[k]);
    time_back_[k] = p.Duration(vehicle, other, node, back_[k]);
  }
  c.there = there_.data();
  c.back = back_.data();
  c.time_there = time_there_.data();
  c.time_back = time_back_.data();
  value_.resize(keys.size());
  RateProximity({.open = p.open_[node], .close = p.late_from_[node]}, p.service_[node], c, value_);
}

bool ProblemBuilder::ListNeighbours(int32_t length, double share) {
  Problem& p = problem_;
  const int32_t others = p.size_ - p.depots_ - 1;
  const int32_t wider = std::min(kWider * length, others);
  const bool apart = SomeKeepApart();
  const int32_t asked = apart ? std::min(kAmongWhom * wider, others) : wider;
  std::optional<PointTree> tree;
  if (p.size_ > Problem::kScanAllNodes && data_.distance_matrix.empty()) {
    tree.emplace(data_.positions, p.depots_);
  }
  std::vector<NodeIndex> all(p.size_ - p.depots_);
  std::iota(all.begin(), all.end(), p.depots_);
  std::vector<uint64_t> keys;
  std::vector<NodeIndex> near, related;
  near.reserve(int64_t{p.size_} * length);
  if (p.timed_) related.reserve(int64_t{p.size_} * length);
  const auto append = [&](std::vector<NodeIndex>& list) {
    std::transform(keys.begin(), keys.begin() + length, std::back_inserter(list), RankedNode);
  };
  const DeadlineMonitor monitor(stop_, share, p.size_);
  for (NodeIndex node = 0; node < p.size_; ++node) {
    if (node % 32 == 31 && monitor.WillMiss(node)) return false;
    candidates_.nodes.clear();
    value_.clear();
    for (const NodeIndex other : tree.has_value() ? tree->Nearest(node, asked) : all) {
      if (other == node) continue;
      const bool useless = apart && !p.is_depot(node) && !MayGoTogether(node, other);
      candidates_.nodes.push_back(other);
      value_.push_back(useless ? kBehindAll : Nearness(node, other));
    }
    RankLeast(value_, candidates_.nodes, wider, keys);
    append(near);
    if (!p.timed_) continue;
    RateRelated(node, keys);
    RankLeast(value_, candidates_.nodes, length, keys);
    append(related);
  }
  p.listed_ = length;
  p.near_ = std::move(near);
  p.related_ = std::move(related);
  return true;
}

}  // namespace vrp
