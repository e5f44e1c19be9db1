// The decisions from which a dispatch model learns.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/cpu_pool.h"
#include "core/base/stop.h"
#include "core/dispatch/hindsight.h"
#include "core/dispatch/learning/features.h"
#include "core/dispatch/learning/fenchel_young.h"
#include "core/train/config/dispatch_config.h"
#include "core/train/dispatch/training_data.h"

namespace vrp {

// Returns the settings of the features that the network reads.
FeatureOptions FeatureOptionsOf(const DispatchConfig& config);

// Returns the makers of features, in the order of TrainingDay::maker. That of a site draws requests
// to come as the configuration says. With a log, that of a day to train on draws from the others,
// and the last one from all of them.
std::vector<std::shared_ptr<const FeatureMaker>> MakeFeatureMakers(const TrainingData& data,
                                                                   const DispatchConfig& config,
                                                                   CpuPool& pool);

// A sample and the cost of its labelled routes.
struct TrainingSample {
  PrizeSample prizes;
  double labelled_cost = 0;
};

// Further arguments of MakePrizeSamples.
struct SampleContext {
  const std::vector<TrainingSite>& sites;
  const std::vector<std::shared_ptr<const FeatureMaker>>& makers;  // by TrainingDay::maker
  uint64_t seed = 1;                                               // of the features' draws
  CpuPool& pool;
  StopCondition stop = {};
  std::function<void()> on_piece = nullptr;  // called before each piece of work; may be null
};

// Computes the features of each labelled decision of the days but the last of each day. Does not
// depend on the number of threads. Returns kCancelled if context.stop fires, and the errors of
// FeatureMaker.
absl::StatusOr<std::vector<TrainingSample>> MakePrizeSamples(
    const std::vector<TrainingDay>& days, const std::vector<HindsightPlan>& labels,
    const DispatchConfig& config, const SampleContext& context);

}  // namespace vrp
