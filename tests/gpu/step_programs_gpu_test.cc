// Compares dropout masks, forced decoding and a network's single steps on a device with the same
// programs on the CPU.
#include <string>
#include <vector>

#include "core/kernels/dropout/dropout_mask.h"
#include "core/kernels/forced_decoding/forced_decoding.h"
#include "gtest/gtest.h"
#include "tests/gpu/device_buffer.h"
#include "tests/gpu/device_rules.h"
#include "tests/gpu/gpu_testing.h"
#include "tests/kernels/deterministic_tour.h"

namespace vrp {
namespace {

using test::Buffer;

class DropoutGpuTest : public test::GpuTest {};

TEST_F(DropoutGpuTest, WritesTheSameMasksAsTheCpu) {
  // Tests rows that fill blocks, rows that do not, and no rows.
  for (const int32_t sequences : {8, 7, 0}) {
    DropoutMask mask = {.key = {.seed = 3, .sequence = 40, .layer = 1, .decoder = true},
                        .rate = DropoutRateOf(0.25),
                        .length = 5,
                        .sequences = sequences,
                        .hidden = 264};
    Buffer<int64_t> steps(std::vector<int64_t>{6});
    Buffer<float> factors(std::vector<float>(static_cast<size_t>(mask.rows() * mask.hidden), -1));
    mask.factors = factors.data(false);
    mask.steps = steps.data(false);
    WriteMaskOnCpu(mask);
    mask.factors = factors.data(true);
    mask.steps = steps.data(true);
    const absl::Status status = WriteMaskOnCuda(mask, nullptr);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(factors.Download(), factors.host()) << sequences;
  }
}

// Outputs of all steps of all trajectories.
struct ForcedSteps {
  ForcedSteps(const ObservationLayout& layout, size_t rows, size_t steps)
      : current(std::vector<int64_t>(rows * steps, 77)),
        first(current.host()),
        begins(std::vector<uint8_t>(rows * steps, 77)),
        forbidden(std::vector<uint8_t>(rows * steps * static_cast<size_t>(layout.nodes), 77)),
        shares(rows * steps * static_cast<size_t>(ObservedShares(layout.kind))),
        features(forbidden.host().size() * static_cast<size_t>(ObservedFeatures(layout.kind))),
        uniforms(rows * steps),
        costs(rows),
        trajectory_scratch(rows * static_cast<size_t>(TrajectoryScratchBytes(layout)) /
                           sizeof(double)),
        lengths(rows),
        ends(rows) {}

  ForcedDecodingResult<float> result(bool cuda) {
    const ObservationColumns<float> columns = {current.data(cuda),   first.data(cuda),
                                               begins.data(cuda),    shares.data(cuda),
                                               forbidden.data(cuda), features.data(cuda)};
    return {columns, uniforms.data(cuda), lengths.data(cuda), costs.data(cuda), ends.data(cuda)};
  }

  void ExpectTheSame() {
    EXPECT_EQ(current.Download(), current.host());
    EXPECT_EQ(first.Download(), first.host());
    EXPECT_EQ(begins.Download(), begins.host());
    EXPECT_EQ(forbidden.Download(), forbidden.host());
    EXPECT_EQ(uniforms.Download(), uniforms.host());
    EXPECT_EQ(lengths.Download(), lengths.host());
    EXPECT_EQ(ends.Download(), ends.host());
    for (size_t i = 0; i < costs.host().size(); ++i) {
      EXPECT_NEAR(costs.Download()[i], costs.host()[i], 1e-9);
    }
    for (Buffer<float>* const reals : {&shares, &features}) {
      const std::vector<float> actual = reals->Download();
      for (size_t i = 0; i < actual.size(); ++i) {
        ASSERT_NEAR(actual[i], reals->host()[i], 1e-6) << i;
      }
    }
  }

  Buffer<int64_t> current, first;
  Buffer<uint8_t> begins, forbidden;
  Buffer<float> shares, features;
  Buffer<double> uniforms, costs, trajectory_scratch;
  Buffer<int32_t> lengths;
  Buffer<TrajectoryEnd> ends;
};

class ForcedDecodingGpuTest : public test::GpuTest,
                              public testing::WithParamInterface<ObservationKind> {
 protected:
  static constexpr int32_t kTrajectories = 3;  // per instance

  // Returns some instances. Must be called only if there is a device.
  static test::DeviceRules SomeRules() {
    return test::DeviceRules({{.nodes = 9, .windows = true},
                              {.nodes = 7, .tsp = true},
                              {.nodes = 40, .open_routes = true, .backhauls = true}});
  }
};

TEST_P(ForcedDecodingGpuTest, ForcedDecodingEqualsTheCpus) {
  test::DeviceRules rules = SomeRules();
  const ObservationLayout layout = {.kind = GetParam(), .nodes = rules.nodes()};
  const auto rows = static_cast<size_t>(rules.size()) * kTrajectories;
  const auto steps = static_cast<size_t>(rules.steps());
  std::vector<int32_t> tours;
  for (size_t row = 0; row < rows; ++row) {
    const std::vector<int32_t> tour =
        test::DeterministicTour(rules.at(row / kTrajectories), static_cast<int32_t>(row));
    tours.insert(tours.end(), tour.begin(), tour.end());
    tours.resize((row + 1) * steps, -1);
  }
  tours[4 * steps + 2] = -1;  // a trajectory that ends too early
  Buffer<int32_t> choices(tours);
  Buffer<int64_t> step_count(std::vector<int64_t>{3});
  ForcedSteps decoded(layout, rows, steps);
  const auto request = [&](bool cuda) -> ForcedDecodingRequest {
    return {.layout = layout,
            .instances = rules.size(),
            .trajectories = kTrajectories,
            .max_steps = rules.steps(),
            .rules = rules.data(cuda),
            .choices = choices.data(cuda),
            .trajectory_scratch = reinterpret_cast<uint8_t*>(decoded.trajectory_scratch.data(cuda)),
            .seed = 5,
            .steps = step_count.data(cuda),
            .first_trajectory = 100};
  };
  ForceDecodeOnCpu(request(false), decoded.result(false));
  const absl::Status status = ForceDecodeOnCuda(request(true), decoded.result(true), nullptr);
  ASSERT_TRUE(status.ok()) << status;
  decoded.ExpectTheSame();
}

// Returns the (row + salt)-th allowed node of each row, in place of a network's choices.
std::vector<int64_t> SomeChoices(const std::vector<uint8_t>& forbidden, size_t rows, size_t salt) {
  const size_t nodes = forbidden.size() / rows;
  std::vector<int64_t> choices;
  for (size_t row = 0; row < rows; ++row) {
    std::vector<int64_t> allowed;
    for (size_t n = 0; n < nodes; ++n) {
      if (forbidden[row * nodes + n] == 0) allowed.push_back(static_cast<int64_t>(n));
    }
    choices.push_back(allowed[(row + salt) % allowed.size()]);
  }
  return choices;
}

TEST_P(ForcedDecodingGpuTest, SingleStepsEqualTheCpus) {
  test::DeviceRules rules = SomeRules();
  const ObservationLayout layout = {.kind = GetParam(), .nodes = rules.nodes()};
  const auto rows = static_cast<size_t>(rules.size()) * kTrajectories;
  ForcedSteps observed(layout, rows, 1);
  Buffer<uint8_t> moving(std::vector<uint8_t>(rows, 77));
  Buffer<int64_t> given(std::vector<int64_t>(rows, 77));
  Buffer<double> uniforms(rows);
  Buffer<int64_t> choices(rows);
  Buffer<int64_t> step_count(std::vector<int64_t>{3});
  for (int32_t step = 0; step <= rules.steps(); ++step) {
    SCOPED_TRACE(step);
    const auto request = [&](bool cuda) -> AdvanceRequest {
      return {
          .layout = layout,
          .instances = rules.size(),
          .trajectories = kTrajectories,
          .distinct_starts = true,
          .step = step,
          .rules = rules.data(cuda),
          .choices = choices.data(cuda),
          .trajectory_scratch = reinterpret_cast<uint8_t*>(observed.trajectory_scratch.data(cuda)),
          .seed = 5,
          .steps = step_count.data(cuda),
          .first_trajectory = 100};
    };
    const auto result = [&](bool cuda) -> AdvanceResult<float> {
      return {.steps = observed.result(cuda).steps,
              .moving = moving.data(cuda),
              .ends = observed.ends.data(cuda),
              .costs = observed.costs.data(cuda),
              .given = given.data(cuda),
              .uniforms = uniforms.data(cuda)};
    };
    AdvanceOnCpu(request(false), result(false));
    const absl::Status status = AdvanceOnCuda(request(true), result(true), nullptr);
    ASSERT_TRUE(status.ok()) << status;
    observed.ExpectTheSame();
    EXPECT_EQ(moving.Download(), moving.host());
    EXPECT_EQ(given.Download(), given.host());
    EXPECT_EQ(uniforms.Download(), uniforms.host());
    choices.host() = SomeChoices(observed.forbidden.host(), rows, static_cast<size_t>(step));
    choices.Upload();
  }
  EXPECT_EQ(moving.host(), std::vector<uint8_t>(rows, 0));
}

INSTANTIATE_TEST_SUITE_P(Readers, ForcedDecodingGpuTest,
                         testing::Values(ObservationKind::kShares, ObservationKind::kPointer),
                         [](const auto& test) {
                           return std::string(test.param == ObservationKind::kShares ? "Shares"
                                                                                     : "Pointer");
                         });

}  // namespace
}  // namespace vrp
