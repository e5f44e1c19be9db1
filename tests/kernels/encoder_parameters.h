// Parameters and inputs for tests of the encoder.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/kernels/encoder/encoder.h"

namespace vrp::testing_support {

inline std::vector<double> RandomInputs(int64_t count, uint64_t stream) {
  CounterRandom random(11, stream);
  std::vector<double> values(static_cast<size_t>(count));
  for (double& value : values) value = 2 * random.UniformDouble() - 1;
  return values;
}

// The parameters of all layers in one array, and the range of each tensor in it.
struct EncoderParameters {
  std::vector<EncoderLayerOffsets> layers;
  std::vector<double> values;
  struct Tensor {
    std::string name;
    int64_t first;
    int64_t count;
    bool frozen;
  };
  std::vector<Tensor> tensors;
};

inline EncoderParameters MakeEncoderParameters(const EncoderShape& s) {
  EncoderParameters p;
  const int64_t h = s.hidden;
  const int64_t f = s.feed_forward;
  const auto add = [&p](const std::string& name, int64_t count, double bound, double offset) {
    const auto first = static_cast<int64_t>(p.values.size());
    for (const double value : RandomInputs(count, p.tensors.size() + 100)) {
      p.values.push_back(offset + bound * value);
    }
    const bool frozen = name.ends_with("mean") || name.ends_with("variance");
    p.tensors.push_back({name, first, count, frozen});
    return first;
  };
  for (int32_t l = 0; l < s.layers; ++l) {
    EncoderLayerOffsets o;
    const double of_hidden = 1.7 / std::sqrt(h);
    o.qkv_weight = add("qkv_weight", 3 * h * h, 1.5 * of_hidden, 0);
    o.qkv_bias = add("qkv_bias", 3 * h, 0.3, 0);
    o.out_weight = add("out_weight", h * h, of_hidden, 0);
    o.out_bias = add("out_bias", h, 0.3, 0);
    o.edge_weight = add("edge_weight", int64_t{s.heads} * s.edge_features, 1, 0);
    o.norm1_scale = add("norm1_scale", h, 0.4, 1);
    o.norm1_shift = add("norm1_shift", h, 0.3, 0);
    o.norm1_mean = add("norm1_mean", h, 0.3, 0);
    o.norm1_variance = add("norm1_variance", h, 0.4, 1);
    o.feed1_weight = add("feed1_weight", f * h, of_hidden, 0);
    o.feed1_bias = add("feed1_bias", f, 0.3, 0);
    o.feed2_weight = add("feed2_weight", h * f, 1.7 / std::sqrt(f), 0);
    o.feed2_bias = add("feed2_bias", h, 0.3, 0);
    o.norm2_scale = add("norm2_scale", h, 0.4, 1);
    o.norm2_shift = add("norm2_shift", h, 0.3, 0);
    o.norm2_mean = add("norm2_mean", h, 0.3, 0);
    o.norm2_variance = add("norm2_variance", h, 0.4, 1);
    p.layers.push_back(o);
  }
  return p;
}

}  // namespace vrp::testing_support
