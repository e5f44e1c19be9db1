// Neighbour lists of a rich problem.
#include <algorithm>
#include <optional>
#include <utility>

#include "core/search/point_tree.h"
#include "core/search/rich/rich_problem_builder.h"

namespace vrp {
namespace {

using Ranked = std::pair<double, NodeIndex>;

// Weights of waiting and of lateness beside distance, as in Vidal et al. 2013.
constexpr double kWaitWeight = 0.2;
constexpr double kLateWeight = 1.0;
// Windows rank among this many times as many nearest ones.
constexpr int32_t kWider = 2;

// The first `count` by `measure`, the first `sorted` of them in order.
template <typename Measure>
void KeepBest(std::vector<Ranked>& ranked, int32_t count, int32_t sorted, Measure measure) {
  for (auto& [key, node] : ranked) key = measure(node);
  const auto middle = ranked.begin() + std::min<int64_t>(count, std::ssize(ranked));
  if (middle != ranked.end()) std::nth_element(ranked.begin(), middle, ranked.end());
  ranked.erase(middle, ranked.end());
  std::partial_sort(ranked.begin(), ranked.begin() + sorted, ranked.end());
}

}  // namespace

double RichProblemBuilder::Proximity(NodeIndex from, NodeIndex to) const {
  const RichProblem& p = problem_;
  const RichVehicle& vehicle = p.vehicles_.front();
  const double travel = p.service_[from] + p.Duration(vehicle, from, to);
  const double wait = p.open_[to] - (p.late_from_[from] + travel);
  const double late = p.open_[from] + travel - p.late_from_[to];
  return p.Distance(vehicle, from, to) + kWaitWeight * std::max(0.0, wait) +
         kLateWeight * std::max(0.0, late);
}

void RichProblemBuilder::BuildNeighbours() {
  RichProblem& p = problem_;
  const int32_t customers = p.size_ - p.depots_;
  const bool large = p.size_ > RichProblem::kScanAllNodes;
  const int32_t length =
      std::min(large ? RichProblem::kListedLarge : RichProblem::kListed, customers - 1);
  if (length < 1 || stop_.ShouldStop()) return;
  const int32_t wider = std::min(kWider * length, customers - 1);
  std::optional<PointTree> tree;
  if (large && data_.distance_matrix.empty()) tree.emplace(data_.positions, p.depots_);
  std::vector<Ranked> ranked;
  std::vector<NodeIndex> near, related;
  const auto append = [&](std::vector<NodeIndex>& list) {
    for (int32_t i = 0; i < length; ++i) list.push_back(ranked[i].second);
  };
  for (NodeIndex node = 0; node < p.size_; ++node) {
    if (node % 32 == 31 && stop_.ShouldStop()) return;
    ranked.clear();
    if (tree.has_value()) {
      for (const NodeIndex other : tree->Nearest(node, wider)) ranked.emplace_back(0, other);
    } else {
      for (NodeIndex other = p.depots_; other < p.size_; ++other) {
        if (other != node) ranked.emplace_back(0, other);
      }
    }
    const RichVehicle& vehicle = p.vehicles_.front();
    KeepBest(ranked, wider, length, [&](NodeIndex other) {
      return std::min(p.Distance(vehicle, node, other), p.Distance(vehicle, other, node));
    });
    append(near);
    if (!p.timed_) continue;
    KeepBest(ranked, length, length, [&](NodeIndex other) {
      return std::min(Proximity(node, other), Proximity(other, node));
    });
    append(related);
  }
  p.listed_ = length;
  p.near_ = std::move(near);
  p.related_ = std::move(related);
}

}  // namespace vrp
