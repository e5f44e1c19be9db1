#include "core/kernels/residual_norm/residual_norm.h"

#include <cmath>

namespace vrp {
namespace {

// One channel of one instance, `hidden` elements apart from node to node.
template <typename T>
class NormChannel {
 public:
  NormChannel(const ResidualNormInputs<T>& inputs, int64_t instance, int64_t channel)
      : inputs_(inputs),
        first_(instance * inputs.nodes * inputs.hidden + channel),
        size_(static_cast<int64_t>(inputs.sizes[instance])) {}

  int64_t size() const { return size_; }
  int64_t At(int64_t node) const { return first_ + node * inputs_.hidden; }
  double Sum(int64_t node) const {
    return double{ToFloat(inputs_.x[At(node)])} + double{ToFloat(inputs_.branch[At(node)])};
  }

 private:
  const ResidualNormInputs<T>& inputs_;
  const int64_t first_;
  const int64_t size_;
};

template <typename T, typename Body>
void ForEachChannel(const ResidualNormInputs<T>& inputs, const Body& body) {
  for (int64_t b = 0; b < inputs.instances; ++b) {
    for (int64_t c = 0; c < inputs.hidden; ++c) body(NormChannel<T>(inputs, b, c), b, c);
  }
}

}  // namespace

template <typename T>
void ResidualNormOnCpu(const ResidualNormInputs<T>& inputs, const ResidualNormOutputs<T>& outputs) {
  ForEachChannel(inputs, [&](const NormChannel<T>& channel, int64_t b, int64_t c) {
    const auto size = static_cast<double>(channel.size());
    double mean = 0;
    for (int64_t n = 0; n < channel.size(); ++n) mean += channel.Sum(n) / size;
    double variance = 0;
    for (int64_t n = 0; n < channel.size(); ++n) {
      variance += (channel.Sum(n) - mean) * (channel.Sum(n) - mean) / size;
    }
    const double inverse = 1 / std::sqrt(variance + double{kInstanceNormEpsilon});
    for (int64_t n = 0; n < inputs.nodes; ++n) {
      const double normed = (channel.Sum(n) - mean) * inverse * double{inputs.scale[c]};
      const double value = n < channel.size() ? normed + double{inputs.shift[c]} : 0;
      StoreFloat(static_cast<float>(value), outputs.normed[channel.At(n)]);
    }
    outputs.mean[b * inputs.hidden + c] = static_cast<float>(mean);
    outputs.inverse[b * inputs.hidden + c] = static_cast<float>(inverse);
  });
}

template <typename T>
void ResidualNormBackwardOnCpu(const ResidualNormInputs<T>& inputs,
                               const ResidualNormGradient<T>& gradient) {
  ForEachChannel(inputs, [&](const NormChannel<T>& channel, int64_t b, int64_t c) {
    const double mean{gradient.mean[b * inputs.hidden + c]};
    const double inverse{gradient.inverse[b * inputs.hidden + c]};
    const auto normed = [&](int64_t n) { return (channel.Sum(n) - mean) * inverse; };
    const auto given = [&](int64_t n) {
      const int64_t at = channel.At(n);
      const double second = gradient.second == nullptr ? 0 : double{ToFloat(gradient.second[at])};
      return double{ToFloat(gradient.first[at])} + second;
    };
    double of_scale = 0;
    double of_shift = 0;
    for (int64_t n = 0; n < channel.size(); ++n) {
      of_scale += given(n) * normed(n);
      of_shift += given(n);
    }
    const auto size = static_cast<double>(channel.size());
    for (int64_t n = 0; n < inputs.nodes; ++n) {
      const double centred = given(n) - of_shift / size - normed(n) * of_scale / size;
      const double value = n < channel.size() ? centred * inverse * double{inputs.scale[c]} : 0;
      StoreFloat(static_cast<float>(value), gradient.sum[channel.At(n)]);
    }
    gradient.affine[2 * b * inputs.hidden + c] = static_cast<float>(of_scale);
    gradient.affine[(2 * b + 1) * inputs.hidden + c] = static_cast<float>(of_shift);
  });
}

template void ResidualNormOnCpu(const ResidualNormInputs<float>&,
                                const ResidualNormOutputs<float>&);
template void ResidualNormOnCpu(const ResidualNormInputs<Bf16Value>&,
                                const ResidualNormOutputs<Bf16Value>&);
template void ResidualNormBackwardOnCpu(const ResidualNormInputs<float>&,
                                        const ResidualNormGradient<float>&);
template void ResidualNormBackwardOnCpu(const ResidualNormInputs<Bf16Value>&,
                                        const ResidualNormGradient<Bf16Value>&);

}  // namespace vrp
