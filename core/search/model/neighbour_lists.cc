#include "core/search/model/neighbour_lists.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "core/search/model/deadline_monitor.h"
#include "core/search/model/point_tree.h"
#include "core/search/model/problem.h"
#include "core/search/model/ranking.h"

namespace vrp {
namespace {

// Weights of waiting and of lateness beside distance, as in Vidal et al. 2013.
constexpr double kWaitWeight = 0.2;
constexpr double kLateWeight = 1.0;
// Without a matrix, windows rank among this many times as many nearest ones.
constexpr int32_t kWider = 2;
// If some customers have no vehicle in common, or releases apart, this many times as many nearest
// ones are ranked.
constexpr int32_t kAmongWhom = 4;
// The value of whom no vehicle may serve too: behind all others, before the node itself.
constexpr double kBehindAll = std::numeric_limits<float>::max();

// By value, unlike std::max, whose references keep loops from being vectorised.
double Above0(double value) { return value > 0 ? value : 0; }

// Columns of a matrix [N, N], some at a time: each by itself would miss the cache at each entry.
class MatrixColumns {
 public:
  MatrixColumns(const double* matrix, int64_t size) : matrix_(matrix), size_(size) {}

  const double* Of(NodeIndex node) {
    if (node < first_ || node >= first_ + kColumns) Load(node);
    return columns_.data() + (node - first_) * size_;
  }

 private:
  static constexpr int64_t kColumns = 16;

  void Load(NodeIndex first) {
    first_ = first;
    columns_.resize(kColumns * size_);
    const int64_t count = std::min(kColumns, size_ - first);
    for (int64_t row = 0; row < size_; ++row) {
      const double* const entries = matrix_ + row * size_ + first;
      for (int64_t k = 0; k < count; ++k) columns_[k * size_ + row] = entries[k];
    }
  }

  const double* const matrix_;
  const int64_t size_;
  int64_t first_ = -kColumns;
  std::vector<double> columns_;  // [kColumns, N]
};

class Builder {
 public:
  Builder(const Problem& problem, int32_t length)
      : problem_(problem),
        vehicle_(problem.vehicle(0)),
        first_(problem.listed_from()),
        length_(length),
        distance_columns_(problem.DistanceRow(0), problem.size()),
        duration_columns_(problem.DurationRow(0), problem.size()) {
    lists_.length = length;
    for (NodeIndex node = 0; problem.has_releases() && node < problem.size(); ++node) {
      latest_departures_.push_back(problem.late_from(node) - problem.Duration(vehicle_, 0, node));
    }
    lists_.near.reserve(static_cast<int64_t>(problem.size()) * length);
    if (problem.timed()) lists_.related.reserve(static_cast<int64_t>(problem.size()) * length);
    if (vehicle_.distance == nullptr && vehicle_.row_distance == nullptr) {
      tree_.emplace(problem.instance().data().positions, first_);
      return;
    }
    candidates_.nodes.resize(problem.size() - first_);
    std::iota(candidates_.nodes.begin(), candidates_.nodes.end(), first_);
    GatherNodes();
  }

  void Add(NodeIndex node) {
    if (tree_.has_value()) {
      const bool apart = problem_.skills().any_apart() || problem_.has_releases();
      const int32_t wanted = length_ * (problem_.timed() ? kWider : 1) * (apart ? kAmongWhom : 1);
      const auto nearest = tree_->Nearest(node, std::min(wanted, problem_.size() - 1));
      candidates_.nodes.assign(nearest.begin(), nearest.end());
      GatherNodes();
    }
    GatherDistances(node);
    for (int64_t k = 0; k < candidates_.count(); ++k) {
      value_[k] = std::min(candidates_.there[k], candidates_.back[k]);
    }
    AddReleaseLateness(node);
    Rank(node, lists_.near);
    if (!problem_.timed()) return;
    GatherTimes(node);
    RateProximity({.open = problem_.open(node), .close = problem_.late_from(node)},
                  problem_.service(node), candidates_, value_);
    AddReleaseLateness(node);
    Rank(node, lists_.related);
  }

  NeighbourLists Take() { return std::move(lists_); }

 private:
  void GatherNodes() {
    for (auto* values : {&candidates_.open, &candidates_.close, &candidates_.service, &value_,
                         &distances_there_, &distances_back_, &times_there_, &times_back_}) {
      values->resize(candidates_.count());
    }
    for (int64_t k = 0; problem_.timed() && k < candidates_.count(); ++k) {
      const NodeIndex other = candidates_.nodes[k];
      candidates_.open[k] = problem_.open(other);
      candidates_.close[k] = problem_.late_from(other);
      candidates_.service[k] = problem_.service(other);
    }
  }

  // A vehicle that carries both leaves at the later release: adds by how much that makes each late.
  // (Measured at 10 s: days of 480 requests in hindsight cost 1.7 % less, 5 sites.)
  void AddReleaseLateness(NodeIndex node) {
    if (!problem_.has_releases() || problem_.is_depot(node)) return;
    for (int64_t k = 0; k < candidates_.count(); ++k) {
      const NodeIndex other = candidates_.nodes[k];
      if (problem_.is_depot(other)) continue;
      const double release = std::max(problem_.release(node), problem_.release(other));
      value_[k] += kLateWeight * (Above0(release - latest_departures_[node]) +
                                  Above0(release - latest_departures_[other]));
    }
  }

  // With a matrix, all nodes from the first listed one on are candidates.
  void GatherDistances(NodeIndex node) {
    if (vehicle_.distance != nullptr) {
      candidates_.there = candidates_.back = problem_.DistanceRow(node) + first_;
      if (!vehicle_.symmetric) candidates_.back = distance_columns_.Of(node) + first_;
      return;
    }
    for (int64_t k = 0; k < candidates_.count(); ++k) {
      distances_there_[k] = problem_.Distance(vehicle_, node, candidates_.nodes[k]);
    }
    candidates_.there = candidates_.back = distances_there_.data();
    if (vehicle_.symmetric) return;
    for (int64_t k = 0; k < candidates_.count(); ++k) {
      distances_back_[k] = problem_.Distance(vehicle_, candidates_.nodes[k], node);
    }
    candidates_.back = distances_back_.data();
  }

  void GatherTimes(NodeIndex node) {
    if (vehicle_.duration != nullptr && !tree_.has_value()) {
      candidates_.time_there = problem_.DurationRow(node) + first_;
      candidates_.time_back = duration_columns_.Of(node) + first_;
      return;
    }
    candidates_.time_there = TimesOf(candidates_.there, times_there_, [&](NodeIndex other) {
      return problem_.Duration(vehicle_, node, other);
    });
    candidates_.time_back = candidates_.time_there;
    if (by_speed_ && candidates_.back == candidates_.there) return;
    candidates_.time_back = TimesOf(candidates_.back, times_back_, [&](NodeIndex other) {
      return problem_.Duration(vehicle_, other, node);
    });
  }

  // Sets `times` to those of ways of these lengths, else to duration(candidate).
  template <typename DurationFn>
  const double* TimesOf(const double* lengths, std::vector<double>& times, DurationFn duration) {
    for (int64_t k = 0; by_speed_ && k < candidates_.count(); ++k) {
      times[k] = lengths[k] * problem_.inverse_speed();
    }
    for (int64_t k = 0; !by_speed_ && k < candidates_.count(); ++k) {
      times[k] = duration(candidates_.nodes[k]);
    }
    return times.data();
  }

  // Adds the `length_` candidates of least value_, `node` left out.
  void Rank(NodeIndex node, std::vector<NodeIndex>& list) {
    const bool apart = problem_.skills().any_apart() && !problem_.is_depot(node);
    for (int64_t k = 0; apart && k < candidates_.count(); ++k) {
      if (!problem_.skills().MayShareVehicle(node, candidates_.nodes[k])) value_[k] = kBehindAll;
    }
    // With a matrix, the node is among the candidates.
    if (!tree_.has_value() && node >= first_) {
      value_[node - first_] = std::numeric_limits<double>::infinity();
    }
    RankLeast(value_, candidates_.nodes, length_, keys_);
    std::transform(keys_.begin(), keys_.end(), std::back_inserter(list), RankedNode);
  }

  const Problem& problem_;
  const Vehicle& vehicle_;
  const NodeIndex first_;  // listed
  const int32_t length_;
  // Whether durations follow from distances.
  const bool by_speed_ = vehicle_.duration == nullptr && vehicle_.row_duration == nullptr;
  NeighbourLists lists_;
  std::vector<double> latest_departures_;  // [N], direct, to be on time; empty without releases
  std::optional<PointTree> tree_;          // where there is no matrix
  MatrixColumns distance_columns_, duration_columns_;
  NeighbourCandidates candidates_;
  std::vector<double> value_, distances_there_, distances_back_, times_there_, times_back_;
  std::vector<uint64_t> keys_;
};

NeighbourLists BuildOfLength(const Problem& problem, int32_t length, double share,
                             const StopCondition& stop) {
  Builder builder(problem, length);
  const DeadlineMonitor monitor(stop, share, problem.size());
  for (NodeIndex node = 0; node < problem.size(); ++node) {
    if (node % 32 == 31 && monitor.WillMiss(node)) return {};
    builder.Add(node);
  }
  return builder.Take();
}

// Edges in a smaller share of the samples say nothing: the distance judges better.
constexpr double kLeastShare = 0.1;

struct Beside {
  NodeIndex node = 0;
  int32_t count = 0;
};

// Returns for each node the customers that stand next to it in the samples, and how often.
std::vector<std::vector<Beside>> CountEdges(std::span<const Plan> samples, NodeIndex first,
                                            int64_t size) {
  std::vector<std::vector<Beside>> beside(size);
  const auto count = [&](NodeIndex node, NodeIndex other) {
    auto& of_node = beside[node];
    auto known = std::ranges::find(of_node, other, &Beside::node);
    if (known == of_node.end()) known = of_node.insert(known, {other, 0});
    ++known->count;
  };
  const auto exists = [=](NodeIndex node) { return node >= first && node < size; };
  for (const Plan& plan : samples) {
    for (const PlannedRoute& route : plan) {
      for (size_t i = 1; i < route.customers.size(); ++i) {
        const NodeIndex from = route.customers[i - 1];
        const NodeIndex to = route.customers[i];
        if (!exists(from) || !exists(to) || from == to) continue;
        count(from, to);
        count(to, from);
      }
    }
  }
  return beside;
}

}  // namespace

// A loop of its own over arrays: all pairs of 1,000 customers were half of what a search did in its
// first 300 ms.
void RateProximity(const TimeWindow& window, double service, const NeighbourCandidates& candidates,
                   std::span<double> value) {
  const auto [open, close, late_cost] = window;
  const double* __restrict const opens = candidates.open.data();
  const double* __restrict const closes = candidates.close.data();
  const double* __restrict const services = candidates.service.data();
  const double* __restrict const ways_there = candidates.there;
  const double* __restrict const ways_back = candidates.back;
  const double* __restrict const times_there = candidates.time_there;
  const double* __restrict const times_back = candidates.time_back;
  double* __restrict const to = value.data();
  const int64_t count = candidates.count();
  for (int64_t k = 0; k < count; ++k) {
    const double there = service + times_there[k];
    const double back = services[k] + times_back[k];
    const double forward = ways_there[k] + kWaitWeight * Above0(opens[k] - (close + there)) +
                           kLateWeight * Above0(open + there - closes[k]);
    const double reverse = ways_back[k] + kWaitWeight * Above0(open - (closes[k] + back)) +
                           kLateWeight * Above0(opens[k] + back - close);
    to[k] = reverse < forward ? reverse : forward;
  }
}

NeighbourLists BuildNeighbourLists(const Problem& problem, int32_t length,
                                   const StopCondition& stop) {
  if (length < 1 || stop.ShouldStop()) return {};
  NeighbourLists lists = BuildOfLength(problem, length, kListsShare, stop);
  if (lists.length == 0 && length > kHastyLength) {
    lists = BuildOfLength(problem, kHastyLength, kHastyShare, stop);
  }
  return lists;
}

void GuideLists(std::span<const Plan> samples, NodeIndex first, NeighbourLists& lists) {
  if (samples.empty() || lists.length < 1) return;
  const std::vector<NodeIndex>& given = lists.related.empty() ? lists.near : lists.related;
  const auto least = kLeastShare * static_cast<double>(samples.size());
  auto beside = CountEdges(samples, first, std::ssize(given) / lists.length);
  std::vector<NodeIndex> guided;
  guided.reserve(given.size());
  for (size_t node = 0; node < beside.size(); ++node) {
    auto& likely = beside[node];
    std::erase_if(likely, [=](Beside b) { return b.count < least; });
    std::stable_sort(likely.begin(), likely.end(),
                     [](Beside a, Beside b) { return a.count > b.count; });
    const size_t end = (node + 1) * lists.length;
    const auto is_likely = [&](NodeIndex other) {
      return std::ranges::find(likely, other, &Beside::node) != likely.end();
    };
    for (const Beside& one : likely) {
      if (guided.size() < end) guided.push_back(one.node);
    }
    for (const NodeIndex other : lists.Related(static_cast<NodeIndex>(node))) {
      if (guided.size() < end && !is_likely(other)) guided.push_back(other);
    }
  }
  lists.related = std::move(guided);
}

}  // namespace vrp
