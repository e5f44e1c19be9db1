#include "core/search/neighbours.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/search/point_tree.h"
#include "core/search/search_problem.h"

namespace vrp {
namespace {

using Ranked = std::pair<double, NodeIndex>;

// Weights of waiting and of lateness beside distance, as in Vidal et al. 2013.
constexpr double kWaitWeight = 0.2;
constexpr double kLateWeight = 1.0;
// Without a matrix, windows rank among this many times as many nearest ones.
constexpr int32_t kWider = 2;

double OneWayProximity(const SearchProblem& problem, NodeIndex from, NodeIndex to) {
  const double travel = problem.service(from) + problem.Duration(from, to);
  const double wait = problem.open(to) - (problem.close(from) + travel);
  const double late = problem.open(from) + travel - problem.close(to);
  return problem.Distance(from, to) + kWaitWeight * std::max(0.0, wait) +
         kLateWeight * std::max(0.0, late);
}

class Builder {
 public:
  Builder(const SearchProblem& problem, int32_t length) : problem_(problem), length_(length) {
    lists_.length = length;
    lists_.near.reserve(static_cast<int64_t>(problem.size()) * length);
    if (problem.timed()) lists_.related.reserve(static_cast<int64_t>(problem.size()) * length);
    if (problem.DistanceRow(0) == nullptr) {
      tree_.emplace(problem.instance().data().positions, problem.listed_from());
    }
  }

  void Add(NodeIndex node) {
    if (tree_.has_value()) {
      const int32_t wanted = problem_.timed() ? kWider * length_ : length_;
      candidates_ = tree_->Nearest(node, std::min(wanted, problem_.size() - 1));
    } else {
      candidates_.clear();
      for (NodeIndex other = problem_.listed_from(); other < problem_.size(); ++other) {
        if (other != node) candidates_.push_back(other);
      }
    }
    Rank(lists_.near, [&](NodeIndex other) {
      return problem_.symmetric()
                 ? problem_.Distance(node, other)
                 : std::min(problem_.Distance(node, other), problem_.Distance(other, node));
    });
    if (!problem_.timed()) return;
    Rank(lists_.related, [&](NodeIndex other) {
      return std::min(OneWayProximity(problem_, node, other),
                      OneWayProximity(problem_, other, node));
    });
  }

  NeighbourLists Take() { return std::move(lists_); }

 private:
  template <typename Measure>
  void Rank(std::vector<NodeIndex>& list, Measure measure) {
    ranked_.clear();
    for (const NodeIndex other : candidates_) ranked_.emplace_back(measure(other), other);
    const auto middle = ranked_.begin() + std::min<int64_t>(length_, std::ssize(ranked_));
    if (middle != ranked_.end()) std::nth_element(ranked_.begin(), middle, ranked_.end());
    std::sort(ranked_.begin(), middle);
    for (auto it = ranked_.begin(); it != middle; ++it) list.push_back(it->second);
  }

  const SearchProblem& problem_;
  const int32_t length_;
  NeighbourLists lists_;
  std::optional<PointTree> tree_;
  std::vector<NodeIndex> candidates_;
  std::vector<Ranked> ranked_;
};

}  // namespace

NeighbourLists BuildNeighbourLists(const SearchProblem& problem, int32_t length,
                                   const StopCondition& stop) {
  if (length < 1 || stop.ShouldStop()) return {};
  Builder builder(problem, length);
  for (NodeIndex node = 0; node < problem.size(); ++node) {
    if (node % 32 == 31 && stop.ShouldStop()) return {};
    builder.Add(node);
  }
  return builder.Take();
}

}  // namespace vrp
