#include "core/model/policy/node_order.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <tuple>

namespace vrp {
namespace {

// Cuts the circle of customers after the widest empty angle.
void RotateToWidestGap(const std::vector<double>& angles, std::vector<NodeIndex>& order) {
  double widest = -1;
  size_t start = 0;
  const size_t count = order.size();
  for (size_t k = 0; k < count; ++k) {
    const double before = angles[static_cast<size_t>(order[(k + count - 1) % count])];
    double gap = angles[static_cast<size_t>(order[k])] - before;
    if (k == 0) gap += 2 * std::numbers::pi;
    if (gap > widest) {
      widest = gap;
      start = k;
    }
  }
  std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(start), order.end());
}

}  // namespace

std::vector<NodeIndex> OrderByAngle(const InstanceData& data) {
  const Position depot = data.positions[0];
  const size_t nodes = data.positions.size();
  std::vector<double> angles(nodes);
  for (size_t node = 1; node < nodes; ++node) {
    const Position at = data.positions[node];
    angles[node] = std::atan2(at.y - depot.y, at.x - depot.x);
  }
  const auto key = [&](NodeIndex index) {
    const auto node = static_cast<size_t>(index);
    const double x = data.positions[node].x - depot.x, y = data.positions[node].y - depot.y;
    const TimeWindow window = data.windows.empty() ? TimeWindow{} : data.windows[node];
    return std::tuple(angles[node], x * x + y * y, data.demands.empty() ? 0 : data.demands[node],
                      window.open, window.close, data.services.empty() ? 0 : data.services[node],
                      index);
  };
  std::vector<NodeIndex> customers(nodes - 1);
  std::iota(customers.begin(), customers.end(), 1);
  std::sort(customers.begin(), customers.end(),
            [&](NodeIndex a, NodeIndex b) { return key(a) < key(b); });
  if (!customers.empty()) RotateToWidestGap(angles, customers);
  customers.insert(customers.begin(), 0);
  return customers;
}

}  // namespace vrp
