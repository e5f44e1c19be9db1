#include "core/kernels/lstm/lstm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/random.h"
#include "core/kernels/dense/dense.h"

namespace vrp {
namespace {

constexpr int64_t kHidden = 32;     // weights of several panels
constexpr int64_t kSequences = 13;  // more than a block has rows
constexpr int64_t kRows = 39;       // of all steps

std::vector<double> RandomValues(int64_t count, uint64_t stream) {
  CounterRandom random(7, stream);
  std::vector<double> values(static_cast<size_t>(count));
  for (double& value : values) value = random.UniformDouble() - 0.5;
  return values;
}

// One sequence of 4 steps, 11 of 3 and one of 2, one layer.
struct Problem {
  std::vector<int32_t> first = {0, 13, 26, 38, kRows};
  std::vector<double> weight = RandomValues(4 * kHidden * kHidden, 1);  // W_hh
  std::vector<double> inputs = RandomValues(kRows * 4 * kHidden, 2);
  std::vector<double> hidden = RandomValues(kSequences * kHidden, 3);
  std::vector<double> cell = RandomValues(kSequences * kHidden, 4);
  std::vector<double> wanted =
      RandomValues(kRows * kHidden, 5);  // the loss's gradient by the outputs
};

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// Outputs [8, H] by plain loops.
std::vector<double> PlainOutputs(const Problem& p) {
  std::vector<double> hidden = p.hidden;
  std::vector<double> cell = p.cell;
  std::vector<double> outputs;
  for (size_t t = 0; t + 1 < p.first.size(); ++t) {
    for (int32_t r = 0; r < p.first[t + 1] - p.first[t]; ++r) {
      std::vector<double> gates(4 * kHidden);
      for (int64_t g = 0; g < 4 * kHidden; ++g) {
        gates[g] = p.inputs[(p.first[t] + r) * 4 * kHidden + g];
        for (int64_t h = 0; h < kHidden; ++h) {
          gates[g] += p.weight[g * kHidden + h] * hidden[r * kHidden + h];
        }
      }
      for (int64_t h = 0; h < kHidden; ++h) {
        double& c = cell[r * kHidden + h];
        c = Sigmoid(gates[kHidden + h]) * c + Sigmoid(gates[h]) * std::tanh(gates[2 * kHidden + h]);
        hidden[r * kHidden + h] = Sigmoid(gates[3 * kHidden + h]) * std::tanh(c);
        outputs.push_back(hidden[r * kHidden + h]);
      }
    }
  }
  return outputs;
}

double PlainLoss(const Problem& p) {
  const std::vector<double> outputs = PlainOutputs(p);
  double loss = 0;
  for (size_t i = 0; i < outputs.size(); ++i) loss += p.wanted[i] * outputs[i];
  return loss;
}

template <typename T>
struct LayerRun {
  static constexpr int64_t kStride = GateStride<T>(kHidden);
  std::vector<T> gates, cells, hiddens, d_hiddens, d_cells, d_weight;
  LstmRun<T> run;

  LayerRun(const Problem& p, Isa isa, bool from_zero = false)
      : gates(kRows * kStride),
        cells((kSequences + kRows) * kHidden),
        hiddens((kSequences + kRows) * kHidden),
        d_hiddens((kSequences + kRows) * kHidden),
        d_cells(kSequences * kHidden),
        d_weight(p.weight.size()) {
    const std::vector<T> weight(p.weight.begin(), p.weight.end());
    std::vector<T> packed(weight.size());
    const DenseKernels<T>& dense = DenseKernelsFor<T>(isa);
    for (int64_t r = 0; r < kRows; ++r) {
      std::copy_n(p.inputs.begin() + r * 4 * kHidden, 4 * kHidden, gates.begin() + r * kStride);
    }
    std::copy(p.cell.begin(), p.cell.end(), cells.begin());
    std::copy(p.hidden.begin(), p.hidden.end(), hiddens.begin());
    run = {.first = p.first,
           .hidden_size = kHidden,
           .from_zero = from_zero,
           .gates = gates.data(),
           .cells = cells.data(),
           .hiddens = hiddens.data()};
    dense.pack(weight.data(), 1, kHidden, {0, kHidden, 4 * kHidden}, packed.data());
    const LstmKernels<T>& lstm = LstmKernelsFor<T>(isa);
    LstmForward<T>(lstm, packed.data(), run);
    std::copy(p.wanted.begin(), p.wanted.end(), d_hiddens.begin() + kSequences * kHidden);
    dense.pack(weight.data(), kHidden, 1, {0, 4 * kHidden, kHidden}, packed.data());
    LstmBackward<T>(lstm, packed.data(), run, d_hiddens.data(), d_cells.data());
    std::vector<T> before(kRows * kHidden);
    GatherBefore<T>(run, before.data());
    std::vector<T> scratch(static_cast<size_t>(lstm.weight_scratch(kHidden)));
    lstm.add_weight_gradient({kRows, gates.data(), kStride, 4 * kHidden, before.data(), kHidden,
                              d_weight.data(), nullptr, scratch.data()});
  }
};

template <typename T>
void ExpectGradient(Problem& p, std::vector<double>& values, const T* gradient, double tolerance) {
  constexpr double kStep = 1e-5;
  for (size_t i = 0; i < values.size(); i += 29) {
    const double value = values[i];
    values[i] = value + kStep;
    const double above = PlainLoss(p);
    values[i] = value - kStep;
    const double below = PlainLoss(p);
    values[i] = value;
    ASSERT_NEAR(gradient[i], (above - below) / (2 * kStep), tolerance) << i;
  }
}

template <typename T>
void ExpectPlainLoopsAndDifferences(Isa isa, double tolerance) {
  Problem p;
  LayerRun<T> run(p, isa);
  const std::vector<double> outputs = PlainOutputs(p);
  for (size_t i = 0; i < outputs.size(); ++i) {
    ASSERT_NEAR(run.hiddens[kSequences * kHidden + i], outputs[i], tolerance) << i;
  }
  std::vector<T> d_inputs;
  for (int64_t r = 0; r < kRows; ++r) {
    const auto row = run.gates.begin() + r * LayerRun<T>::kStride;
    d_inputs.insert(d_inputs.end(), row, row + 4 * kHidden);
  }
  ExpectGradient(p, p.inputs, d_inputs.data(), tolerance);
  ExpectGradient(p, p.hidden, run.d_hiddens.data(), tolerance);
  ExpectGradient(p, p.cell, run.d_cells.data(), tolerance);
  ExpectGradient(p, p.weight, run.d_weight.data(), tolerance);
}

class LstmTest : public testing::TestWithParam<Isa> {};

TEST_P(LstmTest, EqualsPlainLoopsAndTheirCentralDifferencesInDouble) {
  ExpectPlainLoopsAndDifferences<double>(GetParam(), 1e-8);
}

TEST_P(LstmTest, EqualsPlainLoopsAndTheirCentralDifferencesInFloat) {
  ExpectPlainLoopsAndDifferences<float>(GetParam(), 5e-6);
}

TEST_P(LstmTest, BeginsFromZeroAsFromAStateOfZeros) {
  Problem p;
  std::fill(p.hidden.begin(), p.hidden.end(), 0.0);
  const LayerRun<float> given(p, GetParam());
  const LayerRun<float> known(p, GetParam(), true);
  EXPECT_EQ(given.hiddens, known.hiddens);
  EXPECT_EQ(given.gates, known.gates);
  EXPECT_EQ(given.d_weight, known.d_weight);
}

TEST_P(LstmTest, PacksWeightsAsTheDenseKernelsDo) {
  constexpr int64_t kOutputs = 48;  // not a whole number of panels
  constexpr int64_t kInputs = 80;
  const std::vector<double> values = RandomValues(kOutputs * kInputs, 6);
  const std::vector<float> weights(values.begin(), values.end());
  const DenseKernels<float>& dense = DenseKernelsFor<float>(GetParam());
  std::vector<float> forward(weights.size()), back(weights.size()), wanted(weights.size());
  LstmKernelsFor<float>(GetParam())
      .pack(weights.data(), kOutputs, kInputs, forward.data(), back.data());
  dense.pack(weights.data(), 1, kInputs, {0, kInputs, kOutputs}, wanted.data());
  EXPECT_EQ(forward, wanted);
  dense.pack(weights.data(), kInputs, 1, {0, kOutputs, kInputs}, wanted.data());
  EXPECT_EQ(back, wanted);
}

INSTANTIATE_TEST_SUITE_P(Isas, LstmTest, testing::ValuesIn(UsableIsas()));

}  // namespace
}  // namespace vrp
