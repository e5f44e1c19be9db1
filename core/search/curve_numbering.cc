#include "core/search/curve_numbering.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/search/space_curve.h"

namespace vrp {
namespace {

template <typename T>
void Reorder(std::vector<T>& values, const std::vector<NodeIndex>& order) {
  if (values.empty()) return;
  std::vector<T> reordered;
  reordered.reserve(values.size());
  for (const NodeIndex node : order) reordered.push_back(std::move(values[node]));
  values = std::move(reordered);
}

// Of an element, read, written and validated.
constexpr absl::Duration kMatrixCopy = absl::Nanoseconds(10);
constexpr double kWorthwhile = 10;

void ReorderMatrix(std::vector<double>& matrix, const std::vector<NodeIndex>& order) {
  if (matrix.empty()) return;
  std::vector<double> reordered(matrix.size());
  double* to = reordered.data();
  for (const NodeIndex from : order) {
    const double* row = matrix.data() + from * order.size();
    for (const NodeIndex node : order) *to++ = row[node];
  }
  matrix = std::move(reordered);
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

std::optional<CurveNumbering> CurveNumbering::Of(const Instance& instance,
                                                 const StopCondition& stop) {
  const auto elements = static_cast<double>(instance.data().distance_matrix.size() +
                                            instance.data().duration_matrix.size());
  if (stop.deadline() - absl::Now() < kWorthwhile * elements * kMatrixCopy) return std::nullopt;
  std::vector<NodeIndex> order = OrderOf(instance);
  InstanceData data = instance.data();
  // All that a plain instance has for each node.
  Reorder(data.ids, order);
  Reorder(data.positions, order);
  Reorder(data.demands, order);
  Reorder(data.windows, order);
  Reorder(data.services, order);
  ReorderMatrix(data.distance_matrix, order);
  ReorderMatrix(data.duration_matrix, order);
  absl::StatusOr<Instance> numbered = Instance::Create(std::move(data));
  if (!numbered.ok()) return std::nullopt;
  return CurveNumbering(*std::move(numbered), std::move(order));
}

CurveNumbering::CurveNumbering(Instance instance, std::vector<NodeIndex> order)
    : instance_(std::move(instance)), order_(std::move(order)), on_curve_(order_.size()) {
  for (size_t i = 0; i < order_.size(); ++i) on_curve_[order_[i]] = static_cast<NodeIndex>(i);
}

Plan CurveNumbering::Renumbered(Plan plan, const std::vector<NodeIndex>& numbers) {
  for (PlannedRoute& route : plan) {
    for (NodeIndex& node : route.customers) {
      if (node >= 0 && node < std::ssize(numbers)) node = numbers[node];
    }
  }
  return plan;
}

}  // namespace vrp
