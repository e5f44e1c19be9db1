#include "core/search/neighbours.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <vector>

#include "core/search/pace.h"
#include "core/search/point_tree.h"
#include "core/search/ranking.h"
#include "core/search/search_problem.h"

namespace vrp {
namespace {

// Weights of waiting and of lateness beside distance, as in Vidal et al. 2013.
constexpr double kWaitWeight = 0.2;
constexpr double kLateWeight = 1.0;
// Without a matrix, windows rank among this many times as many nearest ones.
constexpr int32_t kWider = 2;

// What is known of one node's candidates, [count] each.
struct Candidates {
  std::vector<NodeIndex> nodes;
  std::vector<double> there, back;            // distances to them, from them
  std::vector<double> time_there, time_back;  // travel times
  std::vector<double> open, close, service;

  int64_t count() const { return std::ssize(nodes); }
  void Resize(size_t count) {
    for (auto* values : {&there, &back, &time_there, &time_back, &open, &close, &service}) {
      values->resize(count);
    }
  }
};

class Builder {
 public:
  Builder(const SearchProblem& problem, int32_t length) : problem_(problem), length_(length) {
    lists_.length = length;
    lists_.near.reserve(static_cast<int64_t>(problem.size()) * length);
    if (problem.timed()) lists_.related.reserve(static_cast<int64_t>(problem.size()) * length);
    if (problem.DistanceRow(0) == nullptr) {
      tree_.emplace(problem.instance().data().positions, problem.listed_from());
      return;
    }
    candidates_.nodes.resize(problem.size() - problem.listed_from());
    std::iota(candidates_.nodes.begin(), candidates_.nodes.end(), problem.listed_from());
    GatherNodes();
  }

  void Add(NodeIndex node) {
    if (tree_.has_value()) {
      const int32_t wanted = problem_.timed() ? kWider * length_ : length_;
      const auto nearest = tree_->Nearest(node, std::min(wanted, problem_.size() - 1));
      candidates_.nodes.assign(nearest.begin(), nearest.end());
      GatherNodes();
    }
    GatherDistances(node);
    std::transform(candidates_.there.begin(), candidates_.there.end(), candidates_.back.begin(),
                   value_.begin(), [](double there, double back) { return std::min(there, back); });
    Rank(node, lists_.near);
    if (!problem_.timed()) return;
    GatherTimes(node);
    RateProximity(node);
    Rank(node, lists_.related);
  }

  NeighbourLists Take() { return std::move(lists_); }

 private:
  void GatherNodes() {
    candidates_.Resize(candidates_.nodes.size());
    value_.resize(candidates_.nodes.size());
    for (int64_t k = 0; k < candidates_.count(); ++k) {
      const NodeIndex other = candidates_.nodes[k];
      candidates_.open[k] = problem_.open(other);
      candidates_.close[k] = problem_.close(other);
      candidates_.service[k] = problem_.service(other);
    }
  }

  void GatherDistances(NodeIndex node) {
    if (tree_.has_value()) {
      for (int64_t k = 0; k < candidates_.count(); ++k) {
        candidates_.there[k] = problem_.Distance(node, candidates_.nodes[k]);
      }
    } else {
      CopyRow(problem_.DistanceRow(node), candidates_.there);
    }
    if (problem_.symmetric()) {
      candidates_.back = candidates_.there;
      return;
    }
    for (int64_t k = 0; k < candidates_.count(); ++k) {
      candidates_.back[k] = problem_.Distance(candidates_.nodes[k], node);
    }
  }

  void GatherTimes(NodeIndex node) {
    const double* row = problem_.DurationRow(node);
    if (row == nullptr) {
      Scale(candidates_.there, candidates_.time_there);
      Scale(candidates_.back, candidates_.time_back);
      return;
    }
    if (tree_.has_value()) {
      for (int64_t k = 0; k < candidates_.count(); ++k) {
        candidates_.time_there[k] = row[candidates_.nodes[k]];
      }
    } else {
      CopyRow(row, candidates_.time_there);
    }
    for (int64_t k = 0; k < candidates_.count(); ++k) {
      candidates_.time_back[k] = problem_.Duration(candidates_.nodes[k], node);
    }
  }

  // Of a matrix, whose candidates are all nodes from the first listed one on.
  void CopyRow(const double* row, std::vector<double>& to) const {
    std::copy(row + problem_.listed_from(), row + problem_.size(), to.begin());
  }
  void Scale(const std::vector<double>& distances, std::vector<double>& times) const {
    const double inverse_speed = problem_.inverse_speed();
    std::transform(distances.begin(), distances.end(), times.begin(),
                   [=](double distance) { return distance * inverse_speed; });
  }

  // The better way round of distance, waiting and lateness. A loop of its own over arrays: all
  // pairs of 1,000 customers were half of what a search did in its first 300 ms.
  void RateProximity(NodeIndex node) {
    const double open = problem_.open(node);
    const double close = problem_.close(node);
    const double service = problem_.service(node);
    const Candidates& c = candidates_;
    const int64_t count = c.count();
    for (int64_t k = 0; k < count; ++k) {
      const double there = service + c.time_there[k];
      const double back = c.service[k] + c.time_back[k];
      const double forward = c.there[k] + kWaitWeight * std::max(0.0, c.open[k] - (close + there)) +
                             kLateWeight * std::max(0.0, open + there - c.close[k]);
      const double reverse = c.back[k] + kWaitWeight * std::max(0.0, open - (c.close[k] + back)) +
                             kLateWeight * std::max(0.0, c.open[k] + back - close);
      value_[k] = std::min(forward, reverse);
    }
  }

  // Adds the `length_` candidates of least value_, `node` left out.
  void Rank(NodeIndex node, std::vector<NodeIndex>& list) {
    size_t own = value_.size();
    keys_.resize(value_.size());
    for (size_t k = 0; k < keys_.size(); ++k) {
      keys_[k] = RankKey(value_[k], candidates_.nodes[k]);
      if (candidates_.nodes[k] == node) own = k;
    }
    if (own < keys_.size()) {
      keys_[own] = keys_.back();
      keys_.pop_back();
    }
    SortLeast(keys_, length_);
    const auto end = keys_.begin() + std::min<int64_t>(length_, std::ssize(keys_));
    std::transform(keys_.begin(), end, std::back_inserter(list), RankedNode);
  }

  const SearchProblem& problem_;
  const int32_t length_;
  NeighbourLists lists_;
  std::optional<PointTree> tree_;  // where there is no matrix
  Candidates candidates_;
  std::vector<double> value_;
  std::vector<uint64_t> keys_;
};

NeighbourLists BuildOfLength(const SearchProblem& problem, int32_t length, double share,
                             const StopCondition& stop) {
  Builder builder(problem, length);
  const Pace pace(stop, share, problem.size());
  for (NodeIndex node = 0; node < problem.size(); ++node) {
    if (node % 32 == 31 && pace.Hopeless(node)) return {};
    builder.Add(node);
  }
  return builder.Take();
}

}  // namespace

NeighbourLists BuildNeighbourLists(const SearchProblem& problem, int32_t length,
                                   const StopCondition& stop) {
  if (length < 1 || stop.ShouldStop()) return {};
  NeighbourLists lists = BuildOfLength(problem, length, kListsShare, stop);
  if (lists.length == 0 && length > kHastyLength) {
    lists = BuildOfLength(problem, kHastyLength, kHastyShare, stop);
  }
  return lists;
}

}  // namespace vrp
