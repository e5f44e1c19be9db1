// The settings of `model: habits`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vrp {

enum class HabitsLearner { kCounts, kTransformer };

// The history to learn from and the learner: the section `habits`, and validation.days. The learner
// that counts reads half_lives and refit, the transformer its sizes and `training`.
struct HabitsConfig {
  std::string history;  // file on the daemon's machine or dataset
  HabitsLearner learner = HabitsLearner::kCounts;
  // Days after which a route counts half; 0: all routes count alike. The validation chooses one.
  std::vector<double> half_lives = {0, 7, 30, 90, 365};
  int32_t zones = 12;  // clusters of stops; 0: none
  bool refit = false;  // whether the published counts include the days of the validation
  // Sizes of the transformer (SequenceTransformerOptions).
  int32_t layers = 2;
  int32_t width = 64;
  int32_t heads = 4;
  int32_t feed_forward = 256;
  int32_t earlier_routes = 1;   // of the same driver, before each of the transformer's routes
  bool bf16 = false;            // whether the transformer trains in bf16
  int32_t validation_days = 7;  // the last days with routes

  bool operator==(const HabitsConfig&) const = default;
};

}  // namespace vrp
