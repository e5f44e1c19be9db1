// Tests the causal encoder on every instruction set against plain loops in float64.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/isa.h"
#include "core/base/random.h"
#include "core/kernels/encoder/encoder.h"
#include "tests/kernels/encoder_parameters.h"
#include "tests/kernels/round_to_bf16.h"

namespace vrp {
namespace {

using testing_support::EncoderParameters;
using testing_support::MakeEncoderParameters;
using testing_support::RandomInputs;
using CausalRows = std::vector<double>;  // by rows

// Returns parameters of the layers, and of the norm after the last one.
EncoderParameters CausalParameters(const EncoderShape& s) {
  EncoderParameters p = MakeEncoderParameters(s);
  EncoderLayerOffsets last;
  for (int64_t* const offset : {&last.norm1_scale, &last.norm1_shift}) {
    *offset = static_cast<int64_t>(p.values.size());
    const bool is_scale = offset == &last.norm1_scale;
    for (const double value : RandomInputs(s.hidden, is_scale ? 901 : 902)) {
      p.values.push_back((is_scale ? 1 : 0) + 0.4 * value);
    }
    p.tensors.push_back({is_scale ? "last_scale" : "last_shift", *offset, s.hidden, false});
  }
  p.layers.push_back(last);
  return p;
}

bool HasTiles(Bf16 bf16) { return bf16 == Bf16::kTiles || bf16 == Bf16::kEmulatedTiles; }

// The reference, which encodes one sequence x [L, H]. Rounds the operands of the linear layers'
// products with `bf16`, and those of attention, too, if it has tiles.
class CausalReference {
 public:
  CausalReference(const EncoderShape& shape, const EncoderParameters& parameters, Bf16 bf16)
      : s_(shape), p_(parameters), bf16_(bf16) {}

  CausalRows Encode(CausalRows x) const {
    const int64_t h = s_.hidden;
    for (int32_t l = 0; l < s_.layers; ++l) {
      const EncoderLayerOffsets& o = p_.layers[l];
      const CausalRows qkv =
          Linear(Norm(x, o.norm1_scale, o.norm1_shift), h, o.qkv_weight, o.qkv_bias, 3 * h);
      x = Sum(x, Linear(Attend(qkv), h, o.out_weight, o.out_bias, h));
      CausalRows feed = Linear(Norm(x, o.norm2_scale, o.norm2_shift), h, o.feed1_weight,
                               o.feed1_bias, s_.feed_forward);
      for (double& value : feed) value = std::max(value, 0.0);
      x = Sum(x, Linear(feed, s_.feed_forward, o.feed2_weight, o.feed2_bias, h));
    }
    return Norm(x, p_.layers.back().norm1_scale, p_.layers.back().norm1_shift);
  }

 private:
  double At(int64_t offset) const { return p_.values[static_cast<size_t>(offset)]; }
  double Rounded(double value) const { return bf16_ != Bf16::kNone ? RoundToBf16(value) : value; }
  double RoundedByTiles(double value) const { return HasTiles(bf16_) ? RoundToBf16(value) : value; }

  CausalRows Linear(const CausalRows& x, int64_t inputs, int64_t weight, int64_t bias,
                    int64_t outputs) const {
    const int64_t rows = std::ssize(x) / inputs;
    CausalRows y(static_cast<size_t>(rows * outputs));
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t o = 0; o < outputs; ++o) {
        double sum = At(bias + o);
        for (int64_t i = 0; i < inputs; ++i) {
          sum += Rounded(At(weight + o * inputs + i)) * Rounded(x[r * inputs + i]);
        }
        y[r * outputs + o] = sum;
      }
    }
    return y;
  }
  static CausalRows Sum(CausalRows a, const CausalRows& b) {
    for (size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
  }

  CausalRows Attend(const CausalRows& qkv) const {
    const int64_t h = s_.hidden;
    const int64_t length = std::ssize(qkv) / (3 * h);
    const int64_t channels = h / s_.heads;
    CausalRows out(static_cast<size_t>(length * h));
    for (int64_t m = 0; m < h; m += channels) {
      for (int64_t i = 0; i < length; ++i) {
        CausalRows scores(static_cast<size_t>(i + 1));  // exponents of 2
        for (int64_t j = 0; j <= i; ++j) {
          for (int64_t c = m; c < m + channels; ++c) {
            const double query = qkv[i * 3 * h + c] * std::numbers::log2e / std::sqrt(channels);
            scores[j] += RoundedByTiles(query) * RoundedByTiles(qkv[j * 3 * h + h + c]);
          }
        }
        const double highest = *std::max_element(scores.begin(), scores.end());
        double total = 0;
        for (double& score : scores) total += score = std::exp2(score - highest);
        for (int64_t j = 0; j <= i; ++j) {
          for (int64_t c = m; c < m + channels; ++c) {
            out[i * h + c] +=
                RoundedByTiles(scores[j]) * RoundedByTiles(qkv[j * 3 * h + 2 * h + c]) / total;
          }
        }
      }
    }
    return out;
  }

  CausalRows Norm(CausalRows x, int64_t scale, int64_t shift) const {
    const int64_t h = s_.hidden;
    for (int64_t first = 0; first < std::ssize(x); first += h) {
      double mean = 0;
      double variance = 0;
      for (int64_t c = 0; c < h; ++c) mean += x[first + c] / static_cast<double>(h);
      for (int64_t c = 0; c < h; ++c) {
        variance += std::pow(x[first + c] - mean, 2) / static_cast<double>(h);
      }
      for (int64_t c = 0; c < h; ++c) {
        x[first + c] =
            (x[first + c] - mean) / std::sqrt(variance + 1e-5) * At(scale + c) + At(shift + c);
      }
    }
    return x;
  }

  EncoderShape s_;
  const EncoderParameters& p_;
  Bf16 bf16_;
};

// Sequences of the given lengths.
struct Sequences {
  std::vector<int32_t> first_rows = {0};
  CausalRows x;

  Sequences(const EncoderShape& s, const std::vector<int32_t>& lengths) {
    for (const int32_t length : lengths) {
      first_rows.push_back(first_rows.back() + length);
      const CausalRows rows = RandomInputs(int64_t{length} * s.hidden, 300 + length);
      x.insert(x.end(), rows.begin(), rows.end());
    }
  }
};

CausalRows ReferenceOf(const EncoderShape& s, const EncoderParameters& parameters,
                       const Sequences& from, Bf16 bf16 = Bf16::kNone) {
  CausalRows all;
  for (size_t b = 0; b + 1 < from.first_rows.size(); ++b) {
    const CausalRows x(from.x.begin() + int64_t{from.first_rows[b]} * s.hidden,
                       from.x.begin() + int64_t{from.first_rows[b + 1]} * s.hidden);
    const CausalRows y = CausalReference(s, parameters, bf16).Encode(x);
    all.insert(all.end(), y.begin(), y.end());
  }
  return all;
}

template <typename T>
struct CausalPasses {
  std::vector<T> y;
  std::vector<T> dx;
  std::vector<T> gradient;
};

// Runs the passes. With an empty `dy`, runs only forward and saves nothing.
template <typename T>
CausalPasses<T> RunPasses(Encoder<T>& encoder, const EncoderParameters& parameters,
                          const Sequences& from, const CausalRows& dy) {
  const std::vector<T> values(parameters.values.begin(), parameters.values.end());
  encoder.Pack(values.data());
  const T garbage = std::numeric_limits<T>::quiet_NaN();  // the memory's content must not matter
  std::vector<T> saved(static_cast<size_t>(encoder.SavedSize(from.first_rows)), garbage);
  std::vector<T> scratch(static_cast<size_t>(encoder.ScratchSize(from.first_rows)), garbage);
  CausalPasses<T> result{{from.x.begin(), from.x.end()}, {dy.begin(), dy.end()}, {}};
  encoder.Forward({from.first_rows, {}}, result.y.data(), dy.empty() ? nullptr : saved.data(),
                  scratch.data());
  if (dy.empty()) return result;
  std::fill(scratch.begin(), scratch.end(), garbage);
  result.gradient.assign(values.size(), T{0});
  encoder.Backward({from.first_rows, {}}, result.dx.data(), saved.data(), scratch.data(),
                   result.gradient.data());
  return result;
}

template <typename T>
double ProductOf(const std::vector<T>& a, const CausalRows& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

// Returns the distance of elements first .. first + count - 1, as a share of b's norm there.
template <typename T>
double ShareOfError(const std::vector<T>& a, const CausalRows& b, int64_t first, int64_t count) {
  double error = 0;
  double size = 1e-30;
  for (int64_t i = first; i < first + count; ++i) {
    error += std::pow(static_cast<double>(a[i]) - b[i], 2);
    size += b[i] * b[i];
  }
  return std::sqrt(error / size);
}

struct CausalSizes {
  int32_t hidden;
  int32_t heads;
  int32_t feed_forward;
};
constexpr CausalSizes kCausalSizes[] = {
    {64, 4, 256}, {32, 2, 48}, {48, 1, 80}, {64, 8, 64}, {96, 4, 144}};

EncoderShape CausalShape(const CausalSizes& sizes) {
  return {.hidden = sizes.hidden,
          .heads = sizes.heads,
          .feed_forward = sizes.feed_forward,
          .layers = 2};
}

std::string NameOfSizes(const CausalSizes& sizes) {
  return std::to_string(sizes.hidden) + "_" + std::to_string(sizes.heads) + "_" +
         std::to_string(sizes.feed_forward);
}

class CausalEncoderTest : public testing::TestWithParam<std::tuple<Isa, CausalSizes>> {
 protected:
  template <typename T>
  CausalPasses<T> RunIn(const Sequences& from, const CausalRows& dy) const {
    return RunPasses<T>(*MakeCausalEncoder<T>(shape_, parameters_.layers, std::get<0>(GetParam())),
                        parameters_, from, dy);
  }

  const EncoderShape shape_ = CausalShape(std::get<1>(GetParam()));
  EncoderParameters parameters_ = CausalParameters(shape_);
};

TEST_P(CausalEncoderTest, ForwardEqualsPlainLoops) {
  const Sequences sequences(shape_, {5, 1, 17, 163, 2, 32, 33});
  const CausalRows wanted = ReferenceOf(shape_, parameters_, sequences);
  const std::vector<double> got = RunIn<double>(sequences, {}).y;
  const std::vector<float> in_float = RunIn<float>(sequences, {}).y;
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    ASSERT_NEAR(got[i], wanted[i], 1e-10) << i;
    ASSERT_NEAR(in_float[i], wanted[i], 2e-4) << i;
  }
}

TEST_P(CausalEncoderTest, GradientsEqualCentralDifferences) {
  Sequences sequences(shape_, {5, 1, 19, 35});
  const CausalRows dy = RandomInputs(std::ssize(sequences.x), 77);
  const CausalPasses<double> passes = RunIn<double>(sequences, dy);
  const auto slope = [&](double& value) {
    constexpr double kStep = 1e-5;
    const double before = value;
    value = before + kStep;
    const double above = ProductOf(RunIn<double>(sequences, {}).y, dy);
    value = before - kStep;
    const double below = ProductOf(RunIn<double>(sequences, {}).y, dy);
    value = before;
    return (above - below) / (2 * kStep);
  };
  CounterRandom random(3, 1);
  for (const EncoderParameters::Tensor& tensor : parameters_.tensors) {
    if (tensor.frozen) continue;
    for (int trial = 0; trial < 6 && tensor.count > 0; ++trial) {
      const auto offset = static_cast<int64_t>(random.UniformDouble() * tensor.count);
      const double wanted = slope(parameters_.values[tensor.first + offset]);
      EXPECT_NEAR(passes.gradient[tensor.first + offset], wanted, 2e-6 * (1 + std::abs(wanted)))
          << tensor.name << " at " << offset;
    }
  }
  for (int trial = 0; trial < 12; ++trial) {
    const auto at = static_cast<size_t>(random.UniformDouble() * sequences.x.size());
    const double wanted = slope(sequences.x[at]);
    EXPECT_NEAR(passes.dx[at], wanted, 2e-6 * (1 + std::abs(wanted))) << "input " << at;
  }
}

TEST_P(CausalEncoderTest, FloatGradientsAreCloseToDouble) {
  const Sequences sequences(shape_, {21, 1, 163, 40, 200});
  const CausalRows dy = RandomInputs(std::ssize(sequences.x), 78);
  const CausalPasses<double> wanted = RunIn<double>(sequences, dy);
  const CausalPasses<float> got = RunIn<float>(sequences, dy);
  for (const EncoderParameters::Tensor& tensor : parameters_.tensors) {
    EXPECT_LE(ShareOfError(got.gradient, wanted.gradient, tensor.first, tensor.count), 2e-5)
        << tensor.name;
  }
  EXPECT_LE(ShareOfError(got.dx, wanted.dx, 0, std::ssize(got.dx)), 2e-5);
}

TEST_P(CausalEncoderTest, LaterTokensChangeNoBitOfEarlierOutputs) {
  for (const int32_t changed : {1, 16, 31, 32, 40, 99}) {
    Sequences sequences(shape_, {100});
    const std::vector<float> before = RunIn<float>(sequences, {}).y;
    const int64_t end = int64_t{changed} * shape_.hidden;
    for (int64_t i = end; i < std::ssize(sequences.x); ++i) sequences.x[i] = 50 - sequences.x[i];
    const std::vector<float> after = RunIn<float>(sequences, {}).y;
    EXPECT_TRUE(std::equal(before.begin(), before.begin() + end, after.begin())) << changed;
    EXPECT_FALSE(std::equal(before.begin() + end, before.end(), after.begin() + end)) << changed;
  }
}

TEST_P(CausalEncoderTest, OutputsDoNotDependOnOtherSequences) {
  const Sequences together(shape_, {7, 101, 1, 18, 51});
  const std::vector<float> all = RunIn<float>(together, {}).y;
  int64_t at = 0;
  for (const int32_t length : {7, 101, 1, 18, 51}) {
    const Sequences alone(shape_, {length});
    const std::vector<float> one = RunIn<float>(alone, CausalRows(alone.x.size(), 1)).y;
    EXPECT_TRUE(std::equal(one.begin(), one.end(), all.begin() + at)) << length;
    at += std::ssize(one);
  }
}

INSTANTIATE_TEST_SUITE_P(All, CausalEncoderTest,
                         testing::Combine(testing::ValuesIn(UsableIsas()),
                                          testing::ValuesIn(kCausalSizes)),
                         [](const auto& instance) {
                           return std::string(IsaName(std::get<0>(instance.param))) + "_" +
                                  NameOfSizes(std::get<1>(instance.param));
                         });

class Bf16CausalEncoderTest : public testing::TestWithParam<std::tuple<Bf16, CausalSizes>> {
 protected:
  CausalPasses<float> RunBf16(const EncoderShape& shape, const EncoderParameters& parameters,
                              const Sequences& from, const CausalRows& dy) const {
    return RunPasses<float>(
        *MakeBf16CausalEncoder(shape, parameters.layers, std::get<0>(GetParam())), parameters, from,
        dy);
  }
  const EncoderShape shape_ = CausalShape(std::get<1>(GetParam()));
  const EncoderParameters parameters_ = CausalParameters(shape_);
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Bf16CausalEncoderTest);

TEST_P(Bf16CausalEncoderTest, ForwardEqualsPlainLoopsWithRoundedOperands) {
  EncoderShape one_layer = shape_;
  one_layer.layers = 1;  // rounding may differ at ties, and more so with each layer
  const EncoderParameters parameters = CausalParameters(one_layer);
  const Sequences sequences(one_layer, {5, 1, 17, 33, 2});
  const CausalRows exact = ReferenceOf(one_layer, parameters, sequences);
  const CausalRows wanted = ReferenceOf(one_layer, parameters, sequences, std::get<0>(GetParam()));
  const std::vector<float> got = RunBf16(one_layer, parameters, sequences, {}).y;
  const double rounding = ShareOfError(wanted, exact, 0, std::ssize(exact));
  EXPECT_GT(rounding, 1e-3);
  EXPECT_LT(ShareOfError(got, wanted, 0, std::ssize(wanted)), 0.1 * rounding);
}

TEST_P(Bf16CausalEncoderTest, GradientsEqualDoubleUpToRounding) {
  const Sequences sequences(shape_, {21, 1, 11, 40, 163});
  const CausalRows dy = RandomInputs(std::ssize(sequences.x), 78);
  const CausalPasses<double> wanted =
      RunPasses<double>(*MakeCausalEncoder<double>(shape_, parameters_.layers, Isa::kAvx512),
                        parameters_, sequences, dy);
  const CausalPasses<float> got = RunBf16(shape_, parameters_, sequences, dy);
  for (const EncoderParameters::Tensor& tensor : parameters_.tensors) {
    EXPECT_LE(ShareOfError(got.gradient, wanted.gradient, tensor.first, tensor.count), 0.1)
        << tensor.name;
  }
  const double error = ShareOfError(got.dx, wanted.dx, 0, std::ssize(got.dx));
  EXPECT_LT(error, 0.06);
  EXPECT_GT(error, 1e-3);
}

TEST_P(Bf16CausalEncoderTest, LaterTokensChangeNoBitOfEarlierOutputs) {
  Sequences sequences(shape_, {70});
  const std::vector<float> before = RunBf16(shape_, parameters_, sequences, {}).y;
  const int64_t end = int64_t{37} * shape_.hidden;
  for (int64_t i = end; i < std::ssize(sequences.x); ++i) sequences.x[i] = 50 - sequences.x[i];
  const std::vector<float> after = RunBf16(shape_, parameters_, sequences, {}).y;
  EXPECT_TRUE(std::equal(before.begin(), before.begin() + end, after.begin()));
}

INSTANTIATE_TEST_SUITE_P(All, Bf16CausalEncoderTest,
                         testing::Combine(testing::ValuesIn(RunnableBf16()),
                                          testing::ValuesIn(kCausalSizes)));

}  // namespace
}  // namespace vrp
