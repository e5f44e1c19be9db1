#include "tests/bench/lever.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <vector>

#include "core/base/steady_time.h"
#include "nlohmann/json.hpp"
#include "tests/bench/json_line.h"

namespace vrp {
namespace {

constexpr double kSeconds = 0.5;  // duration of a measurement, within the limits of turns
constexpr int kMinTurns = 7;
constexpr int kMaxTurns = 400;

bool once_only = false;

struct Times {
  std::vector<double> wall_ms;
  std::vector<double> cpu_ms;

  void Add(const std::function<void()>& run) {
    const absl::Time begin = SteadyNow();
    const double cpu = ThreadCpuSeconds();
    run();
    cpu_ms.push_back(1e3 * (ThreadCpuSeconds() - cpu));
    wall_ms.push_back(absl::ToDoubleMilliseconds(SteadyNow() - begin));
  }
  double Spread() const {
    const auto [fastest, slowest] = std::minmax_element(wall_ms.begin(), wall_ms.end());
    return (*slowest - *fastest) / Median(wall_ms);
  }
};

}  // namespace

void MeasureOnceOnly() { once_only = true; }
bool MeasuresOnceOnly() { return once_only; }

void MeasureLever(const Lever& lever) {
  lever.on.run();
  lever.off.run();
  Times on;
  Times off;
  const absl::Time end = SteadyNow() + absl::Seconds(kSeconds);
  const int max_turns = once_only ? 1 : kMaxTurns;
  for (int turn = 0; turn < max_turns && (turn < kMinTurns || SteadyNow() < end); ++turn) {
    on.Add(lever.on.run);
    off.Add(lever.off.run);
  }
  double load = 0;
  getloadavg(&load, 1);
  std::cout << nlohmann::ordered_json({{"part", lever.part},
                                       {"size", lever.size},
                                       {"threads", 1},
                                       {"on", lever.on.name},
                                       {"on_ms", Median(on.wall_ms)},
                                       {"on_cpu_ms", Median(on.cpu_ms)},
                                       {"on_spread", on.Spread()},
                                       {"off", lever.off.name},
                                       {"off_ms", Median(off.wall_ms)},
                                       {"off_cpu_ms", Median(off.cpu_ms)},
                                       {"off_spread", off.Spread()},
                                       {"ratio", Median(off.wall_ms) / Median(on.wall_ms)},
                                       {"ratio_cpu", Median(off.cpu_ms) / Median(on.cpu_ms)},
                                       {"turns", on.wall_ms.size()},
                                       {"load1", load}})
            << std::endl;
}

}  // namespace vrp
