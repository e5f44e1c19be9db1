// Neighbour lists of a rich problem.
#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "core/search/neighbours.h"
#include "core/search/pace.h"
#include "core/search/point_tree.h"
#include "core/search/ranking.h"
#include "core/search/rich/rich_problem_builder.h"

namespace vrp {
namespace {

// Weights of waiting and of lateness beside distance, as in Vidal et al. 2013.
constexpr double kWaitWeight = 0.2;
constexpr double kLateWeight = 1.0;
// Windows rank among this many times as many nearest ones.
constexpr int32_t kWider = 2;

}  // namespace

double RichProblemBuilder::Nearness(NodeIndex a, NodeIndex b) const {
  const RichVehicle& vehicle = problem_.vehicles_.front();
  const double there = problem_.Distance(vehicle, a, b);
  return vehicle.symmetric ? there : std::min(there, problem_.Distance(vehicle, b, a));
}

double RichProblemBuilder::Proximity(NodeIndex from, NodeIndex to, double distance) const {
  const RichProblem& p = problem_;
  const RichVehicle& vehicle = p.vehicles_.front();
  const double driving =
      vehicle.duration == nullptr ? distance * p.inverse_speed_ : p.Duration(vehicle, from, to);
  const double travel = p.service_[from] + driving;
  const double wait = p.open_[to] - (p.late_from_[from] + travel);
  const double late = p.open_[from] + travel - p.late_from_[to];
  return distance + kWaitWeight * std::max(0.0, wait) + kLateWeight * std::max(0.0, late);
}

double RichProblemBuilder::Relatedness(NodeIndex node, NodeIndex other, double nearness) const {
  const RichVehicle& vehicle = problem_.vehicles_.front();
  // Where both ways are as long, a look at the far side of the matrix is spared.
  const double there = vehicle.symmetric ? nearness : problem_.Distance(vehicle, node, other);
  const double back = vehicle.symmetric ? nearness : problem_.Distance(vehicle, other, node);
  return std::min(Proximity(node, other, there), Proximity(other, node, back));
}

void RichProblemBuilder::BuildNeighbours() {
  const RichProblem& p = problem_;
  const int32_t others = p.size_ - p.depots_ - 1;
  const int32_t length = std::min(
      p.size_ > RichProblem::kScanAllNodes ? RichProblem::kListedLarge : RichProblem::kListed,
      others);
  if (length < 1 || stop_.ShouldStop()) return;
  if (!ListNeighbours(length, kListsShare) && length > kHastyLength) {
    ListNeighbours(kHastyLength, kHastyShare);
  }
}

bool RichProblemBuilder::ListNeighbours(int32_t length, double share) {
  RichProblem& p = problem_;
  const int32_t wider = std::min(kWider * length, p.size_ - p.depots_ - 1);
  std::optional<PointTree> tree;
  if (p.size_ > RichProblem::kScanAllNodes && data_.distance_matrix.empty()) {
    tree.emplace(data_.positions, p.depots_);
  }
  std::vector<NodeIndex> all(p.size_ - p.depots_);
  std::iota(all.begin(), all.end(), p.depots_);
  std::vector<uint64_t> keys;
  std::vector<NodeIndex> near, related;
  const auto append = [&](std::vector<NodeIndex>& list) {
    std::transform(keys.begin(), keys.begin() + length, std::back_inserter(list), RankedNode);
  };
  const Pace pace(stop_, share, p.size_);
  for (NodeIndex node = 0; node < p.size_; ++node) {
    if (node % 32 == 31 && pace.Hopeless(node)) return false;
    keys.clear();
    for (const NodeIndex other : tree.has_value() ? tree->Nearest(node, wider) : all) {
      if (other != node) keys.push_back(RankKey(Nearness(node, other), other));
    }
    KeepLeast(keys, wider);
    SortLeast(keys, length);
    append(near);
    if (!p.timed_) continue;
    for (uint64_t& key : keys) {
      const NodeIndex other = RankedNode(key);
      key = RankKey(Relatedness(node, other, RankedValue(key)), other);
    }
    SortLeast(keys, length);
    append(related);
  }
  p.listed_ = length;
  p.near_ = std::move(near);
  p.related_ = std::move(related);
  return true;
}

}  // namespace vrp
