#include "core/kernels/lstm/lstm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/kernels/dense/dense.h"
#include "tests/kernels/random_values.h"

namespace vrp {
namespace {

constexpr int64_t kLstmHidden = 32;     // the weights fill several panels
constexpr int64_t kLstmSequences = 13;  // more than the rows of a block
constexpr int64_t kLstmRows = 39;       // in all steps

// One layer's inputs for one sequence of 4 steps, 11 sequences of 3 and one of 2.
struct Problem {
  std::vector<int32_t> first = {0, 13, 26, 38, kLstmRows};
  std::vector<double> weight = RandomValues<double>(4 * kLstmHidden * kLstmHidden, 1);  // W_hh
  std::vector<double> inputs = RandomValues<double>(kLstmRows * 4 * kLstmHidden, 2);
  std::vector<double> hidden = RandomValues<double>(kLstmSequences * kLstmHidden, 3);
  std::vector<double> cell = RandomValues<double>(kLstmSequences * kLstmHidden, 4);
  // The loss's gradient with respect to the outputs.
  std::vector<double> d_outputs = RandomValues<double>(kLstmRows * kLstmHidden, 5);
};

// Returns the outputs, computed by plain loops.
std::vector<double> PlainOutputs(const Problem& p) {
  std::vector<double> hidden = p.hidden;
  std::vector<double> cell = p.cell;
  std::vector<double> outputs;
  for (size_t t = 0; t + 1 < p.first.size(); ++t) {
    for (int32_t r = 0; r < p.first[t + 1] - p.first[t]; ++r) {
      std::vector<double> gates(4 * kLstmHidden);
      for (int64_t g = 0; g < 4 * kLstmHidden; ++g) {
        gates[g] = p.inputs[(p.first[t] + r) * 4 * kLstmHidden + g];
        for (int64_t h = 0; h < kLstmHidden; ++h) {
          gates[g] += p.weight[g * kLstmHidden + h] * hidden[r * kLstmHidden + h];
        }
      }
      for (int64_t h = 0; h < kLstmHidden; ++h) {
        double& c = cell[r * kLstmHidden + h];
        c = Sigmoid(gates[kLstmHidden + h]) * c +
            Sigmoid(gates[h]) * std::tanh(gates[2 * kLstmHidden + h]);
        hidden[r * kLstmHidden + h] = Sigmoid(gates[3 * kLstmHidden + h]) * std::tanh(c);
        outputs.push_back(hidden[r * kLstmHidden + h]);
      }
    }
  }
  return outputs;
}

double PlainLoss(const Problem& p) {
  const std::vector<double> outputs = PlainOutputs(p);
  double loss = 0;
  for (size_t i = 0; i < outputs.size(); ++i) loss += p.d_outputs[i] * outputs[i];
  return loss;
}

template <typename T>
struct LayerRun {
  static constexpr int64_t kStride = GateStride<T>(kLstmHidden);
  std::vector<T> gates, cells, hiddens, d_hiddens, d_cells, d_weight;
  LstmRun<T> run;

  LayerRun(const Problem& p, Isa isa, bool from_zero = false)
      : gates(kLstmRows * kStride),
        cells((kLstmSequences + kLstmRows) * kLstmHidden),
        hiddens((kLstmSequences + kLstmRows) * kLstmHidden),
        d_hiddens((kLstmSequences + kLstmRows) * kLstmHidden),
        d_cells(kLstmSequences * kLstmHidden),
        d_weight(p.weight.size()) {
    const std::vector<T> weight(p.weight.begin(), p.weight.end());
    std::vector<T> packed(weight.size());
    const DenseKernels<T>& dense = DenseKernelsFor<T>(isa);
    for (int64_t r = 0; r < kLstmRows; ++r) {
      std::copy_n(p.inputs.begin() + r * 4 * kLstmHidden, 4 * kLstmHidden,
                  gates.begin() + r * kStride);
    }
    std::copy(p.cell.begin(), p.cell.end(), cells.begin());
    std::copy(p.hidden.begin(), p.hidden.end(), hiddens.begin());
    run = {.first = p.first,
           .hidden_size = kLstmHidden,
           .from_zero = from_zero,
           .gates = gates.data(),
           .cells = cells.data(),
           .hiddens = hiddens.data()};
    dense.pack(weight.data(), 1, kLstmHidden, {0, kLstmHidden, 4 * kLstmHidden}, packed.data());
    const LstmKernels<T>& lstm = LstmKernelsFor<T>(isa);
    LstmForward<T>(lstm, packed.data(), run);
    std::copy(p.d_outputs.begin(), p.d_outputs.end(),
              d_hiddens.begin() + kLstmSequences * kLstmHidden);
    dense.pack(weight.data(), kLstmHidden, 1, {0, 4 * kLstmHidden, kLstmHidden}, packed.data());
    LstmBackward<T>(lstm, packed.data(), run, d_hiddens.data(), d_cells.data());
    std::vector<T> before(kLstmRows * kLstmHidden);
    GatherPreviousHidden<T>(run, before.data());
    std::vector<T> scratch(static_cast<size_t>(lstm.weight_scratch(kLstmHidden)));
    lstm.add_weight_gradient({kLstmRows, gates.data(), kStride, 4 * kLstmHidden, before.data(),
                              kLstmHidden, d_weight.data(), nullptr, scratch.data()});
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
    ASSERT_NEAR(run.hiddens[kLstmSequences * kLstmHidden + i], outputs[i], tolerance) << i;
  }
  std::vector<T> d_inputs;
  for (int64_t r = 0; r < kLstmRows; ++r) {
    const auto row = run.gates.begin() + r * LayerRun<T>::kStride;
    d_inputs.insert(d_inputs.end(), row, row + 4 * kLstmHidden);
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

TEST_P(LstmTest, InitialZerosEqualAnAbsentInitialState) {
  Problem p;
  std::fill(p.hidden.begin(), p.hidden.end(), 0.0);
  const LayerRun<float> with_zeros(p, GetParam());
  const LayerRun<float> without_state(p, GetParam(), true);
  EXPECT_EQ(with_zeros.hiddens, without_state.hiddens);
  EXPECT_EQ(with_zeros.gates, without_state.gates);
  EXPECT_EQ(with_zeros.d_weight, without_state.d_weight);
}

TEST_P(LstmTest, PacksWeightsLikeTheDenseKernels) {
  constexpr int64_t kOutputs = 48;  // not a whole number of panels
  constexpr int64_t kInputs = 80;
  const std::vector<double> values = RandomValues<double>(kOutputs * kInputs, 6);
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
