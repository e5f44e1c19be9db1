// Small networks and batches shared by the tests of engines.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/text.h"
#include "core/model/graph_transformer/graph_transformer_architecture.h"
#include "core/model/policy/network_batch.h"
#include "core/model/policy/policy_engine.h"
#include "gtest/gtest.h"

namespace vrp::test {

inline GraphTransformerOptions SmallTransformer() {
  return {.hidden = 32, .heads = 4, .feed_forward = 48, .layers = 2};
}

inline NetworkBatch BatchOf(const std::vector<Instance>& instances,
                            const BatchForm& form = NodeOrder::kAsGiven) {
  return MakeNetworkBatch(std::span<const Instance>(instances), form);
}

// Returns the choices of each trajectory, which another rollout can be forced to repeat.
inline std::vector<std::vector<int32_t>> ChoicesOf(const Trajectories& trajectories) {
  std::vector<std::vector<int32_t>> choices;
  for (int64_t row = 0; row < std::ssize(trajectories.lengths); ++row) {
    const std::span<const int32_t> one = trajectories.Choices(row);
    choices.emplace_back(one.begin(), one.end());
  }
  return choices;
}

// Expects that `engine` refuses a forced choice after the end of the first instance's trajectory.
// The second instance's trajectory must be longer.
inline void ExpectEndOfForcedChoices(const PolicyEngine& engine, const NetworkBatch& batch) {
  std::vector<std::vector<int32_t>> choices = ChoicesOf(*engine.Run(batch, {}));
  const size_t end = choices[0].size();
  ASSERT_LT(end, choices[1].size());
  choices[0].push_back(1);
  EXPECT_EQ(engine.Run(batch, {.choice = Choice::kForced, .choices = choices}).status(),
            absl::InvalidArgumentError(
                Concat("choices[0][", end, "]: got 1, but the trajectory ended before this step")));
  choices[0].back() = -1;
  EXPECT_TRUE(engine.Run(batch, {.choice = Choice::kForced, .choices = choices}).ok());
}

}  // namespace vrp::test
