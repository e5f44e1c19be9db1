// Compares instances drawn by the device's program, in one thread, with the host's instances.
#include <cstring>
#include <ostream>
#include <string>
#include <vector>

#include "core/train/data/batch_source.h"
#include "core/train/data/instance_source.h"
#include "gtest/gtest.h"
#include "tests/kernels/drawn_instances.h"

namespace vrp {
namespace {

constexpr int32_t kInstances = 250;  // per batch

struct DrawnCase {
  const char* name;
  std::vector<ProblemKind> kinds = {ProblemKind::kCvrp};
  int32_t customers = 20;
  NumberRange capacity = {};
  uint64_t seed = 1234;
};
void PrintTo(const DrawnCase& drawn_case, std::ostream* out) { *out << drawn_case.name; }

class DrawnByDeviceTest : public testing::TestWithParam<DrawnCase> {};

TEST_P(DrawnByDeviceTest, MatchTheFeaturesAndRulesOfTheHostBitForBit) {
  const DrawnCase& drawn_case = GetParam();
  TrainingConfig config;
  config.problem.kinds = drawn_case.kinds;
  config.problem.customers = {drawn_case.customers, drawn_case.customers};
  config.problem.capacity = drawn_case.capacity;
  config.problem.seed = drawn_case.seed;
  config.batch_size = kInstances;
  const auto source = MakeGeneratedSource(config, NodeOrder::kAsGiven);
  const auto drawn = DeviceDistribution(config.problem);
  ASSERT_TRUE(drawn.ok()) << drawn.status();
  const test::DrawnShape shape = {*drawn, kInstances, MaxNodes(*drawn)};
  for (const int64_t number : {int64_t{0}, int64_t{1}, int64_t{77}, int64_t{1} << 33}) {
    const TrainingBatch batch = *source->Make(number, 1, nullptr);
    const NetworkBatch& expected = batch.parts.front().batch;
    EXPECT_EQ(expected.longest(), shape.nodes);
    std::vector<uint8_t> memory = test::DrawBatchOnCpu(shape, number);
    const InstanceTask actual = test::TaskAt(memory.data(), shape);
    for (int32_t b = 0; b < kInstances; ++b) {
      SCOPED_TRACE(b);
      const RoutingProblem& problem = expected.problems[static_cast<size_t>(b)];
      test::ExpectSameRules(actual.rules[b], MakeStepRules(problem));
      EXPECT_EQ(actual.scales[b], problem.scale);
      EXPECT_EQ(actual.sizes[b], problem.nodes);
      EXPECT_EQ(actual.tsp[b], problem.tsp);
      const float* const features = actual.features + int64_t{b} * shape.nodes * kNodeFeatures;
      const float* const expected_features = &expected.features[static_cast<size_t>(
          int64_t{expected.first_rows[static_cast<size_t>(b)]} * kNodeFeatures)];
      const size_t bytes = static_cast<size_t>(problem.nodes) * kNodeFeatures * sizeof(float);
      ASSERT_EQ(std::memcmp(features, expected_features, bytes), 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Problems, DrawnByDeviceTest,
    testing::Values(DrawnCase{.name = "Cvrp20"}, DrawnCase{.name = "Cvrp50", .customers = 50},
                    DrawnCase{.name = "OneCustomer", .customers = 1},
                    DrawnCase{.name = "Tsp", .kinds = {ProblemKind::kTsp}, .customers = 10},
                    DrawnCase{.name = "Capacity", .capacity = {33, 33}},
                    DrawnCase{.name = "Capacities", .capacity = {20, 60}},
                    DrawnCase{.name = "CvrpAndTsp",
                              .kinds = {ProblemKind::kCvrp, ProblemKind::kTsp},
                              .capacity = {9, 1000}},
                    DrawnCase{.name = "TspAndCvrp",
                              .kinds = {ProblemKind::kTsp, ProblemKind::kCvrp},
                              .customers = 37,
                              .seed = uint64_t{1} << 40}),
    [](const auto& drawn_case) { return drawn_case.param.name; });

TEST(DrawnByDeviceChoiceTest, NamesTheUnsupportedSetting) {
  const auto reason = [](auto change) {
    ProblemConfig problem;
    change(problem);
    const auto drawn = DeviceDistribution(problem);
    EXPECT_EQ(drawn.status().code(), absl::StatusCode::kUnimplemented);
    return std::string(drawn.status().message());
  };
  EXPECT_EQ(reason([](auto& p) {
              p.layouts = {Layout::kUniform, Layout::kClustered};
            }),
            "layouts: clustered");
  EXPECT_EQ(reason([](auto& p) {
              p.kinds = {ProblemKind::kCvrp, ProblemKind::kVrptw};
            }),
            "kinds: vrptw");
  EXPECT_EQ(reason([](auto& p) {
              p.kinds = {ProblemKind::kCvrp, ProblemKind::kCvrp, ProblemKind::kTsp};
            }),
            "kinds: a kind is repeated");
  EXPECT_EQ(reason([](auto& p) { p.instances = {"own.jsonl"}; }),
            "instances: read from files, not generated");
  EXPECT_EQ(reason([](auto& p) {
              p.customers = {5, 6};
            }),
            "customers: got several sizes, wanted one");
  EXPECT_EQ(reason([](auto& p) { p.open_routes = 0.5; }), "open_routes: above 0");
  EXPECT_EQ(reason([](auto& p) { p.distance_limit = 0.5; }), "distance_limit: above 0");
  EXPECT_EQ(reason([](auto& p) { p.backhauls = 0.5; }), "backhauls: above 0");
}

}  // namespace
}  // namespace vrp
