// A reference implementation of the encoder in plain loops and float64.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/kernels/encoder/encoder.h"
#include "tests/kernels/encoder_parameters.h"
#include "tests/kernels/round_to_bf16.h"

namespace vrp::testing_support {

// The reference encoder, which encodes one instance x [N, H]. With `bf16`, linear layers round
// their operands.
class EncoderReference {
 public:
  EncoderReference(const EncoderShape& shape, const EncoderParameters& parameters,
                   bool bf16 = false)
      : s_(shape), p_(parameters), bf16_(bf16) {}

  std::vector<double> Encode(std::vector<double> x, std::span<const double> edges) const {
    for (const EncoderLayerOffsets& o : p_.layers) {
      const std::vector<double> qkv = Linear(x, o.qkv_weight, o.qkv_bias, 3 * s_.hidden);
      const std::vector<double> attended = Attend(qkv, edges, o.edge_weight);
      x = Sum(x, Linear(attended, o.out_weight, o.out_bias, s_.hidden));
      Norm(x, o.norm1_scale, o.norm1_shift, o.norm1_mean, o.norm1_variance);
      std::vector<double> feed = Linear(x, o.feed1_weight, o.feed1_bias, s_.feed_forward);
      for (double& value : feed) value = std::max(value, 0.0);
      x = Sum(x, Linear(feed, o.feed2_weight, o.feed2_bias, s_.hidden));
      Norm(x, o.norm2_scale, o.norm2_shift, o.norm2_mean, o.norm2_variance);
    }
    return x;
  }

 private:
  double At(int64_t offset) const { return p_.values[static_cast<size_t>(offset)]; }

  std::vector<double> Linear(const std::vector<double>& x, int64_t weight, int64_t bias,
                             int64_t outputs) const {
    const int64_t nodes = Nodes(x, outputs, weight);
    const int64_t inputs = static_cast<int64_t>(x.size()) / nodes;
    std::vector<double> y(static_cast<size_t>(nodes * outputs));
    for (int64_t n = 0; n < nodes; ++n) {
      for (int64_t o = 0; o < outputs; ++o) {
        double sum = At(bias + o);
        for (int64_t i = 0; i < inputs; ++i) {
          const double factor = At(weight + o * inputs + i);
          const double input = x[n * inputs + i];
          sum += bf16_ ? RoundToBf16(factor) * RoundToBf16(input) : factor * input;
        }
        y[n * outputs + o] = sum;
      }
    }
    return y;
  }
  // Returns the number of nodes. Only the second linear layer of the feed-forward network reads F
  // values per node.
  int64_t Nodes(const std::vector<double>& x, int64_t /*outputs*/, int64_t weight) const {
    bool second = false;
    for (const EncoderLayerOffsets& o : p_.layers) second = second || o.feed2_weight == weight;
    return static_cast<int64_t>(x.size()) / (second ? s_.feed_forward : s_.hidden);
  }
  static std::vector<double> Sum(std::vector<double> a, const std::vector<double>& b) {
    for (size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
  }

  std::vector<double> Attend(const std::vector<double>& qkv, std::span<const double> edges,
                             int64_t edge_weight) const {
    const int64_t h = s_.hidden;
    const int64_t nodes = static_cast<int64_t>(qkv.size()) / (3 * h);
    const int64_t channels = h / s_.heads;
    std::vector<double> out(static_cast<size_t>(nodes * h));
    for (int64_t m = 0; m < s_.heads; ++m) {
      for (int64_t i = 0; i < nodes; ++i) {
        std::vector<double> weights(static_cast<size_t>(nodes));
        double total = 0;
        for (int64_t j = 0; j < nodes; ++j) {
          double score = 0;
          for (int64_t c = m * channels; c < (m + 1) * channels; ++c) {
            score += qkv[i * 3 * h + c] * qkv[j * 3 * h + h + c];
          }
          score /= std::sqrt(channels);
          for (int64_t e = 0; e < s_.edge_features; ++e) {
            score +=
                At(edge_weight + m * s_.edge_features + e) * edges[(e * nodes + i) * nodes + j];
          }
          weights[j] = std::exp(score);
          total += weights[j];
        }
        for (int64_t j = 0; j < nodes; ++j) {
          for (int64_t c = m * channels; c < (m + 1) * channels; ++c) {
            out[i * h + c] += weights[j] / total * qkv[j * 3 * h + 2 * h + c];
          }
        }
      }
    }
    return out;
  }

  void Norm(std::vector<double>& x, int64_t scale, int64_t shift, int64_t mean,
            int64_t variance) const {
    const int64_t h = s_.hidden;
    const int64_t nodes = static_cast<int64_t>(x.size()) / h;
    for (int64_t c = 0; c < h; ++c) {
      double m = At(mean + c);
      double v = At(variance + c);
      if (s_.norm == NormKind::kInstance) {
        m = 0;
        for (int64_t n = 0; n < nodes; ++n) m += x[n * h + c] / nodes;
        v = 0;
        for (int64_t n = 0; n < nodes; ++n) v += std::pow(x[n * h + c] - m, 2) / nodes;
      }
      for (int64_t n = 0; n < nodes; ++n) {
        x[n * h + c] = (x[n * h + c] - m) / std::sqrt(v + 1e-5) * At(scale + c) + At(shift + c);
      }
    }
  }

  EncoderShape s_;
  const EncoderParameters& p_;
  bool bf16_;
};

}  // namespace vrp::testing_support
