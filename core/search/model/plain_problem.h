// The instance as the search's inner loops read it: flat arrays, neighbour lists, no branches on
// what is absent.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/stop.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/solution.h"
#include "core/search/model/distance_matrix.h"

namespace vrp {

// Immutable after Create; thread-safe. One depot (node 0), one vehicle type.
class PlainProblem {
 public:
  // Distances of up to this many nodes are kept as a matrix (32 MB); above it they are computed
  // when asked for.
  static constexpr int32_t kMatrixNodes = 2000;

  // Returns soon after `stop` holds: then neighbour lists may be empty, all else is complete.
  // `instance` must be IsPlain. `samples` guide Related (guided_lists.h).
  static PlainProblem Create(const Instance& instance, const StopCondition& stop,
                             std::span<const Plan> samples = {});

  int32_t size() const { return size_; }  // nodes, depot included
  bool timed() const { return timed_; }
  bool symmetric() const { return symmetric_; }
  double capacity() const { return capacity_; }
  int32_t max_routes() const { return max_routes_; }
  bool single_tour() const { return single_tour_; }  // a TSP: exactly one route
  // A TSP with symmetric distances, where the depot is a node like others: neighbour lists hold it
  // too.
  bool tour_only() const { return single_tour_ && symmetric_; }
  NodeIndex listed_from() const { return tour_only() ? 0 : 1; }
  // Differences of costs below this are rounding.
  double epsilon() const { return epsilon_; }
  const Instance& instance() const { return instance_; }

  // Distances from `from` to all nodes, or null where there is no matrix.
  const double* DistanceRow(NodeIndex from) const {
    return distances_ == nullptr ? nullptr : distances_ + static_cast<int64_t>(from) * size_;
  }
  double Distance(NodeIndex from, NodeIndex to) const {
    if (distances_ != nullptr) return distances_[static_cast<int64_t>(from) * size_ + to];
    return exact_positions_ == nullptr
               ? instance_.Distance(from, to)
               : ExactDistance(exact_positions_[from], exact_positions_[to]);
  }
  // Likewise durations, or null where they follow from the distances.
  const double* DurationRow(NodeIndex from) const {
    return durations_ == nullptr ? nullptr : durations_ + static_cast<int64_t>(from) * size_;
  }
  double inverse_speed() const { return inverse_speed_; }
  double Duration(NodeIndex from, NodeIndex to) const {
    return durations_ == nullptr ? Distance(from, to) * inverse_speed_
                                 : durations_[static_cast<int64_t>(from) * size_ + to];
  }

  double demand(NodeIndex node) const { return demand_[node]; }
  double open(NodeIndex node) const { return open_[node]; }
  double close(NodeIndex node) const { return close_[node]; }
  double service(NodeIndex node) const { return service_[node]; }
  // As Problem's, for code that works on either.
  double bulk(NodeIndex node) const { return demand_[node]; }
  double late_from(NodeIndex node) const { return close_[node]; }
  double DepotDistance(NodeIndex node) const { return Distance(0, node); }
  bool Fits(double load) const { return load <= capacity_limit_; }
  // Returns the load beyond the capacity; 0 if it Fits.
  double ExcessLoad(double load) const { return Fits(load) ? 0 : load - capacity_; }
  bool InTime(double time, double limit) const { return time <= limit + time_slack_; }
  // When service that is reached at `arrival` ends.
  double DepartureAfter(NodeIndex node, double arrival) const {
    return (arrival > open_[node] ? arrival : open_[node]) + service_[node];
  }

  // Whether a route with `customer` alone is feasible; who is not is left out of every plan.
  bool Servable(NodeIndex customer) const { return servable_[customer]; }
  int32_t num_servable() const { return num_servable_; }
  // Whether a route over `customers` keeps capacity and windows.
  bool RouteFeasible(std::span<const NodeIndex> customers) const;
  // Likewise of `nodes` with the depot at both ends.
  bool SequenceFeasible(std::span<const NodeIndex> nodes) const {
    return RouteFeasible(nodes.subspan(1, nodes.size() - 2));
  }
  double SequenceDistance(std::span<const NodeIndex> nodes) const;

  // Other customers, nearest first; at most kListed of them (kListedLarge above kListedNodes,
  // kListedTour for a tour_only).
  static constexpr int32_t kListedNodes = 501;
  static constexpr int32_t kListed = 100;
  static constexpr int32_t kListedLarge = 40;
  static constexpr int32_t kListedTour = 10;
  std::span<const NodeIndex> Near(NodeIndex customer) const { return Slice(near_, customer); }
  // Other customers that make good neighbours in a route, best first: by distance, waiting and
  // lateness (Vidal et al. 2013, "A hybrid genetic algorithm with adaptive diversity management");
  // without windows as Near. Those that the samples have beside it come first.
  std::span<const NodeIndex> Related(NodeIndex customer) const {
    return Slice(related_.empty() ? near_ : related_, customer);
  }

 private:
  explicit PlainProblem(const Instance& instance) : instance_(instance) {}
  void ReadNodes();
  void BuildMatrix(const StopCondition& stop);
  void BuildNeighbours(const StopCondition& stop);
  void Guide(std::span<const Plan> samples);
  std::span<const NodeIndex> Slice(const std::vector<NodeIndex>& lists, NodeIndex customer) const {
    if (lists.empty()) return {};
    return {lists.data() + static_cast<int64_t>(customer) * listed_, static_cast<size_t>(listed_)};
  }

  Instance instance_;  // shares its data
  int32_t size_ = 0;
  bool timed_ = false;
  bool symmetric_ = true;
  bool single_tour_ = false;
  double capacity_ = kNoLimit;
  double capacity_limit_ = kNoLimit;
  double time_slack_ = 0;
  double epsilon_ = 0;
  int32_t max_routes_ = 0;
  double inverse_speed_ = 1;
  const Position* exact_positions_ = nullptr;  // as ExactPositions
  std::vector<double> own_distances_;
  const double* distances_ = nullptr;  // [N, N]: own_distances_ or the instance's; null: computed
  const double* durations_ = nullptr;  // [N, N] of the instance; null: distance / speed
  std::vector<double> demand_, open_, close_, service_;
  std::vector<char> servable_;
  int32_t num_servable_ = 0;
  int32_t listed_ = 0;
  std::vector<NodeIndex> near_;     // [N, listed_], or empty
  std::vector<NodeIndex> related_;  // likewise; empty where it would be near_
};

}  // namespace vrp
