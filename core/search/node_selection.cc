#include "core/search/node_selection.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/search/space_curve.h"

namespace vrp {
namespace {

// Of an element, read, written and validated.
constexpr absl::Duration kMatrixCopy = absl::Nanoseconds(10);
constexpr double kWorthwhile = 10;

template <typename T>
std::vector<T> Selected(const std::vector<T>& values, const std::vector<NodeIndex>& nodes) {
  std::vector<T> selected;
  if (values.empty()) return selected;
  selected.reserve(nodes.size());
  for (const NodeIndex node : nodes) selected.push_back(values[node]);
  return selected;
}

std::vector<double> SelectedMatrix(const std::vector<double>& matrix, int64_t size,
                                   const std::vector<NodeIndex>& nodes) {
  if (matrix.empty()) return {};
  std::vector<double> selected(nodes.size() * nodes.size());
  double* to = selected.data();
  for (const NodeIndex from : nodes) {
    const double* row = matrix.data() + from * size;
    for (const NodeIndex node : nodes) *to++ = row[node];
  }
  return selected;
}

// All that a plain instance has.
InstanceData DataOf(const Instance& instance, const std::vector<NodeIndex>& nodes) {
  const InstanceData& all = instance.data();
  return {.name = all.name,
          .kind = all.kind,
          .metric = all.metric,
          .objective = all.objective,
          .coordinates = all.coordinates,
          .ids = Selected(all.ids, nodes),
          .positions = Selected(all.positions, nodes),
          .demands = Selected(all.demands, nodes),
          .windows = Selected(all.windows, nodes),
          .services = Selected(all.services, nodes),
          .vehicles = all.vehicles,
          .speed = all.speed,
          .distance_matrix = SelectedMatrix(all.distance_matrix, instance.num_nodes(), nodes),
          .duration_matrix = SelectedMatrix(all.duration_matrix, instance.num_nodes(), nodes)};
}

// From the depot always on to the nearest: O(N^2).
std::vector<NodeIndex> NearestOrder(const Instance& instance) {
  std::vector<NodeIndex> order(instance.num_nodes());
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = 1; i < order.size(); ++i) {
    const double* row = instance.data().distance_matrix.data() + order[i - 1] * order.size();
    std::iter_swap(order.begin() + i,
                   std::min_element(order.begin() + i, order.end(),
                                    [&](NodeIndex a, NodeIndex b) { return row[a] < row[b]; }));
  }
  return order;
}

std::vector<NodeIndex> OrderOf(const Instance& instance) {
  if (!instance.has_positions()) return NearestOrder(instance);
  std::vector<NodeIndex> order = CurveOrder(instance);
  const auto depot = std::find(order.begin(), order.end(), 0);
  std::rotate(order.begin(), depot, depot + 1);
  return order;
}

}  // namespace

absl::StatusOr<NodeSelection> NodeSelection::Of(const Instance& instance,
                                                std::vector<NodeIndex> nodes, int32_t vehicles) {
  InstanceData data = DataOf(instance, nodes);
  if (!data.vehicles.empty()) data.vehicles.front().count = vehicles;
  VRP_ASSIGN_OR_RETURN(Instance selected, Instance::Create(std::move(data)));
  return NodeSelection(std::move(selected), std::move(nodes), instance.num_nodes());
}

NodeSelection::NodeSelection(Instance instance, std::vector<NodeIndex> nodes, int64_t given_nodes)
    : instance_(std::move(instance)), nodes_(std::move(nodes)), selected_(given_nodes, -1) {
  for (size_t i = 0; i < nodes_.size(); ++i) selected_[nodes_[i]] = static_cast<NodeIndex>(i);
}

Plan NodeSelection::Renumbered(const Plan& plan, const std::vector<NodeIndex>& numbers) {
  Plan renumbered;
  renumbered.reserve(plan.size());
  for (const PlannedRoute& route : plan) {
    PlannedRoute& to = renumbered.emplace_back(PlannedRoute{route.vehicle_type, {}});
    for (const NodeIndex node : route.customers) {
      if (node < 0 || node >= std::ssize(numbers) || numbers[node] < 0) continue;
      to.customers.push_back(numbers[node]);
    }
  }
  return renumbered;
}

std::optional<NodeSelection> InCurveOrder(const Instance& instance, const StopCondition& stop) {
  const auto elements = static_cast<double>(instance.data().distance_matrix.size() +
                                            instance.data().duration_matrix.size());
  if (stop.deadline() - SteadyNow() < kWorthwhile * elements * kMatrixCopy) return std::nullopt;
  const int32_t vehicles = instance.vehicles().empty() ? 0 : instance.vehicles().front().count;
  absl::StatusOr<NodeSelection> selection =
      NodeSelection::Of(instance, OrderOf(instance), vehicles);
  if (!selection.ok()) return std::nullopt;
  return *std::move(selection);
}

}  // namespace vrp
