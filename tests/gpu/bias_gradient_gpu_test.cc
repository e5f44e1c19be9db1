// Compares the kernel of a bias's gradient with plain loops on the CPU.
#include <cmath>
#include <vector>

#include "core/kernels/bias_gradient/bias_gradient.h"
#include "gtest/gtest.h"
#include "tests/gpu/device_buffer.h"
#include "tests/gpu/gpu_testing.h"
#include "tests/kernels/random_values.h"

namespace vrp {
namespace {

using test::Buffer;

template <typename T>
std::vector<T> DrawnRows(int64_t count, uint64_t stream) {
  const std::vector<float> drawn = RandomValues<float>(count, stream);
  std::vector<T> values(drawn.size());
  for (size_t i = 0; i < drawn.size(); ++i) StoreFloat(drawn[i], values[i]);
  return values;
}

class BiasGradientGpuTest : public test::GpuTest {
 protected:
  template <typename T>
  static void ExpectSameAsCpu(int64_t rows, int32_t columns, bool gates) {
    Buffer<T> gradient(DrawnRows<T>(rows * columns, 1));
    Buffer<T> active(DrawnRows<T>(rows * columns, 2));
    Buffer<T> gated(gradient.host().size());
    BiasGradientTask<T> task = {.rows = rows, .columns = columns};
    Buffer<float> sums(static_cast<size_t>(task.blocks() * columns));
    const auto on = [&](bool cuda) {
      task.gradient = gradient.data(cuda);
      task.active = gates ? active.data(cuda) : nullptr;
      task.gated = gates ? gated.data(cuda) : nullptr;
      task.sums = sums.data(cuda);
      return task;
    };
    SumBiasGradientOnCpu(on(false));
    const absl::Status status = SumBiasGradientOnCuda(on(true), nullptr);
    ASSERT_TRUE(status.ok()) << status;
    const std::vector<float> actual = sums.Download();
    for (size_t i = 0; i < actual.size(); ++i) {
      ASSERT_NEAR(actual[i], sums.host()[i], 1e-4) << i;
    }
    const std::vector<T> passed = gated.Download();
    for (size_t i = 0; i < passed.size(); ++i) {
      ASSERT_EQ(ToFloat(passed[i]), ToFloat(gated.host()[i])) << i;
    }
  }
};

TEST_F(BiasGradientGpuTest, EqualsTheCpus) {
  for (const bool gates : {false, true}) {
    ExpectSameAsCpu<float>(2 * kBiasRows + 37, 48, gates);
    ExpectSameAsCpu<Bf16Value>(kBiasRows, 144, gates);
    ExpectSameAsCpu<Bf16Value>(3, 512, gates);
    ExpectSameAsCpu<float>(0, 16, gates);
  }
}

}  // namespace
}  // namespace vrp
