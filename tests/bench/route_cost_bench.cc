// Measures the time to compute the cost of 128 routes of 10 customers, from coordinates and from a
// matrix. A report of a slow trainer (tests/bench/levers) states 0.37 ms on a CPU, and 71 to 78 ms
// with one GPU call per route.
#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/kernels/routing/routing_rules.h"
#include "tests/bench/json_line.h"

namespace vrp {
namespace {

constexpr int32_t kRoutes = 128;
constexpr int32_t kCustomers = 10;
constexpr int kRuns = 2'000;

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void Measure(const std::string& what, const RoutingProblem& problem,
             const std::vector<int32_t>& routes) {
  std::vector<double> us;
  std::vector<double> costs(kRoutes);
  double checksum = 0;
  for (int run = 0; run < kRuns; ++run) {
    const double begin = Now();
    for (int32_t r = 0; r < kRoutes; ++r) {
      costs[r] = RoundTrip(problem, routes.data() + r * kCustomers, kCustomers);
    }
    us.push_back(1e6 * (Now() - begin));
    for (const double cost : costs) checksum += cost;
  }
  PrintMeasurement({{"what", "route_cost_" + what},
                    {"routes", kRoutes},
                    {"customers", kCustomers},
                    {"best_us", *std::min_element(us.begin(), us.end())},
                    {"median_us", Median(us)},
                    {"mean_cost", checksum / kRuns / kRoutes},
                    {"runs", kRuns}},
                   1);
}

}  // namespace
}  // namespace vrp

int main() {
  using vrp::kCustomers;
  using vrp::kRoutes;
  constexpr int32_t kNodes = kRoutes * kCustomers + 1;
  vrp::CounterRandom random(1, 6);
  std::vector<double> x, y;
  std::vector<int32_t> routes;
  for (int32_t n = 0; n < kNodes; ++n) {
    x.push_back(random.UniformDouble());
    y.push_back(random.UniformDouble());
    if (n > 0) routes.push_back(n);
  }
  random.Shuffle(std::span<int32_t>(routes));
  vrp::RoutingProblem problem = {.nodes = kNodes, .x = x.data(), .y = y.data()};
  vrp::Measure("coordinates", problem, routes);
  std::vector<double> matrix;
  for (int32_t from = 0; from < kNodes; ++from) {
    for (int32_t to = 0; to < kNodes; ++to) matrix.push_back(LegDistance(problem, from, to));
  }
  problem.distances = matrix.data();
  vrp::Measure("matrix", problem, routes);
  return 0;
}
