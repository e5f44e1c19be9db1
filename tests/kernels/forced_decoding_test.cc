// Compares forced decoding in one call with plain loops over the step function. Also advances
// trajectories step by step, as a network does, and compares them with forced decoding.
#include "core/kernels/forced_decoding/forced_decoding.h"

#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "tests/kernels/deterministic_tour.h"
#include "tests/kernels/routing_case.h"

namespace vrp {
namespace {

constexpr int32_t kForcedNodes = 9;
constexpr int32_t kPaddedForcedNodes = 12;
constexpr int32_t kSteps = 20;
constexpr int32_t kTrajectories = 2;
constexpr int64_t kUnwritten = 77;

// Memory for the steps of `rows` trajectories.
template <typename T>
struct Memory {
  explicit Memory(ObservationKind kind, int64_t rows = kTrajectories)
      : layout{.kind = kind, .nodes = kPaddedForcedNodes},
        current(Size(rows), kUnwritten),
        first(current),
        begins(current.size(), kUnwritten),
        shares(current.size() * static_cast<size_t>(ObservedShares(kind)), kUnwritten),
        forbidden(current.size() * kPaddedForcedNodes, kUnwritten),
        features(forbidden.size() * static_cast<size_t>(ObservedFeatures(kind)), kUnwritten),
        uniforms(current.size()),
        trajectory_scratch(static_cast<size_t>(rows * TrajectoryScratchBytes(layout)) /
                           sizeof(double)),
        lengths(static_cast<size_t>(rows)),
        costs(lengths.size()),
        ends(lengths.size()) {}

  static size_t Size(int64_t rows) { return static_cast<size_t>(rows) * kSteps; }
  uint8_t* Scratch() { return reinterpret_cast<uint8_t*>(trajectory_scratch.data()); }
  ObservationColumns<T> columns() {
    return {current.data(), first.data(),     begins.data(),
            shares.data(),  forbidden.data(), features.data()};
  }
  ForcedDecodingResult<T> result() {
    return {columns(), uniforms.data(), lengths.data(), costs.data(), ends.data()};
  }

  ObservationLayout layout;
  std::vector<int64_t> current, first;
  std::vector<uint8_t> begins;
  std::vector<T> shares;
  std::vector<uint8_t> forbidden;
  std::vector<T> features;
  std::vector<double> uniforms;
  std::vector<double> trajectory_scratch;
  std::vector<int32_t> lengths;
  std::vector<double> costs;
  std::vector<TrajectoryEnd> ends;
};

// Returns a pointer network's dynamic features of a node, [kPointerDynamic].
template <typename T>
std::vector<T> PlainFeatures(const StepRules& rules, const RouteState& state,
                             const std::vector<uint8_t>& visited, int32_t node) {
  const RoutingProblem& problem = rules.problem;
  const double scale = PointerScale(problem);
  PointerTimes times;
  if (problem.window_opens != nullptr) times = PointerTimesAt(rules, state, node);
  const bool was_visited = visited[static_cast<size_t>(node)] != 0 && (node > 0 || problem.tsp);
  return {static_cast<T>(was_visited ? 1 : 0),
          static_cast<T>(PointerDistance(problem, scale, state.current, node)),
          static_cast<T>(PointerDistance(problem, scale, node, 0)), static_cast<T>(times.wait),
          static_cast<T>(times.slack)};
}

// Writes a step's observation with plain loops.
template <typename T>
void WritePlainStep(const StepRules& rules, const RouteState& state,
                    const std::vector<uint8_t>& visited, ObservationKind kind,
                    ObservationColumns<T> to) {
  *to.current = state.current;
  *to.first = state.first < 0 ? 0 : state.first;
  *to.begins = rules.problem.tsp && state.first < 0;
  std::vector<double> shares(static_cast<size_t>(ObservedShares(kind)));
  kind == ObservationKind::kPointer ? WritePointerContext(rules, state, shares.data())
                                    : WriteShares(rules, state, shares.data());
  for (const double share : shares) *to.shares++ = static_cast<T>(share);
  for (int32_t n = 0; n < kPaddedForcedNodes; ++n) {
    to.forbidden[n] = n >= kForcedNodes || !IsAllowed(rules, state, visited.data(), n);
    if (kind == ObservationKind::kShares) continue;
    std::vector<T> features(kPointerDynamic);
    if (n < kForcedNodes) features = PlainFeatures<T>(rules, state, visited, n);
    for (const T feature : features) *to.features++ = feature;
  }
}

// Observations of the same trajectories by forced decoding and by the plain step function.
template <typename T>
class DecodedAndPlain {
 public:
  DecodedAndPlain(const RoutingCase& one, ObservationKind kind)
      : kind_(kind), rules_(MakeStepRules(one.problem())), actual(kind), expected(kind) {
    for (int32_t p = 0; p < kTrajectories; ++p) {
      const std::vector<int32_t> tour = test::DeterministicTour(rules_, p);
      choices_.insert(choices_.end(), tour.begin(), tour.end());
      choices_.resize(Memory<T>::Size(p + 1), -1);
      AddPlainTrajectory(tour, p);
    }
    ForceDecodeOnCpu(request(), actual.result());
  }
  const std::vector<int32_t>& choices() const { return choices_; }
  ForcedDecodingRequest request() {
    return {.layout = actual.layout,
            .instances = 1,
            .trajectories = kTrajectories,
            .max_steps = kSteps,
            .rules = &rules_,
            .choices = choices_.data(),
            .trajectory_scratch = actual.Scratch()};
  }

 private:
  void AddPlainTrajectory(const std::vector<int32_t>& tour, int64_t row) {
    std::vector<uint8_t> visited(kForcedNodes);
    RouteState state = BeginTrajectory(rules_, visited.data());
    for (int64_t t = 0; t < kSteps; ++t) {
      const ObservationColumns<T> to = expected.columns().At(row * kSteps + t, expected.layout);
      if (t < std::ssize(tour)) {
        WritePlainStep(rules_, state, visited, kind_, to);
        Take(rules_, tour[static_cast<size_t>(t)], state, visited.data());
        continue;
      }
      *to.current = *to.first = *to.begins = 0;
      for (int32_t n = 0; n < kPaddedForcedNodes; ++n) to.forbidden[n] = n > 0;
      std::fill_n(to.shares, ObservedShares(kind_), T{0});
      std::fill_n(to.features, kPaddedForcedNodes * ObservedFeatures(kind_), T{0});
    }
    const auto at = static_cast<size_t>(row);
    expected.lengths[at] = static_cast<int32_t>(tour.size());
    expected.costs[at] = state.cost;
  }

  const ObservationKind kind_;
  const StepRules rules_;
  std::vector<int32_t> choices_;

 public:
  Memory<T> actual;
  Memory<T> expected;
};

template <typename T>
void ExpectTheSame(const Memory<T>& actual, const Memory<T>& expected) {
  EXPECT_EQ(actual.current, expected.current);
  EXPECT_EQ(actual.first, expected.first);
  EXPECT_EQ(actual.begins, expected.begins);
  EXPECT_EQ(actual.shares, expected.shares);
  EXPECT_EQ(actual.forbidden, expected.forbidden);
  EXPECT_EQ(actual.features, expected.features);
  EXPECT_EQ(actual.lengths, expected.lengths);
  EXPECT_EQ(actual.costs, expected.costs);
  EXPECT_EQ(actual.ends, expected.ends);
}

class ForcedDecodingTest : public testing::TestWithParam<CaseOptions> {};

TEST_P(ForcedDecodingTest, ObservationsEqualPlainLoopsBitForBit) {
  const RoutingCase one(GetParam());
  for (const ObservationKind kind : {ObservationKind::kShares, ObservationKind::kPointer}) {
    if (kind == ObservationKind::kPointer && GetParam().matrix) continue;  // needs coordinates
    const DecodedAndPlain<float> floats(one, kind);
    ExpectTheSame(floats.actual, floats.expected);
    const DecodedAndPlain<double> doubles(one, kind);
    ExpectTheSame(doubles.actual, doubles.expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Variants, ForcedDecodingTest, testing::ValuesIn(AllCases(kForcedNodes)),
                         [](const auto& one) { return CaseName(one.param); });

// Two CVRP instances, each with one trajectory.
class ForcedDecodingEdgeTest : public testing::Test {
 protected:
  ForcedDecodingResult<float> DecodeBoth(const std::vector<std::vector<int32_t>>& tours) {
    for (const std::vector<int32_t>& tour : tours) {
      choices_.insert(choices_.end(), tour.begin(), tour.end());
      choices_.resize((choices_.size() + kSteps - 1) / kSteps * kSteps, -1);
    }
    ForceDecodeOnCpu({.layout = memory_.layout,
                      .instances = 2,
                      .max_steps = kSteps,
                      .rules = rules_.data(),
                      .choices = choices_.data(),
                      .trajectory_scratch = memory_.Scratch(),
                      .seed = 5,
                      .stream = 10,
                      .steps = &done_,
                      .first_trajectory = 40},
                     memory_.result());
    return memory_.result();
  }

  const RoutingCase one_{{.nodes = kForcedNodes}};
  const RoutingCase other_{{.nodes = kForcedNodes, .seed = 2}};
  const std::vector<StepRules> rules_ = {MakeStepRules(one_.problem()),
                                         MakeStepRules(other_.problem())};
  const int64_t done_ = 3;
  std::vector<int32_t> choices_;
  Memory<float> memory_{ObservationKind::kPointer, 2};
};

TEST_F(ForcedDecodingEdgeTest, StopsATrajectoryAtAForbiddenChoiceAndContinuesTheOthers) {
  for (const int32_t wrong : {1, kForcedNodes, -1}) {
    choices_.clear();
    const std::vector<int32_t> tour = test::DeterministicTour(rules_[1], 1);
    const ForcedDecodingResult<float> result = DecodeBoth({{1, 2, wrong}, tour});
    EXPECT_EQ(result.ends[0], TrajectoryEnd::kForbidden);
    EXPECT_EQ(result.lengths[0], 2);
    EXPECT_EQ(result.steps.current[1], 1);
    EXPECT_EQ(result.steps.current[2], 0);  // the observation of an ended trajectory
    EXPECT_EQ(result.ends[1], TrajectoryEnd::kDone);
    EXPECT_EQ(result.lengths[1], std::ssize(tour));
  }
}

TEST_F(ForcedDecodingEdgeTest, DrawsDependOnStepTrajectoryAndStream) {
  const ForcedDecodingResult<float> result =
      DecodeBoth({test::DeterministicTour(rules_[0], 0), test::DeterministicTour(rules_[1], 0)});
  EXPECT_EQ(result.uniforms[7], SecondUniform(StepBlock({5, 13, 40, 7})));
  EXPECT_EQ(result.uniforms[kSteps + 2], SecondUniform(StepBlock({5, 13, 41, 2})));
}

// The observations of a network that makes the given choices, one step at a time.
template <typename T>
class StepwiseObservations {
 public:
  StepwiseObservations(const StepRules& rules, ObservationKind kind, bool distinct_starts = false)
      : rules_(rules), memory_(kind), distinct_starts_(distinct_starts) {}

  // Makes `choices`, then advances to `step`.
  void AdvanceTo(int32_t step, const std::vector<int64_t>& choices) {
    AdvanceOnCpu({.layout = memory_.layout,
                  .instances = 1,
                  .trajectories = kTrajectories,
                  .distinct_starts = distinct_starts_,
                  .step = step,
                  .rules = &rules_,
                  .choices = choices.data(),
                  .trajectory_scratch = memory_.Scratch(),
                  .seed = 5,
                  .stream = 10,
                  .steps = &done_,
                  .first_trajectory = 40},
                 AdvanceResult<T>{.steps = memory_.columns(),
                                  .moving = moving.data(),
                                  .ends = ends.data(),
                                  .costs = costs.data(),
                                  .given = given.data(),
                                  .uniforms = uniforms.data()});
  }
  // Expects that row `row` equals row `step` of `other`.
  void ExpectRow(int64_t row, const Memory<T>& other, int64_t step) const {
    const auto expect = [&](const auto& values, const auto& other_values) {
      const auto width = std::ssize(other_values) / std::ssize(other.current);
      const auto expected_row = other_values.begin() + step * width;
      const auto actual_row = values.begin() + row * width;
      EXPECT_EQ(std::vector(actual_row, actual_row + width),
                std::vector(expected_row, expected_row + width));
    };
    expect(memory_.current, other.current);
    expect(memory_.first, other.first);
    expect(memory_.begins, other.begins);
    expect(memory_.shares, other.shares);
    expect(memory_.forbidden, other.forbidden);
    expect(memory_.features, other.features);
  }
  // Expects the same positions, allowed nodes and costs of trajectories that were advanced alike.
  void ExpectSame(const StepwiseObservations& other) const {
    EXPECT_EQ(memory_.forbidden, other.memory_.forbidden);
    EXPECT_EQ(memory_.current, other.memory_.current);
    EXPECT_EQ(moving, other.moving);
    EXPECT_EQ(costs, other.costs);
  }

 private:
  const StepRules rules_;
  Memory<T> memory_;
  const bool distinct_starts_;
  const int64_t done_ = 3;

 public:
  std::vector<uint8_t> moving = std::vector<uint8_t>(kTrajectories, 77);
  std::vector<TrajectoryEnd> ends = std::vector<TrajectoryEnd>(kTrajectories);
  std::vector<double> costs = std::vector<double>(kTrajectories, -1);
  std::vector<int64_t> given = std::vector<int64_t>(kTrajectories, 77);
  std::vector<double> uniforms = std::vector<double>(kTrajectories);
};

class AdvancedStepsTest : public testing::TestWithParam<CaseOptions> {};

TEST_P(AdvancedStepsTest, ObservationsEqualThoseOfForcedDecoding) {
  const RoutingCase one(GetParam());
  for (const ObservationKind kind : {ObservationKind::kShares, ObservationKind::kPointer}) {
    if (kind == ObservationKind::kPointer && GetParam().matrix) continue;  // needs coordinates
    const DecodedAndPlain<float> forced(one, kind);
    StepwiseObservations<float> advanced(MakeStepRules(one.problem()), kind);
    std::vector<int64_t> choices(kTrajectories, -1);
    for (int32_t t = 0; t < kSteps; ++t) {
      advanced.AdvanceTo(t, choices);
      for (int64_t p = 0; p < kTrajectories; ++p) {
        SCOPED_TRACE(testing::Message() << "trajectory " << p << ", step " << t);
        const auto at = static_cast<size_t>(p);
        advanced.ExpectRow(p, forced.actual, p * kSteps + t);
        EXPECT_EQ(advanced.moving[at], t < forced.actual.lengths[at] ? 1 : 0);
        EXPECT_EQ(advanced.given[at], -1);
        choices[at] = forced.choices()[at * kSteps + static_cast<size_t>(t)];
      }
    }
    EXPECT_EQ(advanced.costs, forced.actual.costs);
    EXPECT_EQ(advanced.ends, forced.actual.ends);
  }
}

INSTANTIATE_TEST_SUITE_P(Variants, AdvancedStepsTest, testing::ValuesIn(AllCases(kForcedNodes)),
                         [](const auto& one) { return CaseName(one.param); });

TEST(AdvanceTest, StartsAreDistinctAndDrawsDependOnTheStep) {
  const RoutingCase one({.nodes = kForcedNodes});
  StepwiseObservations<float> advanced(MakeStepRules(one.problem()), ObservationKind::kPointer,
                                       true);
  advanced.AdvanceTo(0, {});
  EXPECT_EQ(advanced.given, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(advanced.uniforms[1], FirstUniform(StepBlock({5, 13, 41, 0})));
  advanced.AdvanceTo(1, advanced.given);
  EXPECT_EQ(advanced.given, (std::vector<int64_t>{-1, -1}));
  EXPECT_EQ(advanced.uniforms[0], FirstUniform(StepBlock({5, 13, 40, 1})));
}

TEST(AdvanceTest, IdlesWithoutAllowedNodesAndIgnoresForbiddenChoices) {
  RoutingCase one({.nodes = kForcedNodes});
  RoutingProblem problem = one.problem();
  problem.capacity = 0.5;  // smaller than any demand
  StepwiseObservations<float> stuck(MakeStepRules(problem), ObservationKind::kPointer, true);
  StepwiseObservations<float> free(MakeStepRules(one.problem()), ObservationKind::kPointer);
  stuck.AdvanceTo(0, {});
  EXPECT_EQ(stuck.moving, (std::vector<uint8_t>{0, 0}));
  EXPECT_EQ(stuck.ends[1], TrajectoryEnd::kUnreachable);
  EXPECT_EQ(stuck.given, (std::vector<int64_t>{-1, -1}));
  StepwiseObservations<float> without_choices(MakeStepRules(one.problem()),
                                              ObservationKind::kPointer);
  for (StepwiseObservations<float>* const each : {&free, &without_choices}) {
    each->AdvanceTo(0, {});
    each->AdvanceTo(1, {1, 2});
    each->AdvanceTo(2, {2, 1});
  }
  without_choices.AdvanceTo(3, {-1, -1});
  free.AdvanceTo(3, {1, kForcedNodes});  // a visited node and a padded one
  without_choices.ExpectSame(free);
  EXPECT_EQ(free.moving, (std::vector<uint8_t>{1, 1}));
}

TEST(AllowedNodeTest, WrapsAroundAndReportsThatNoNodeIsAllowed) {
  const RoutingCase one({.nodes = 4});
  const StepRules rules = MakeStepRules(one.problem());
  std::vector<uint8_t> visited(4);
  RouteState state = BeginTrajectory(rules, visited.data());
  for (int64_t p = 0; p < 7; ++p) {
    EXPECT_EQ(AllowedNode(rules, state, visited.data(), p), 1 + p % 3);
  }
  visited = {0, 1, 1, 1};
  EXPECT_EQ(AllowedNode(rules, state, visited.data(), 1), -1);
}

}  // namespace
}  // namespace vrp
