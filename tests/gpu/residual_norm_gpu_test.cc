// Compares the kernels of a residual connection with an instance norm with plain loops on the CPU.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/kernels/residual_norm/residual_norm.h"
#include "gtest/gtest.h"
#include "tests/gpu/device_buffer.h"
#include "tests/gpu/gpu_testing.h"
#include "tests/kernels/random_values.h"

namespace vrp {
namespace {

using test::Buffer;

struct NormCase {
  int32_t nodes;
  int32_t hidden;
  std::vector<float> sizes;  // number of valid nodes of each instance
  float offset = 0;          // is added to all inputs
};

template <typename T>
std::vector<T> Stored(const std::vector<float>& values) {
  std::vector<T> stored(values.size());
  for (size_t i = 0; i < values.size(); ++i) StoreFloat(values[i], stored[i]);
  return stored;
}

// The arrays of both passes, on the host and on the device.
template <typename T>
class NormArrays {
 public:
  explicit NormArrays(const NormCase& one)
      : one_(one),
        sizes_(one.sizes),
        x_(Drawn(1, one.offset)),
        branch_(Drawn(2, 0)),
        first_(Drawn(3, 0)),
        second_(Drawn(4, 0)),
        scale_(RandomValues<float>(one.hidden, 5)),
        shift_(RandomValues<float>(one.hidden, 6)),
        normed_(x_.host().size()),
        sum_(x_.host().size()),
        mean_(one.sizes.size() * static_cast<size_t>(one.hidden)),
        inverse_(mean_.host().size()),
        affine_(2 * mean_.host().size()) {}

  ResidualNormInputs<T> inputs(bool cuda) {
    return {.instances = static_cast<int32_t>(one_.sizes.size()),
            .nodes = one_.nodes,
            .hidden = one_.hidden,
            .sizes = sizes_.data(cuda),
            .x = x_.data(cuda),
            .branch = branch_.data(cuda),
            .scale = scale_.data(cuda),
            .shift = shift_.data(cuda)};
  }
  ResidualNormOutputs<T> outputs(bool cuda) {
    return {.normed = normed_.data(cuda), .mean = mean_.data(cuda), .inverse = inverse_.data(cuda)};
  }
  ResidualNormGradient<T> gradient(bool cuda, bool two_parts) {
    return {.mean = mean_.data(cuda),
            .inverse = inverse_.data(cuda),
            .first = first_.data(cuda),
            .second = two_parts ? second_.data(cuda) : nullptr,
            .sum = sum_.data(cuda),
            .affine = affine_.data(cuda)};
  }

  void ExpectSameForward(double relative) {
    ExpectNear(normed_, relative);
    ExpectNear(mean_, 1e-5);
    ExpectNear(inverse_, 1e-4);
  }
  void ExpectSameBackward(double relative) {
    ExpectNear(sum_, relative);
    ExpectNear(affine_, 1e-4);
  }

 private:
  std::vector<T> Drawn(uint64_t stream, float offset) const {
    std::vector<float> values = RandomValues<float>(
        static_cast<int64_t>(one_.sizes.size()) * one_.nodes * one_.hidden, stream);
    for (float& value : values) value += offset;
    return Stored<T>(values);
  }

  // Compares with a tolerance relative to the largest number.
  template <typename Value>
  static void ExpectNear(Buffer<Value>& values, double relative) {
    float largest = 0;
    for (const Value value : values.host()) largest = std::max(largest, std::abs(ToFloat(value)));
    const std::vector<Value> actual = values.Download();
    for (size_t i = 0; i < actual.size(); ++i) {
      ASSERT_NEAR(ToFloat(actual[i]), ToFloat(values.host()[i]), relative * double{largest}) << i;
    }
  }

  const NormCase one_;
  Buffer<float> sizes_;
  Buffer<T> x_, branch_, first_, second_;
  Buffer<float> scale_, shift_;
  Buffer<T> normed_, sum_;
  Buffer<float> mean_, inverse_, affine_;
};

class ResidualNormGpuTest : public test::GpuTest, public testing::WithParamInterface<NormCase> {
 protected:
  template <typename T>
  static void ExpectSameAsCpu(double relative) {
    NormArrays<T> arrays(GetParam());
    ResidualNormOnCpu(arrays.inputs(false), arrays.outputs(false));
    const absl::Status forward =
        ResidualNormOnCuda(arrays.inputs(true), arrays.outputs(true), nullptr);
    ASSERT_TRUE(forward.ok()) << forward;
    arrays.ExpectSameForward(relative);
    for (const bool two_parts : {false, true}) {
      ResidualNormBackwardOnCpu(arrays.inputs(false), arrays.gradient(false, two_parts));
      const absl::Status backward = ResidualNormBackwardOnCuda(
          arrays.inputs(true), arrays.gradient(true, two_parts), nullptr);
      ASSERT_TRUE(backward.ok()) << backward;
      arrays.ExpectSameBackward(relative);
    }
  }
};

TEST_P(ResidualNormGpuTest, EqualsTheCpusInFloat) { ExpectSameAsCpu<float>(1e-4); }

TEST_P(ResidualNormGpuTest, EqualsTheCpusInBf16) { ExpectSameAsCpu<Bf16Value>(1.0 / 128); }

INSTANTIATE_TEST_SUITE_P(
    Batches, ResidualNormGpuTest,
    testing::Values(NormCase{.nodes = 11, .hidden = 128, .sizes = {11, 11, 11}},
                    NormCase{.nodes = 51, .hidden = 128, .sizes = {51, 17}},
                    NormCase{.nodes = 120, .hidden = 32, .sizes = {120, 53, 40, 1}},
                    NormCase{.nodes = 7, .hidden = 272, .sizes = {7, 5}, .offset = 20},
                    NormCase{.nodes = 5, .hidden = 16, .sizes = {}}),
    [](const auto& one) {
      return "Nodes" + std::to_string(one.param.nodes) + "Hidden" +
             std::to_string(one.param.hidden);
    });

}  // namespace
}  // namespace vrp
