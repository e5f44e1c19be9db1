// The number of instances of a step that the network processes together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

#include "core/base/text.h"
#include "core/model/policy/batch_parts.h"
#include "core/train/run/run_context.h"

namespace vrp {

// A number of instances that is halved, rounded up, each time that a step runs out of memory.
class MicroBatch {
 public:
  // Makes a number without a limit. `context` must outlive it.
  explicit MicroBatch(RunContext& context) : context_(context) {}

  // Returns the maximum number of instances to process at once; 0: no limit, the engine chooses.
  int32_t instances() const { return instances_; }
  // Removes the limit.
  void Reset() { instances_ = 0; }
  // Halves the number because step `step` ran out of memory, and logs the new number. Returns false
  // if the number is already 1.
  bool Halve(int64_t step) {
    const int32_t share = LargestPart(context_.config.batch_size, context_.ranks.ranks());
    const int32_t part = LargestPart(share, context_.config.accumulate_steps);
    const int32_t before = instances_ > 0 ? std::min(instances_, part) : part;
    if (before <= 1) return false;
    instances_ = (before + 1) / 2;
    context_.observer.OnLog(Concat("step ", step, ": out of memory; continues with ", instances_,
                                   " instances at once"));
    return true;
  }

  // Returns the state for checkpoints, like Learner::ScalarState.
  std::map<std::string, double> ScalarState() const {
    return {{kScalar, static_cast<double>(instances_)}};
  }
  void Restore(const std::map<std::string, double>& scalars) {
    instances_ = static_cast<int32_t>(scalars.at(kScalar));
  }

 private:
  static constexpr char kScalar[] = "micro_batch";

  RunContext& context_;
  int32_t instances_ = 0;
};

}  // namespace vrp
