// Compares LSTM kernels that multiply in bf16 with plain loops that round the operands.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/kernels/lstm/lstm.h"
#include "tests/kernels/random_values.h"
#include "tests/kernels/round_to_bf16.h"

namespace vrp {
namespace {

using Floats = std::vector<float>;

class Bf16LstmTest : public testing::TestWithParam<Bf16> {
 protected:
  const LstmKernels<float>& kernels_ = Bf16LstmKernelsFor(GetParam());

  Floats WorkFor(int64_t rows, int64_t inner) const {
    return Floats(static_cast<size_t>(kernels_.work_size(rows, inner)));
  }
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Bf16LstmTest);

struct Sizes {
  int64_t rows;
  int64_t inputs;
  int64_t outputs;
};
// Sizes with more rows than a block, a pass or a gradient's chunk has, and sizes that end with half
// a panel.
constexpr Sizes kSizes[] = {
    {1, 16, 16}, {13, 80, 48}, {40, 48, 96}, {109, 32, 128}, {347, 96, 112}};

struct Linear {
  Sizes size;
  Floats weights = RandomValues<float>(size.outputs * size.inputs, 1, 11);
  Floats forward = Floats(weights.size());
  Floats back = Floats(weights.size());
  Floats inputs = RandomValues<float>(size.rows * size.inputs, 2, 11);
  Floats outputs = RandomValues<float>(size.rows * size.outputs, 3, 11);

  Linear(const Sizes& sizes, const LstmKernels<float>& kernels) : size(sizes) {
    kernels.pack(weights.data(), size.outputs, size.inputs, forward.data(), back.data());
  }
};

TEST_P(Bf16LstmTest, ProductsEqualPlainLoopsWithRoundedOperands) {
  for (const Sizes& size : kSizes) {
    const Linear linear(size, kernels_);
    const Floats bias = RandomValues<float>(size.outputs, 4, 11);
    Floats got(linear.outputs.size());
    Floats work = WorkFor(size.rows, size.inputs);
    kernels_.multiply({.rows = size.rows,
                       .inner = size.inputs,
                       .columns = size.outputs,
                       .a = linear.inputs.data(),
                       .a_stride = size.inputs,
                       .packed = linear.forward.data(),
                       .bias = bias.data(),
                       .to = got.data(),
                       .to_stride = size.outputs,
                       .work = work.data()});
    for (int64_t r = 0; r < size.rows; ++r) {
      for (int64_t o = 0; o < size.outputs; ++o) {
        double sum = bias[o];
        for (int64_t i = 0; i < size.inputs; ++i) {
          sum += RoundToBf16(linear.inputs[r * size.inputs + i]) *
                 RoundToBf16(linear.weights[o * size.inputs + i]);
        }
        ASSERT_NEAR(got[r * size.outputs + o], sum, 1e-5) << size.rows << " " << r << " " << o;
      }
    }
  }
}

TEST_P(Bf16LstmTest, BackwardProductsEqualPlainLoopsWithRoundedOperands) {
  for (const Sizes& size : kSizes) {
    const Linear linear(size, kernels_);
    Floats got = linear.inputs;
    Floats work = WorkFor(size.rows, size.outputs);
    kernels_.multiply({.rows = size.rows,
                       .inner = size.outputs,
                       .columns = size.inputs,
                       .a = linear.outputs.data(),
                       .a_stride = size.outputs,
                       .packed = linear.back.data(),
                       .add = true,
                       .to = got.data(),
                       .to_stride = size.inputs,
                       .work = work.data()});
    for (int64_t r = 0; r < size.rows; ++r) {
      for (int64_t i = 0; i < size.inputs; ++i) {
        double sum = linear.inputs[r * size.inputs + i];
        for (int64_t o = 0; o < size.outputs; ++o) {
          sum += RoundToBf16(linear.outputs[r * size.outputs + o]) *
                 RoundToBf16(linear.weights[o * size.inputs + i]);
        }
        ASSERT_NEAR(got[r * size.inputs + i], sum, 1e-5) << size.rows << " " << r << " " << i;
      }
    }
  }
}

TEST_P(Bf16LstmTest, RoundsOperandsOfWeightGradientsButNotOfBiasGradients) {
  for (const Sizes& size : kSizes) {
    const Linear linear(size, kernels_);
    Floats got = linear.weights;
    Floats bias(static_cast<size_t>(size.outputs), 1.0f);
    Floats scratch(static_cast<size_t>(kernels_.weight_scratch(size.inputs)));
    kernels_.add_weight_gradient({size.rows, linear.outputs.data(), size.outputs, size.outputs,
                                  linear.inputs.data(), size.inputs, got.data(), bias.data(),
                                  scratch.data()});
    for (int64_t o = 0; o < size.outputs; ++o) {
      double column = 1;
      for (int64_t r = 0; r < size.rows; ++r) column += linear.outputs[r * size.outputs + o];
      ASSERT_NEAR(bias[o], column, 1e-4) << size.rows << " " << o;
      for (int64_t i = 0; i < size.inputs; ++i) {
        double sum = linear.weights[o * size.inputs + i];
        for (int64_t r = 0; r < size.rows; ++r) {
          sum += RoundToBf16(linear.outputs[r * size.outputs + o]) *
                 RoundToBf16(linear.inputs[r * size.inputs + i]);
        }
        ASSERT_NEAR(got[o * size.inputs + i], sum, 5e-5) << size.rows << " " << o << " " << i;
      }
    }
  }
}

// One step of kRows rows with its inputs and outputs.
struct StepCase {
  static constexpr int64_t kRows = 13;
  static constexpr int64_t kHidden = 48;
  static constexpr int64_t kStride = GateStride<float>(kHidden);
  Floats weights = RandomValues<float>(4 * kHidden * kHidden, 1, 11);
  Floats forward = Floats(weights.size());
  Floats back = Floats(weights.size());
  Floats hidden = RandomValues<float>(kRows * kHidden, 2, 11);
  Floats cell = RandomValues<float>(kRows * kHidden, 3, 11);
  Floats inputs = RandomValues<float>(kRows * kStride, 4, 11);
  Floats gates = inputs;
  Floats next_cell = Floats(hidden.size());
  Floats next_hidden = Floats(hidden.size());

  StepCase(const LstmKernels<float>& kernels, float* work) {
    kernels.pack(weights.data(), 4 * kHidden, kHidden, forward.data(), back.data());
    kernels.step({.rows = kRows,
                  .hidden_size = kHidden,
                  .packed = forward.data(),
                  .hidden = hidden.data(),
                  .cell = cell.data(),
                  .gates = gates.data(),
                  .next_cell = next_cell.data(),
                  .next_hidden = next_hidden.data(),
                  .work = work});
  }
};

TEST_P(Bf16LstmTest, StepsRoundOnlyTheOperandsOfTheProduct) {
  Floats work = WorkFor(StepCase::kRows, StepCase::kHidden);
  const StepCase c(kernels_, work.data());
  for (int64_t r = 0; r < c.kRows; ++r) {
    for (int64_t h = 0; h < c.kHidden; ++h) {
      double gates[4];
      for (int64_t g = 0; g < 4; ++g) {
        const int64_t row = g * c.kHidden + h;
        gates[g] = c.inputs[r * c.kStride + row];
        for (int64_t i = 0; i < c.kHidden; ++i) {
          gates[g] += RoundToBf16(c.hidden[r * c.kHidden + i]) *
                      RoundToBf16(c.weights[row * c.kHidden + i]);
        }
      }
      const double cell =
          Sigmoid(gates[1]) * c.cell[r * c.kHidden + h] + Sigmoid(gates[0]) * std::tanh(gates[2]);
      ASSERT_NEAR(c.next_cell[r * c.kHidden + h], cell, 1e-5) << r << " " << h;
      ASSERT_NEAR(c.next_hidden[r * c.kHidden + h], Sigmoid(gates[3]) * std::tanh(cell), 1e-5);
    }
  }
}

TEST_P(Bf16LstmTest, BackwardStepsRoundTheGatesGradientInTheProduct) {
  Floats work = WorkFor(StepCase::kRows, 4 * StepCase::kHidden);
  StepCase c(kernels_, work.data());
  const Floats d_hidden = RandomValues<float>(c.kRows * c.kHidden, 5, 11);
  Floats d_cell = RandomValues<float>(c.kRows * c.kHidden, 6, 11);
  const Floats initial = RandomValues<float>(c.kRows * c.kHidden, 7, 11);
  Floats d_before = initial;
  kernels_.backward_step({.rows = c.kRows,
                          .hidden_size = c.kHidden,
                          .packed = c.back.data(),
                          .cell = c.cell.data(),
                          .next_cell = c.next_cell.data(),
                          .d_hidden = d_hidden.data(),
                          .d_cell = d_cell.data(),
                          .gates = c.gates.data(),
                          .d_before = d_before.data(),
                          .work = work.data()});
  for (int64_t r = 0; r < c.kRows; ++r) {
    for (int64_t h = 0; h < c.kHidden; ++h) {
      double sum = initial[r * c.kHidden + h];
      for (int64_t g = 0; g < 4 * c.kHidden; ++g) {
        sum += RoundToBf16(c.gates[r * c.kStride + g]) * RoundToBf16(c.weights[g * c.kHidden + h]);
      }
      ASSERT_NEAR(d_before[r * c.kHidden + h], sum, 1e-5) << r << " " << h;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Bf16LstmTest, testing::ValuesIn(RunnableBf16()));

}  // namespace
}  // namespace vrp
