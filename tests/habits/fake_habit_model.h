// A habit model for tests.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/habits/habit_model.h"

namespace vrp::test {

// A model of drivers with one favourite next stop for each stop, to which they nearly always go.
// All other stops have arbitrary probabilities, which depend on both stops and the driver.
class FakeHabitModel final : public HabitModel {
 public:
  using Favourites = std::map<std::string, std::string>;  // stop to next stop, by id
  using Drivers = std::map<std::string, Favourites>;      // by name

  // `by_driver` has the known drivers; an empty name stands for all drivers.
  explicit FakeHabitModel(Drivers by_driver = {}) : by_driver_(std::move(by_driver)) {}

  bool KnowsDriver(std::string_view driver) const override {
    return !driver.empty() && by_driver_.contains(std::string(driver));
  }

  bool KnowsStop(std::string_view id) const override { return !id.empty(); }

  std::vector<float> EdgeLogProbabilities(std::span<const HabitStop> stops,
                                          std::string_view driver) const override {
    const size_t count = stops.size();
    std::vector<float> logs(count * count, 0);
    for (size_t i = 0; i < count; ++i) {
      double sum = 0;
      for (size_t j = 0; j < count; ++j) sum += j == i ? 0 : Weight(stops[i], stops[j], driver);
      for (size_t j = 0; j < count; ++j) {
        if (j == i) continue;
        logs[i * count + j] =
            static_cast<float>(std::log(Weight(stops[i], stops[j], driver) / sum));
      }
    }
    return logs;
  }

  std::vector<float> NextStopLogProbabilities(std::span<const HabitStop> stops,
                                              std::string_view driver,
                                              std::span<const int32_t> route) const override {
    const std::vector<float> edges = EdgeLogProbabilities(stops, driver);
    const size_t last = route.empty() ? 0 : static_cast<size_t>(route.back());
    std::vector<float> next(edges.begin() + static_cast<std::ptrdiff_t>(last * stops.size()),
                            edges.begin() + static_cast<std::ptrdiff_t>((last + 1) * stops.size()));
    for (const int32_t stop : route) {
      next[static_cast<size_t>(stop)] = -std::numeric_limits<float>::infinity();
    }
    return next;
  }

 private:
  double Weight(const HabitStop& from, const HabitStop& to, std::string_view driver) const {
    const auto known = by_driver_.find(std::string(driver));
    if (known != by_driver_.end()) {
      const auto favourite = known->second.find(std::string(from.id));
      if (favourite != known->second.end() && favourite->second == to.id) return 1e6;
    }
    const std::string pair =
        std::string(driver) + "/" + std::string(from.id) + "/" + std::string(to.id);
    return 0.1 + static_cast<double>(std::hash<std::string>()(pair) % 1000) / 1000;
  }

  Drivers by_driver_;
};

}  // namespace vrp::test
