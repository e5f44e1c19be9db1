// The settings of `model: habits`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vrp {

enum class HabitsLearner { kCounts };

// The history to learn from and the learner: the section `habits`, and validation.days.
struct HabitsConfig {
  std::string history;  // file on the daemon's machine or dataset
  HabitsLearner learner = HabitsLearner::kCounts;
  // Days after which a route counts half; 0: all routes count alike. The validation chooses one.
  std::vector<double> half_lives = {0, 7, 30, 90, 365};
  int32_t zones = 12;           // clusters of stops; 0: none
  bool refit = false;           // whether the published counts include the days of the validation
  int32_t validation_days = 7;  // the last days with routes

  bool operator==(const HabitsConfig&) const = default;
};

}  // namespace vrp
