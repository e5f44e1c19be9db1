#include "core/search/model/plain_problem.h"

#include <algorithm>
#include <cmath>

#include "core/search/model/distance_matrix.h"
#include "core/search/model/guided_lists.h"
#include "core/search/model/neighbour_lists.h"

namespace vrp {
namespace {

// Far below the checker's tolerance (1e-6), far above the rounding of sums of doubles.
constexpr double kRelativeSlack = 1e-9;

}  // namespace

PlainProblem PlainProblem::Create(const Instance& instance, const StopCondition& stop,
                                  std::span<const Plan> samples) {
  PlainProblem problem(instance);
  problem.ReadNodes();
  problem.BuildMatrix(stop);
  double farthest = 0;
  double between = 0;
  for (NodeIndex node = 1; node < problem.size_; ++node) {
    farthest = std::max(farthest, problem.Distance(0, node));
    between = std::max(between, problem.Distance(node - 1, node));
    problem.servable_[node] = problem.RouteFeasible({&node, 1});
    problem.num_servable_ += problem.servable_[node];
  }
  // A depot that is 0 away from all closes an open path. An instance without any distance has no
  // scale.
  const double scale = farthest > 0 ? farthest : between;
  problem.epsilon_ = kRelativeSlack * (scale > 0 ? scale : 1);
  problem.BuildNeighbours(stop);
  problem.Guide(samples);
  return problem;
}

void PlainProblem::ReadNodes() {
  size_ = instance_.num_nodes();
  timed_ = instance_.has_windows();
  single_tour_ = instance_.kind() == ProblemKind::kTsp;
  max_routes_ = single_tour_ ? 1 : size_;
  if (!instance_.vehicles().empty() && !single_tour_) {
    const VehicleType& vehicle = instance_.vehicles().front();
    capacity_ = vehicle.capacity;
    if (vehicle.count > 0) max_routes_ = std::min(max_routes_, vehicle.count);
  }
  capacity_limit_ = capacity_ * (1 + kRelativeSlack / 2);  // the checker allows twice that
  inverse_speed_ = 1 / instance_.speed();
  demand_.resize(size_);
  open_.resize(size_);
  close_.resize(size_);
  service_.resize(size_);
  servable_.resize(size_);
  double horizon = 0;
  for (NodeIndex node = 0; node < size_; ++node) {
    demand_[node] = instance_.demand(node);
    const TimeWindow window = instance_.window(node);
    open_[node] = window.open;
    close_[node] = window.close;
    service_[node] =
        node == 0 ? 0 : instance_.service(node);  // a route starts and ends at the depot without
    if (std::isfinite(window.close)) horizon = std::max(horizon, std::abs(window.close));
  }
  time_slack_ = horizon * kRelativeSlack;
}

void PlainProblem::BuildMatrix(const StopCondition& stop) {
  const InstanceData& data = instance_.data();
  if (!data.duration_matrix.empty()) durations_ = data.duration_matrix.data();
  if (instance_.has_distance_matrix()) {
    distances_ = data.distance_matrix.data();
    symmetric_ = IsSymmetric(distances_, size_);
    return;
  }
  exact_positions_ = ExactPositions(instance_);
  if (size_ > kMatrixNodes) return;
  own_distances_ = BuildDistances(instance_, stop);
  if (!own_distances_.empty()) distances_ = own_distances_.data();
}

void PlainProblem::BuildNeighbours(const StopCondition& stop) {
  const int32_t by_size = size_ <= kListedNodes ? kListed : kListedLarge;
  const int32_t wanted = tour_only() ? kListedTour : by_size;
  NeighbourLists lists =
      BuildNeighbourLists(*this, std::min(wanted, size_ - listed_from() - 1), stop);
  listed_ = lists.length;
  near_ = std::move(lists.near);
  related_ = std::move(lists.related);
}

void PlainProblem::Guide(std::span<const Plan> samples) {
  if (!samples.empty() && !near_.empty())
    related_ = GuidedLists({related_.empty() ? near_ : related_, listed_}, samples);
}

bool PlainProblem::RouteFeasible(std::span<const NodeIndex> customers) const {
  double load = 0;
  for (const NodeIndex node : customers) load += demand_[node];
  if (!Fits(load)) return false;
  if (!timed_) return true;
  NodeIndex last = 0;
  double departure = DepartureAfter(0, open_[0]);
  for (const NodeIndex node : customers) {
    const double arrival = departure + Duration(last, node);
    if (!InTime(arrival, close_[node])) return false;
    departure = DepartureAfter(node, arrival);
    last = node;
  }
  return InTime(departure + Duration(last, 0), close_[0]);
}

double PlainProblem::SequenceDistance(std::span<const NodeIndex> nodes) const {
  double sum = 0;
  for (size_t i = 1; i < nodes.size(); ++i) sum += Distance(nodes[i - 1], nodes[i]);
  return sum;
}

}  // namespace vrp
