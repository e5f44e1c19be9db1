#include "core/search/model/space_curve.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace vrp {
namespace {

// Position along a Hilbert curve of 2^16 x 2^16 cells.
uint64_t HilbertIndex(uint32_t x, uint32_t y) {
  constexpr uint32_t kSide = 1u << 16;
  uint64_t index = 0;
  for (uint32_t s = kSide / 2; s > 0; s /= 2) {
    const uint32_t rx = (x & s) ? 1 : 0;
    const uint32_t ry = (y & s) ? 1 : 0;
    index += uint64_t{s} * s * ((3 * rx) ^ ry);
    if (ry == 0) {
      if (rx == 1) {
        x = kSide - 1 - x;
        y = kSide - 1 - y;
      }
      std::swap(x, y);
    }
  }
  return index;
}

}  // namespace

std::vector<NodeIndex> CurveOrder(const Instance& instance) {
  Position low = instance.position(0);
  Position high = low;
  for (const Position& p : instance.data().positions) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y)};
  }
  const double extent = std::max({high.x - low.x, high.y - low.y, 1e-300});
  std::vector<std::pair<uint64_t, NodeIndex>> keyed;
  for (NodeIndex node = 0; node < instance.num_nodes(); ++node) {
    const Position p = instance.position(node);
    keyed.emplace_back(HilbertIndex(static_cast<uint32_t>((p.x - low.x) / extent * 65535),
                                    static_cast<uint32_t>((p.y - low.y) / extent * 65535)),
                       node);
  }
  std::sort(keyed.begin(), keyed.end());
  std::vector<NodeIndex> order;
  for (const auto& [key, node] : keyed) order.push_back(node);
  return order;
}

}  // namespace vrp
