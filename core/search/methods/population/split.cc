#include "core/search/methods/population/split.h"

#include <algorithm>
#include <limits>

namespace vrp {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// A route is loaded at most this many times its capacity.
constexpr double kMostLoad = 1.5;

class Splitter {
 public:
  Splitter(const PenalisedRoutes& routes, std::span<const NodeIndex> tour)
      : routes_(routes), tour_(tour), size_(std::ssize(tour)) {}

  std::vector<int32_t> Unlimited() {
    std::vector<double> cost(size_ + 1, kInfinity);
    std::vector<int32_t> from(size_ + 1, -1);
    cost[0] = 0;
    for (int32_t begin = 0; begin < size_; ++begin) {
      Extend(begin, cost[begin], cost, from);
    }
    std::vector<int32_t> ends;
    for (int32_t end = size_; end > 0; end = from[end]) {
      if (from[end] < 0) return {};
      ends.push_back(end);
    }
    std::reverse(ends.begin(), ends.end());
    return ends;
  }

  std::vector<int32_t> Limited(int32_t max_routes) {
    std::vector<std::vector<double>> cost(max_routes + 1,
                                          std::vector<double>(size_ + 1, kInfinity));
    std::vector<std::vector<int32_t>> from(max_routes + 1, std::vector<int32_t>(size_ + 1, -1));
    cost[0][0] = 0;
    int32_t best = 0;
    for (int32_t route = 0; route < max_routes; ++route) {
      for (int32_t begin = route; begin < size_; ++begin) {
        if (cost[route][begin] == kInfinity) continue;
        Extend(begin, cost[route][begin], cost[route + 1], from[route + 1]);
      }
      if (cost[route + 1][size_] < cost[best][size_]) best = route + 1;
    }
    std::vector<int32_t> ends;
    for (int32_t end = size_; best > 0; end = from[best--][end]) ends.push_back(end);
    std::reverse(ends.begin(), ends.end());
    return ends;
  }

 private:
  // Tries all routes that start with tour_[begin].
  void Extend(int32_t begin, double before, std::vector<double>& cost,
              std::vector<int32_t>& from) const {
    const PenalisedRoutes::Route& vehicle = routes_.route(0);
    const NodeIndex depot = vehicle.nodes.front();
    double load = 0;
    double distance = 0;
    NodeIndex last = depot;
    for (int32_t i = begin; i < size_; ++i) {
      const NodeIndex node = tour_[i];
      load += routes_.demand(node);
      if (load > kMostLoad * vehicle.capacity && i > begin) return;
      distance += routes_.Edge(0, last, node);
      last = node;
      const double total =
          before + distance + routes_.Edge(0, node, depot) + routes_.LoadPenalty(vehicle, load);
      if (total < cost[i + 1]) {
        cost[i + 1] = total;
        from[i + 1] = begin;
      }
    }
  }

  const PenalisedRoutes& routes_;
  const std::span<const NodeIndex> tour_;
  const int32_t size_;
};

}  // namespace

std::vector<int32_t> SplitTour(const PenalisedRoutes& routes, std::span<const NodeIndex> tour) {
  Splitter splitter(routes, tour);
  std::vector<int32_t> ends = splitter.Unlimited();
  if (std::ssize(ends) > routes.slots()) ends = splitter.Limited(routes.slots());
  return ends;
}

}  // namespace vrp
