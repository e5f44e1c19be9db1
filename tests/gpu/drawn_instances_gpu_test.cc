// Compares instances drawn by CUDA with the same program on the CPU.
#include <cstring>
#include <ostream>
#include <vector>

#include "core/kernels/instances/device_instances.h"
#include "tests/gpu/device_buffer.h"
#include "tests/gpu/gpu_testing.h"
#include "tests/kernels/drawn_instances.h"

namespace vrp {
namespace {

struct DrawnCase {
  const char* name;
  UniformInstances drawn;
};
void PrintTo(const DrawnCase& one, std::ostream* out) { *out << one.name; }

class DrawnInstancesGpuTest : public test::GpuTest,
                              public testing::WithParamInterface<DrawnCase> {};

TEST_P(DrawnInstancesGpuTest, EqualTheCpusBitForBit) {
  constexpr int64_t kBatch = 77;
  const test::DrawnShape shape = {
      .drawn = GetParam().drawn, .instances = test::kEmulated ? 9 : 300, .nodes = 102};
  std::vector<uint8_t> expected_memory = test::DrawBatchOnCpu(shape, kBatch);
  test::Buffer<uint8_t> device_memory(test::UndrawnBatch(shape, kBatch));
  uint8_t* const base = device_memory.data(true);
  const absl::Status status = DrawInstancesOnCuda(test::TaskAt(base, shape), nullptr);
  ASSERT_TRUE(status.ok()) << status;
  std::vector<uint8_t> host_copy = device_memory.Download();
  const InstanceTask expected = test::TaskAt(expected_memory.data(), shape);
  const InstanceTask actual = test::TaskAt(host_copy.data(), shape);
  const auto rebase = [&](const double*& array) {
    if (array == nullptr) return;
    const int64_t offset = reinterpret_cast<const uint8_t*>(array) - base;
    array = reinterpret_cast<const double*>(host_copy.data() + offset);
  };
  for (int32_t b = 0; b < shape.instances; ++b) {
    SCOPED_TRACE(b);
    RoutingProblem& problem = actual.rules[b].problem;
    for (const double** array : {&problem.x, &problem.y, &problem.demands}) rebase(*array);
    test::ExpectSameRules(actual.rules[b], expected.rules[b]);
    EXPECT_EQ(actual.scales[b], expected.scales[b]);
    EXPECT_EQ(actual.sizes[b], expected.sizes[b]);
    EXPECT_EQ(actual.tsp[b], expected.tsp[b]);
    const int64_t row = int64_t{b} * shape.nodes * kNodeFeatures;
    ASSERT_EQ(std::memcmp(actual.features + row, expected.features + row,
                          static_cast<size_t>(shape.nodes) * kNodeFeatures * sizeof(float)),
              0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Problems, DrawnInstancesGpuTest,
    testing::Values(
        DrawnCase{"Cvrp10", {.seed = 1, .customers = 10, .min_capacity = 20, .max_capacity = 20}},
        DrawnCase{"Cvrp100", {.seed = 1, .customers = 100, .min_capacity = 50, .max_capacity = 50}},
        DrawnCase{"TspAndCvrp",
                  {.seed = uint64_t{1} << 40,
                   .customers = 37,
                   .kinds = 2,
                   .kind = {ProblemKind::kTsp, ProblemKind::kCvrp},
                   .min_capacity = 9,
                   .max_capacity = 1000}}),
    [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace vrp
