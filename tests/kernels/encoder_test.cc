#include "core/kernels/encoder/encoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/isa.h"
#include "tests/kernels/encoder_parameters.h"
#include "tests/kernels/encoder_reference.h"

namespace vrp {
namespace {

using testing_support::EncoderParameters;
using testing_support::EncoderReference;
using testing_support::MakeEncoderParameters;
using testing_support::RandomInputs;

// Instances with the given numbers of nodes. An instance's inputs do not depend on its position.
class Group {
 public:
  Group(const EncoderShape& shape, const std::vector<int32_t>& sizes, uint64_t first_stream = 500)
      : shape_(shape), first_rows_{0} {
    for (size_t b = 0; b < sizes.size(); ++b) {
      const uint64_t stream = first_stream + 2 * static_cast<uint64_t>(sizes[b]);
      first_rows_.push_back(first_rows_.back() + sizes[b]);
      const std::vector<double> x = RandomInputs(int64_t{sizes[b]} * shape.hidden, stream);
      x_.insert(x_.end(), x.begin(), x.end());
      edges_.push_back(
          RandomInputs(int64_t{shape.edge_features} * sizes[b] * sizes[b], stream + 1));
    }
  }
  int64_t rows() const { return first_rows_.back(); }
  size_t instances() const { return edges_.size(); }
  std::vector<double>& x() { return x_; }
  const std::vector<int32_t>& first_rows() const { return first_rows_; }
  const std::vector<double>& edges(size_t b) const { return edges_[b]; }

  std::vector<double> Reference(const EncoderParameters& parameters, bool bf16 = false) const {
    std::vector<double> all;
    for (size_t b = 0; b < instances(); ++b) {
      const std::vector<double> x(x_.begin() + first_rows_[b] * shape_.hidden,
                                  x_.begin() + first_rows_[b + 1] * shape_.hidden);
      const std::vector<double> y = EncoderReference(shape_, parameters, bf16).Encode(x, edges_[b]);
      all.insert(all.end(), y.begin(), y.end());
    }
    return all;
  }

 private:
  EncoderShape shape_;
  std::vector<int32_t> first_rows_;
  std::vector<double> x_;
  std::vector<std::vector<double>> edges_;
};

template <typename T>
struct Passes {
  std::vector<T> y;
  std::vector<T> dx;
  std::vector<T> gradient;
};

// Runs the encoder's passes over `group`. With an empty `dy`, runs only forward and saves nothing.
template <typename T>
Passes<T> RunEncoder(const EncoderShape& shape, std::unique_ptr<Encoder<T>> encoder,
                     const EncoderParameters& parameters, Group& group,
                     const std::vector<double>& dy) {
  const std::vector<T> values(parameters.values.begin(), parameters.values.end());
  encoder->Pack(values.data());
  std::vector<std::vector<T>> edges;
  for (size_t b = 0; b < group.instances(); ++b) {
    edges.emplace_back(group.edges(b).begin(), group.edges(b).end());
  }
  std::vector<const T*> edge_pointers;
  for (const std::vector<T>& e : edges) edge_pointers.push_back(e.data());
  EncoderGroup<T> arguments{group.first_rows(), {}};
  if (shape.edge_features > 0) arguments.edges = edge_pointers;
  // The memory's old content must not matter.
  const T garbage = std::numeric_limits<T>::quiet_NaN();
  std::vector<T> saved(encoder->SavedSize(group.first_rows()), garbage);
  std::vector<T> scratch(encoder->ScratchSize(group.first_rows()), garbage);
  Passes<T> result;
  result.y.assign(group.x().begin(), group.x().end());
  encoder->Forward(arguments, result.y.data(), dy.empty() ? nullptr : saved.data(), scratch.data());
  if (dy.empty()) return result;
  std::fill(scratch.begin(), scratch.end(), garbage);
  result.dx.assign(dy.begin(), dy.end());
  result.gradient.assign(values.size(), T{0});
  encoder->Backward(arguments, result.dx.data(), saved.data(), scratch.data(),
                    result.gradient.data());
  return result;
}

template <typename T>
Passes<T> RunEncoder(const EncoderShape& shape, Isa isa, const EncoderParameters& parameters,
                     Group& group, const std::vector<double>& dy) {
  return RunEncoder<T>(shape, MakeEncoder<T>(shape, parameters.layers, isa), parameters, group, dy);
}

Passes<float> RunBf16Encoder(const EncoderShape& shape, Bf16 bf16,
                             const EncoderParameters& parameters, Group& group,
                             const std::vector<double>& dy) {
  return RunEncoder<float>(shape, MakeBf16Encoder(shape, parameters.layers, bf16), parameters,
                           group, dy);
}

double Dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

struct Case {
  int32_t hidden;
  int32_t heads;
  int32_t feed_forward;
  int32_t edge_features;
};

EncoderShape ShapeOf(const Case& c, NormKind norm) {
  EncoderShape s;
  s.hidden = c.hidden;
  s.heads = c.heads;
  s.feed_forward = c.feed_forward;
  s.edge_features = c.edge_features;
  s.layers = 2;
  s.norm = norm;
  return s;
}

class EncoderTest : public testing::TestWithParam<std::tuple<Isa, NormKind, Case>> {
 protected:
  Isa isa() const { return std::get<0>(GetParam()); }
  EncoderShape shape() const { return ShapeOf(std::get<2>(GetParam()), std::get<1>(GetParam())); }
};

TEST_P(EncoderTest, ForwardEqualsPlainLoops) {
  const EncoderShape s = shape();
  const EncoderParameters parameters = MakeEncoderParameters(s);
  Group group(s, {5, 1, 17, 33, 2});
  const std::vector<double> wanted = group.Reference(parameters);
  const std::vector<double> got = RunEncoder<double>(s, isa(), parameters, group, {}).y;
  const std::vector<float> in_float = RunEncoder<float>(s, isa(), parameters, group, {}).y;
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    ASSERT_NEAR(got[i], wanted[i], 1e-10) << i;
    ASSERT_NEAR(in_float[i], wanted[i], 2e-4) << i;
  }
}

// Compares derivatives with respect to single parameters and inputs with central differences of the
// float64 encoder.
TEST_P(EncoderTest, GradientsEqualCentralDifferences) {
  const EncoderShape s = shape();
  EncoderParameters parameters = MakeEncoderParameters(s);
  Group group(s, {5, 1, 19});
  const std::vector<double> dy = RandomInputs(group.rows() * s.hidden, 77);
  const Passes<double> passes = RunEncoder<double>(s, isa(), parameters, group, dy);
  const auto slope = [&](double& value) {
    constexpr double kStep = 1e-5;
    const double before = value;
    value = before + kStep;
    const double above = Dot(RunEncoder<double>(s, isa(), parameters, group, {}).y, dy);
    value = before - kStep;
    const double below = Dot(RunEncoder<double>(s, isa(), parameters, group, {}).y, dy);
    value = before;
    return (above - below) / (2 * kStep);
  };
  CounterRandom random(3, 1);
  for (const EncoderParameters::Tensor& tensor : parameters.tensors) {
    for (int trial = 0; trial < 6 && tensor.count > 0; ++trial) {
      const int64_t at = tensor.first + static_cast<int64_t>(random.UniformDouble() * tensor.count);
      const double wanted = tensor.frozen ? 0 : slope(parameters.values[at]);
      EXPECT_NEAR(passes.gradient[at], wanted, 2e-6 * (1 + std::abs(wanted)))
          << tensor.name << " at " << at - tensor.first;
    }
  }
  for (int trial = 0; trial < 12; ++trial) {
    const auto at = static_cast<size_t>(random.UniformDouble() * group.x().size());
    const double wanted = slope(group.x()[at]);
    EXPECT_NEAR(passes.dx[at], wanted, 2e-6 * (1 + std::abs(wanted))) << "input " << at;
  }
}

TEST_P(EncoderTest, FloatGradientsAreCloseToDouble) {
  const EncoderShape s = shape();
  const EncoderParameters parameters = MakeEncoderParameters(s);
  Group group(s, {21, 1, 11, 40, 200});  // more rows than the encoder handles at once
  const std::vector<double> dy = RandomInputs(group.rows() * s.hidden, 78);
  const Passes<double> wanted = RunEncoder<double>(s, isa(), parameters, group, dy);
  const Passes<float> got = RunEncoder<float>(s, isa(), parameters, group, dy);
  for (const EncoderParameters::Tensor& tensor : parameters.tensors) {
    double error = 0;
    double size = 0;
    for (int64_t i = tensor.first; i < tensor.first + tensor.count; ++i) {
      error += std::pow(got.gradient[i] - wanted.gradient[i], 2);
      size += std::pow(wanted.gradient[i], 2);
    }
    EXPECT_LE(std::sqrt(error), 1e-5 * std::sqrt(size)) << tensor.name;
  }
  double error = 0;
  for (size_t i = 0; i < got.dx.size(); ++i) error += std::pow(got.dx[i] - wanted.dx[i], 2);
  EXPECT_LE(std::sqrt(error), 1e-5 * std::sqrt(Dot(wanted.dx, wanted.dx)));
}

TEST_P(EncoderTest, ForwardOfAnInstanceDoesNotDependOnItsGroup) {
  const EncoderShape s = shape();
  const EncoderParameters parameters = MakeEncoderParameters(s);
  Group together(s, {7, 101, 1, 18, 51});
  const std::vector<float> all = RunEncoder<float>(s, isa(), parameters, together, {}).y;
  for (size_t b = 0; b < together.instances(); ++b) {
    const int32_t first = together.first_rows()[b];
    const int32_t nodes = together.first_rows()[b + 1] - first;
    Group alone(s, {nodes});
    const std::vector<double> dy(static_cast<size_t>(nodes) * s.hidden, 1);
    const std::vector<float> one = RunEncoder<float>(s, isa(), parameters, alone, dy).y;
    for (size_t i = 0; i < one.size(); ++i) {
      ASSERT_EQ(one[i], all[first * static_cast<size_t>(s.hidden) + i]) << b << ", " << i;
    }
  }
}

TEST_P(EncoderTest, BackwardIsDeterministic) {
  const EncoderShape s = shape();
  const EncoderParameters parameters = MakeEncoderParameters(s);
  Group group(s, {21, 1, 11, 40});
  const std::vector<double> dy = RandomInputs(group.rows() * s.hidden, 79);
  const Passes<float> first = RunEncoder<float>(s, isa(), parameters, group, dy);
  const Passes<float> second = RunEncoder<float>(s, isa(), parameters, group, dy);
  EXPECT_EQ(first.gradient, second.gradient);
  EXPECT_EQ(first.dx, second.dx);
}

INSTANTIATE_TEST_SUITE_P(All, EncoderTest,
                         testing::Combine(testing::ValuesIn(UsableIsas()),
                                          testing::Values(NormKind::kInstance,
                                                          NormKind::kFrozenBatch),
                                          testing::Values(Case{32, 2, 48, 0}, Case{64, 8, 64, 4},
                                                          Case{48, 1, 80, 3}, Case{64, 2, 272, 2})),
                         [](const auto& instance) {
                           const Case& c = std::get<2>(instance.param);
                           return std::string(IsaName(std::get<0>(instance.param))) +
                                  (std::get<1>(instance.param) == NormKind::kInstance ? "_instance_"
                                                                                      : "_batch_") +
                                  std::to_string(c.hidden) + "_" + std::to_string(c.heads) + "_" +
                                  std::to_string(c.edge_features);
                         });

class Bf16EncoderTest : public testing::TestWithParam<std::tuple<Bf16, NormKind, Case>> {
 protected:
  Bf16 bf16() const { return std::get<0>(GetParam()); }
  EncoderShape shape() const { return ShapeOf(std::get<2>(GetParam()), std::get<1>(GetParam())); }
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Bf16EncoderTest);

template <typename T>
double Distance(const std::vector<T>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < b.size(); ++i) sum += std::pow(a[i] - b[i], 2);
  return std::sqrt(sum);
}

TEST_P(Bf16EncoderTest, ForwardEqualsPlainLoopsWithRoundedOperands) {
  EncoderShape s = shape();
  s.layers = 1;  // rounding may differ at ties, and more so with each layer
  const EncoderParameters parameters = MakeEncoderParameters(s);
  Group group(s, {5, 1, 17, 33, 2});
  const std::vector<double> wanted = group.Reference(parameters, true);
  const std::vector<float> got = RunBf16Encoder(s, bf16(), parameters, group, {}).y;
  const double rounding = Distance(wanted, group.Reference(parameters));
  EXPECT_GT(rounding, 1e-3 * std::sqrt(Dot(wanted, wanted)));
  EXPECT_LT(Distance(got, wanted), 0.1 * rounding);
}

TEST_P(Bf16EncoderTest, GradientsEqualDoubleUpToRounding) {
  const EncoderShape s = shape();
  const EncoderParameters parameters = MakeEncoderParameters(s);
  Group group(s, {21, 1, 11, 40, 200});
  const std::vector<double> dy = RandomInputs(group.rows() * s.hidden, 78);
  const Passes<double> wanted = RunEncoder<double>(s, Isa::kAvx512, parameters, group, dy);
  const Passes<float> got = RunBf16Encoder(s, bf16(), parameters, group, dy);
  for (const EncoderParameters::Tensor& tensor : parameters.tensors) {
    double error = 0;
    double size = 0;
    for (int64_t i = tensor.first; i < tensor.first + tensor.count; ++i) {
      error += std::pow(got.gradient[i] - wanted.gradient[i], 2);
      size += std::pow(wanted.gradient[i], 2);
    }
    EXPECT_LE(std::sqrt(error), 0.1 * std::sqrt(size)) << tensor.name;
  }
  const double error = Distance(got.dx, wanted.dx) / std::sqrt(Dot(wanted.dx, wanted.dx));
  EXPECT_LT(error, 0.06);
  EXPECT_GT(error, 1e-3);
}

TEST_P(Bf16EncoderTest, ResultsAreDeterministicAndDoNotDependOnTheGroup) {
  const EncoderShape s = shape();
  const EncoderParameters parameters = MakeEncoderParameters(s);
  Group together(s, {7, 1, 18});
  Group alone(s, {7});
  const std::vector<double> dy = RandomInputs(together.rows() * s.hidden, 79);
  const Passes<float> first = RunBf16Encoder(s, bf16(), parameters, together, dy);
  const Passes<float> second = RunBf16Encoder(s, bf16(), parameters, together, dy);
  EXPECT_EQ(first.y, second.y);
  EXPECT_EQ(first.gradient, second.gradient);
  EXPECT_EQ(first.dx, second.dx);
  const std::vector<float> one = RunBf16Encoder(s, bf16(), parameters, alone, {}).y;
  for (size_t i = 0; i < one.size(); ++i) ASSERT_EQ(one[i], first.y[i]) << i;
}

INSTANTIATE_TEST_SUITE_P(
    All, Bf16EncoderTest,
    testing::Combine(testing::ValuesIn(RunnableBf16()),
                     testing::Values(NormKind::kInstance, NormKind::kFrozenBatch),
                     testing::Values(Case{48, 1, 80, 3}, Case{64, 2, 272, 2})));

}  // namespace
}  // namespace vrp
