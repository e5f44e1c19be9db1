// Runs CUDA's programs on several CPU threads. Tests that results do not depend on the number of
// threads. With the tsan preset, also tests that no thread reads data that another one is writing.
#include <vector>

#include "core/base/random.h"
#include "core/kernels/decoder/attention_decoder.h"
#include "core/kernels/decoder/decoder_batch.h"
#include "core/kernels/forced_decoding/forced_decoding_program.h"
#include "core/kernels/instances/instance_program.h"
#include "core/kernels/optimiser/optimiser_program.h"
#include "gtest/gtest.h"
#include "tests/kernels/drawn_instances.h"
#include "tests/kernels/improve_case.h"
#include "tests/kernels/routing_case.h"
#include "tests/kernels/threaded_group.h"

namespace vrp {
namespace {

using test::RunOnThreads;
using test::ThreadedGroup;
using test::ThreadedLanes;

constexpr DecoderShape kShape = {.hidden = 32, .heads = 4, .clip = 7};
constexpr int32_t kTrajectories = 3;

// One instance's projections, rules and scratch, and the outputs of both passes.
struct Decoded {
  explicit Decoded(const CaseOptions& options)
      : routing(options),
        rules(MakeStepRules(routing.problem())),
        steps(std::max(1, MaxTourSteps(routing.problem()))),
        rows(static_cast<size_t>(rules.problem.nodes * 5 * kShape.hidden)),
        others(static_cast<size_t>((2 + kContextShares) * kShape.hidden)),
        memory(static_cast<size_t>(std::max(Layout(false).bytes, Layout(true).bytes)) /
               sizeof(double)),
        choices(static_cast<size_t>(kTrajectories * steps)) {
    CounterRandom random(11);
    for (float& value : rows) value = random.UniformFloat() - 0.5F;
    for (float& value : others) value = random.UniformFloat() - 0.5F;
  }

  DecoderScratchLayout Layout(bool second_pass) const {
    return LayOutDecoderScratch<float>(kShape, rules.problem.nodes, second_pass);
  }
  DecoderScratch<float> Scratch(bool second_pass) {
    return DecoderScratchAt<float>(Layout(second_pass), reinterpret_cast<uint8_t*>(memory.data()));
  }
  template <typename T>
  static DecoderNodes<T> Nodes(T* first, T* other) {
    constexpr int64_t kHidden = kShape.hidden;
    return {.stride = 5 * kHidden,
            .keys = first,
            .values = first + kHidden,
            .logit_keys = first + 2 * kHidden,
            .queries = first + 3 * kHidden,
            .first_queries = first + 4 * kHidden,
            .base_query = other,
            .start_query = other + kHidden,
            .shares_weight = other + 2 * kHidden};
  }
  DecoderTask<float> Task() const {
    return MakeDecoderTask<float>(kShape, Nodes<const float>(rows.data(), others.data()), &rules);
  }

  template <typename Group>
  void RollOutAll(const Group& group) {
    const BatchRolloutRequest request = {
        .choice = StepChoice::kSample, .trajectories = kTrajectories, .max_steps = steps};
    const BatchRolloutResult result = {choices.data(), lengths,    costs,
                                       likelihoods,    agreements, ends};
    for (int32_t p = 0; p < kTrajectories; ++p) {
      RollOut(group, Task(), Scratch(false), request, p, result);
    }
  }

  // Runs the second pass in two parts, one after the other, as two groups would.
  template <typename Group>
  void AddGradients(const Group& group) {
    const BatchSecondPassRequest request = {.trajectories = kTrajectories,
                                            .label_smoothing = 0.1,
                                            .max_steps = steps,
                                            .choices = choices.data(),
                                            .weights = weights};
    for (int32_t p = 0; p < kTrajectories; ++p) {
      for (int32_t part = 0; part < 2; ++part) {
        TrajectoryPass pass = MakeTrajectoryPass(request, p, terms);
        pass.part = part;
        pass.parts = 2;
        RunSecondPass(group, Task(), Scratch(true), request, pass,
                      Nodes<float>(gradient.data(), other_gradient.data()));
      }
    }
  }

  RoutingCase routing;
  StepRules rules;
  int32_t steps;
  std::vector<float> rows, others;
  std::vector<double> memory;
  std::vector<int32_t> choices;
  int32_t lengths[kTrajectories] = {};
  double costs[kTrajectories] = {};
  double likelihoods[kTrajectories] = {};
  int32_t agreements[kTrajectories] = {};
  TrajectoryEnd ends[kTrajectories] = {};
  double weights[kTrajectories] = {0.5, -1, 2};
  double terms[kTrajectories] = {};
  std::vector<float> gradient = std::vector<float>(rows.size());
  std::vector<float> other_gradient = std::vector<float>(others.size());
};

void ExpectNear(const std::vector<float>& actual, const std::vector<float>& expected) {
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-4) << i;
}

class ThreadedDecoderTest : public testing::TestWithParam<CaseOptions> {};

TEST_P(ThreadedDecoderTest, RolloutAndGradientEqualThoseOfOneThread) {
  Decoded serial(GetParam());
  serial.RollOutAll(SerialGroup());
  serial.AddGradients(SerialGroup());
  Decoded threaded(GetParam());
  RunOnThreads<ThreadedGroup>([&](const ThreadedGroup& group) {
    threaded.RollOutAll(group);
    threaded.AddGradients(group);
  });
  EXPECT_EQ(threaded.choices, serial.choices);
  for (int32_t p = 0; p < kTrajectories; ++p) {
    EXPECT_NEAR(threaded.likelihoods[p], serial.likelihoods[p], 1e-5);
    EXPECT_NEAR(threaded.terms[p], serial.terms[p], 1e-5);
  }
  ExpectNear(threaded.gradient, serial.gradient);
  ExpectNear(threaded.other_gradient, serial.other_gradient);
}

INSTANTIATE_TEST_SUITE_P(Cases, ThreadedDecoderTest,
                         testing::Values(CaseOptions{.nodes = 9},
                                         CaseOptions{.nodes = 9, .windows = true},
                                         CaseOptions{.nodes = 9, .tsp = true}),
                         [](const auto& test) { return CaseName(test.param); });

TEST(ThreadedProgramsTest, FeaturesOfInstancesEqualThoseOfOneThread) {
  const test::DrawnShape shape = {
      .drawn = {.seed = 3, .customers = 20, .min_capacity = 30, .max_capacity = 50},
      .instances = 3,
      .nodes = 23};
  const std::vector<uint8_t> expected = test::DrawBatchOnCpu(shape, 5);
  std::vector<uint8_t> actual = test::UndrawnBatch(shape, 5);
  const InstanceTask task = test::TaskAt(actual.data(), shape);
  double extremes[4] = {};
  RunOnThreads<ThreadedGroup>([&](const ThreadedGroup& group) {
    for (int32_t b = 0; b < shape.instances; ++b) MakeInstance(group, task, b, extremes);
  });
  const int64_t features = int64_t{shape.instances} * shape.nodes * kNodeFeatures;
  std::vector<uint8_t> wanted = expected;
  const InstanceTask other = test::TaskAt(wanted.data(), shape);
  EXPECT_TRUE(std::equal(task.features, task.features + features, other.features));
}

TEST(ThreadedProgramsTest, OptimiserDecisionsEqualThoseOfOneThread) {
  std::vector<float> gradient(10'000);
  CounterRandom random(5);
  for (float& value : gradient) value = random.UniformFloat();
  const double rate = 0.1;
  const double loss = 1;
  const auto decide = [&](const auto& group, std::vector<double>& sums, double* lanes,
                          OptimiserState& state) {
    const OptimiserTask task = {.size = std::ssize(gradient),
                                .arrays = {.gradient = gradient.data()},
                                .sums = sums.data(),
                                .rates = &rate,
                                .rate_count = 1,
                                .loss = &loss,
                                .loss_scale = {},
                                .adamw = {},
                                .clip = 1,
                                .state = &state};
    for (int64_t block = 0; block < NormBlocks(task.size); ++block) {
      SumSquares(group, task, block, lanes);
    }
    DecideStep(group, task, lanes);
  };
  std::vector<double> sums(3);
  std::vector<double> lanes(kNormLanes);
  OptimiserState expected;
  decide(SerialGroup(), sums, lanes.data(), expected);
  OptimiserState actual;
  RunOnThreads<ThreadedGroup>(
      [&](const ThreadedGroup& group) { decide(group, sums, lanes.data(), actual); });
  EXPECT_EQ(actual.norm, expected.norm);
  EXPECT_EQ(actual.factors[1].rate, expected.factors[1].rate);
  EXPECT_EQ(actual.updates, 1);
}

TEST(ThreadedProgramsTest, ImprovedPlansEqualThoseOfOneThread) {
  const ImproveRequest request = {
      .annealing = MakeAnnealingTable(), .seed = 3, .rounds = 40, .end_round = 40};
  const auto improve = [&](const auto& run) {
    std::vector<ImprovedPlan> plans = {test::RandomPlan({.customers = 30})};
    PackedPlans packed(plans);
    std::vector<uint16_t> neighbours(static_cast<size_t>(packed.neighbour_count()));
    std::vector<uint8_t> best(packed.plans().size());
    const std::vector<ImproveTask> tasks =
        packed.TasksAt(packed.distances().data(), packed.demands().data(), neighbours.data());
    const ImproveBatch batch = {.instances = 1,
                                .nodes = packed.nodes(),
                                .routes = packed.routes(),
                                .tasks = tasks.data(),
                                .current = packed.plans().data(),
                                .best = best.data()};
    std::vector<uint64_t> scratch(
        static_cast<size_t>(ImproveScratchBytes(batch.nodes, batch.routes)) / sizeof(uint64_t));
    const ImproveScratch improve_scratch = ImproveScratchAt(
        tasks[0].nodes, tasks[0].routes, reinterpret_cast<uint8_t*>(scratch.data()));
    run([&](const auto& lanes) { Improve(lanes, batch, improve_scratch, request, 0); });
    packed.Unpack(best, plans);
    return plans[0].plan;
  };
  const auto expected = improve([](const auto& program) { program(SerialGroup()); });
  EXPECT_EQ(improve([](const auto& program) { RunOnThreads<ThreadedLanes>(program); }), expected);
}

TEST(ThreadedProgramsTest, ForcedDecodingEqualsThatOfOneThread) {
  const RoutingCase routing({.nodes = 7});
  const StepRules rules = MakeStepRules(routing.problem());
  const std::vector<int32_t> choices = {1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, -1, -1, -1};
  const auto steps = static_cast<int32_t>(choices.size());
  const ObservationLayout layout = {.kind = ObservationKind::kPointer, .nodes = 7};
  const auto decode = [&](const auto& run) {
    const auto count = choices.size();
    std::vector<int64_t> current(count), first(count);
    std::vector<uint8_t> begins(count), forbidden(count * 7);
    std::vector<float> shares(count * kPointerContext), features(count * 7 * kPointerDynamic);
    std::vector<double> uniforms(count);
    std::vector<double> scratch(static_cast<size_t>(TrajectoryScratchBytes(layout)) /
                                sizeof(double));
    int32_t length = 0;
    double cost = 0;
    TrajectoryEnd end = TrajectoryEnd::kForbidden;
    const ForcedDecodingRequest request = {
        .layout = layout,
        .instances = 1,
        .max_steps = steps,
        .rules = &rules,
        .choices = choices.data(),
        .trajectory_scratch = reinterpret_cast<uint8_t*>(scratch.data())};
    const ForcedDecodingResult<float> to = {
        .steps = {current.data(), first.data(), begins.data(), shares.data(), forbidden.data(),
                  features.data()},
        .uniforms = uniforms.data(),
        .lengths = &length,
        .costs = &cost,
        .ends = &end};
    run([&](const auto& lanes) { ForceDecode(lanes, request, 0, to); });
    EXPECT_EQ(end, TrajectoryEnd::kDone);
    return std::pair(features, uniforms);
  };
  const auto expected = decode([](const auto& program) { program(SerialGroup()); });
  EXPECT_EQ(decode([](const auto& program) { RunOnThreads<ThreadedLanes>(program); }), expected);
}

}  // namespace
}  // namespace vrp
