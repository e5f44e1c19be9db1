// Compares the second pass of scheduled sampling with the rollout, which determines the decoder's
// inputs step by step.
#include <gtest/gtest.h>

#include <vector>

#include "core/model/pointer_network/pointer_pass.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

constexpr int32_t kInstances = 4;

struct Case {
  int32_t trajectories;
  double teacher_forcing;
  bool dropout;
};

class PointerOwnChoicesTest : public testing::TestWithParam<Case> {
 protected:
  PointerOwnChoicesTest()
      : pass_({.hidden = 48, .layers = 2, .dropout = 0.2}, BestIsa(), Bf16::kNone),
        parameters_(pass_.weights().layout(), 3) {
    pass_.weights().Pack(parameters_.values().data(), nullptr);
    for (const int32_t size : {9, 6, 21, 14}) {
      instances_.push_back(test::AnInstance()
                               .WithCustomers(size)
                               .Seed(static_cast<uint64_t>(size))
                               .RandomDemands()
                               .Capacity(15)
                               .Build());
    }
    batch_ = MakeNetworkBatch(instances_, NodeOrder::kByAngle);
  }
  void Encode(PointerGroup& group) const {
    pass_.Encode(batch_, 0, kInstances, {.dropout = GetParam().dropout, .seed = 7}, group);
  }
  std::vector<std::vector<int32_t>> SampleChoices() const {
    const RolloutRequest sample{.choice = Choice::kSample, .trajectories = GetParam().trajectories};
    TrajectoryTable table(batch_, sample);
    PointerGroup group;
    Encode(group);
    EXPECT_TRUE(pass_.Rollout(sample, group, table).ok());
    const Trajectories drawn = *table.Take();
    std::vector<std::vector<int32_t>> choices;
    for (int64_t row = 0; row < kInstances * int64_t{GetParam().trajectories}; ++row) {
      const auto list = drawn.Choices(row);
      choices.emplace_back(list.begin(), list.end());
    }
    return choices;
  }

  PointerPass pass_;
  FlatParameters parameters_;
  std::vector<Instance> instances_;
  NetworkBatch batch_;
};

TEST_P(PointerOwnChoicesTest, EqualThoseOfTheRolloutWithAndWithoutDropout) {
  const auto choices = SampleChoices();
  const GradientRequest request{.rollout = {.choice = Choice::kForced,
                                            .trajectories = GetParam().trajectories,
                                            .seed = 7,
                                            .stream = 2,
                                            .first_instance = 10,
                                            .choices = choices,
                                            .teacher_forcing = GetParam().teacher_forcing},
                                .dropout = GetParam().dropout};
  TrajectoryTable wanted(batch_, request.rollout);
  PointerGroup step_by_step;
  Encode(step_by_step);
  ASSERT_TRUE(pass_.Rollout(request.rollout, step_by_step, wanted).ok());

  TrajectoryTable got(batch_, request.rollout);
  PointerGroup group;
  Encode(group);
  ASSERT_TRUE(pass_.ReplayChoices(request.rollout, group, got).ok());
  const std::vector<int32_t> forced = group.reads;
  const std::vector<double> weights(choices.size(), 1.0);
  PointerPass::SecondPass second{
      .request = &request, .weights = weights.data(), .table = &got, .score = true};
  pass_.ForwardSteps(second, group);

  EXPECT_EQ(group.reads, step_by_step.reads);
  EXPECT_NE(group.reads, forced);
  if (GetParam().dropout) return;
  const std::vector<double> likelihoods = wanted.Take()->log_likelihoods;
  const Trajectories trajectories = *got.Take();
  for (size_t row = 0; row < choices.size(); ++row) {
    EXPECT_NEAR(trajectories.log_likelihoods[row], likelihoods[row], 1e-4) << row;
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, PointerOwnChoicesTest,
                         testing::Values(Case{1, 0.8, false}, Case{1, 0.8, true},
                                         Case{3, 0.4, true}, Case{2, 0, false}));

}  // namespace
}  // namespace vrp
