#include "core/search/curve_numbering.h"

#include <algorithm>
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

}  // namespace

std::optional<CurveNumbering> CurveNumbering::Of(const Instance& instance) {
  const bool has_matrix =
      instance.has_distance_matrix() || !instance.data().duration_matrix.empty();
  if (!instance.has_positions() || has_matrix) return std::nullopt;
  std::vector<NodeIndex> order = CurveOrder(instance);
  const auto depot = std::find(order.begin(), order.end(), 0);
  std::rotate(order.begin(), depot, depot + 1);
  // All that a plain instance has for each node.
  InstanceData data = instance.data();
  Reorder(data.ids, order);
  Reorder(data.positions, order);
  Reorder(data.demands, order);
  Reorder(data.windows, order);
  Reorder(data.services, order);
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
