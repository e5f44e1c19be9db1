#include "core/model/pointer_network/pointer_weights.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/kernels/routing/pointer_observation.h"
#include "core/model/pointer_network/pointer_architecture.h"

namespace vrp {

PointerWeights::PointerWeights(const PointerNetworkOptions& options, Isa isa, Bf16 bf16)
    : layout_(PointerLayout(options)),
      dense_(DenseKernelsFor<float>(isa)),
      lstm_(LstmKernelsFor<float>(isa)),
      hidden_(options.hidden),
      layers_(options.layers),
      width_(options.hidden / kPointerHeads),
      channels_((width_ + kPointerChannelPadding - 1) / kPointerChannelPadding *
                kPointerChannelPadding),
      inputs_(InputsOf(PointerArchitecture(), options.inputs)),
      features_((inputs_.width() + 1 + kPointerColumnPadding - 1) / kPointerColumnPadding *
                kPointerColumnPadding) {
  const LstmKernels<float>& wide = bf16 == Bf16::kNone ? lstm_ : Bf16LstmKernelsFor(bf16);
  encoder = Layers("encoder", wide);
  decoder = Layers("decoder", wide);
  const auto plain = [&](int64_t outputs, int64_t inputs) {
    return PointerLinear{.kernels = &lstm_, .outputs = outputs, .inputs = inputs};
  };
  const auto rounded = [&](int64_t outputs, int64_t inputs) {
    return PointerLinear{.kernels = &wide, .outputs = outputs, .inputs = inputs};
  };
  embed = plain(hidden_, features_);
  encoder_input = plain(4 * hidden_, features_);
  context = plain(4 * hidden_, kPointerColumnPadding);
  start = plain(2 * layers_ * hidden_, hidden_);
  query = rounded(heads_width(), hidden_);
  key = rounded(heads_width(), hidden_);
  value = rounded(heads_width(), hidden_);
  out = rounded(hidden_, heads_width());
  pointer = rounded(hidden_, hidden_);
  dynamic = plain(kPointerColumnPadding, hidden_);
  start_offset = Offset("start.weight");
  start_bias_offset = Offset("start.bias");
  glimpse_dynamic_offset = Offset("glimpse.dynamic.weight");
}

int64_t PointerWeights::heads_width() const { return kPointerHeads * channels_; }

int64_t PointerWeights::Padded(int64_t i) const { return i / width_ * channels_ + i % width_; }

std::vector<PointerLayer> PointerWeights::Layers(const char* name,
                                                 const LstmKernels<float>& kernels) const {
  std::vector<PointerLayer> layers(static_cast<size_t>(layers_));
  for (size_t layer = 0; layer < layers.size(); ++layer) {
    PointerLayer& to = layers[layer];
    to.input = {.kernels = &kernels, .outputs = 4 * hidden_, .inputs = hidden_};
    to.recurrent = {.kernels = &kernels, .outputs = 4 * hidden_, .inputs = hidden_};
    to.input_offset = Offset(Concat(name, ".weight_ih_l", layer));
    to.recurrent_offset = Offset(Concat(name, ".weight_hh_l", layer));
    to.bias_offset = Offset(Concat(name, ".bias_ih_l", layer));
    to.other_bias_offset = Offset(Concat(name, ".bias_hh_l", layer));
  }
  return layers;
}

void PointerWeights::PackLinear(const float* weights, PointerLinear& to) {
  const int64_t size = to.outputs * to.inputs;
  to.kernels->pack(weights, to.outputs, to.inputs, to.forward.Grow(size), to.back.Grow(size));
}

std::vector<float> PointerWeights::PadColumns(const float* weights, const float* bias,
                                              PaddedShape shape) const {
  const auto [inputs, columns] = shape;
  std::vector<float> padded(static_cast<size_t>(hidden_ * columns), 0.0f);
  for (int64_t h = 0; h < hidden_; ++h) {
    std::copy_n(weights + h * inputs, inputs, padded.begin() + h * columns);
    if (bias != nullptr) padded[static_cast<size_t>(h * columns + inputs)] = bias[h];
  }
  return padded;
}

void PointerWeights::PackLayers(const float* parameters, std::vector<PointerLayer>& layers,
                                Jobs& jobs) {
  for (size_t l = 0; l < layers.size(); ++l) {
    PointerLayer& layer = layers[l];
    if (l > 0 || &layers == &decoder) {
      jobs.emplace_back([=, &layer] { PackLinear(parameters + layer.input_offset, layer.input); });
    }
    jobs.emplace_back([=, this, &layer] {
      PackLinear(parameters + layer.recurrent_offset, layer.recurrent);
      float* const bias = layer.bias.Grow(4 * hidden_);
      for (int64_t i = 0; i < 4 * hidden_; ++i) {
        bias[i] = parameters[layer.bias_offset + i] + parameters[layer.other_bias_offset + i];
      }
    });
  }
}

// Packs the embedding, alone and composed with the encoder's input weights, and the context's
// weights, composed with the decoder's.
void PointerWeights::PackComposed(const float* parameters, Jobs& jobs) {
  const auto compose = [this](const std::vector<float>& padded, const float* input,
                              PointerLinear& to) {
    AlignedBuffer<float> packed;
    std::vector<float> product(static_cast<size_t>(4 * hidden_ * to.inputs));
    const DenseShape shape{.rows = 4 * hidden_, .inner = hidden_, .columns = to.inputs};
    dense_.pack(padded.data(), to.inputs, 1, shape, packed.Grow(hidden_ * to.inputs));
    dense_.multiply({input, hidden_}, packed.data(), nullptr, shape, {product.data(), to.inputs});
    PackLinear(product.data(), to);
  };
  jobs.emplace_back([=, this] {
    const std::vector<float> embedding = PadColumns(
        parameters + Offset("embed.weight"), parameters + Offset("embed.bias"), FeatureShape());
    PackLinear(embedding.data(), embed);
    compose(embedding, parameters + encoder[0].input_offset, encoder_input);
  });
  jobs.emplace_back([=, this] {
    compose(PadColumns(parameters + Offset("context.weight"), nullptr,
                       {kPointerContext, kPointerColumnPadding}),
            parameters + decoder[0].input_offset, context);
  });
}

void PointerWeights::Pack(const float* parameters, CpuPool* pool) {
  Jobs jobs;
  PackLayers(parameters, encoder, jobs);
  PackLayers(parameters, decoder, jobs);
  PackComposed(parameters, jobs);
  jobs.emplace_back([=, this] {
    PackLinear(parameters + start_offset, start);
    std::copy_n(parameters + start_bias_offset, start.outputs, start_bias.Grow(start.outputs));
  });
  PackAttention(parameters, jobs);
  if (pool != nullptr) {
    pool->ParallelFor(std::ssize(jobs), [&](int64_t j) { jobs[static_cast<size_t>(j)](); });
  } else {
    for (auto& job : jobs) job();
  }
}

void PointerWeights::PackAttention(const float* parameters, Jobs& jobs) {
  jobs.emplace_back([=, this] { PackHeads(parameters + Offset("glimpse.query.weight"), query); });
  jobs.emplace_back([=, this] { PackHeads(parameters + Offset("glimpse.key.weight"), key); });
  jobs.emplace_back([=, this] { PackHeads(parameters + Offset("glimpse.value.weight"), value); });
  jobs.emplace_back([=, this] { PackOut(parameters + Offset("glimpse.out.weight")); });
  jobs.emplace_back([=, this] { PackPointer(parameters); });
  jobs.emplace_back([=, this] { PackDynamic(parameters); });
}

void PointerWeights::PackHeads(const float* from, PointerLinear& to) const {
  std::vector<float> weights(static_cast<size_t>(heads_width() * hidden_), 0.0f);
  for (int64_t i = 0; i < hidden_; ++i) {
    std::copy_n(from + i * hidden_, hidden_, weights.begin() + Padded(i) * hidden_);
  }
  PackLinear(weights.data(), to);
}

void PointerWeights::PackOut(const float* from) {
  const int64_t padded = heads_width();
  std::vector<float> weights(static_cast<size_t>(padded * hidden_), 0.0f);
  for (int64_t o = 0; o < hidden_; ++o) {
    for (int64_t m = 0; m < kPointerHeads; ++m) {
      std::copy_n(from + o * hidden_ + m * width_, width_,
                  weights.begin() + o * padded + m * channels_);
    }
  }
  PackLinear(weights.data(), out);
}

void PointerWeights::PackPointer(const float* parameters) {
  std::vector<float> weights(static_cast<size_t>(hidden_ * hidden_), 0.0f);
  dense_.add_transposed({parameters + Offset("pointer.query.weight"), hidden_},
                        {parameters + Offset("pointer.key.weight"), hidden_},
                        {.rows = hidden_, .inner = hidden_, .columns = hidden_},
                        {weights.data(), hidden_});
  const float scale = 1 / std::sqrt(static_cast<float>(hidden_));
  for (float& weight : weights) weight *= scale;
  PackLinear(weights.data(), pointer);
}

void PointerWeights::PackDynamic(const float* parameters) {
  std::vector<float> weights(static_cast<size_t>(kPointerColumnPadding * hidden_), 0.0f);
  std::copy_n(parameters + Offset("pointer.dynamic.weight"), kPointerDynamic * hidden_,
              weights.begin());
  PackLinear(weights.data(), dynamic);
  std::copy_n(parameters + Offset("pointer.dynamic.bias"), kPointerDynamic,
              dynamic_bias.GrowZero(kPointerColumnPadding));
  std::copy_n(parameters + glimpse_dynamic_offset, kPointerHeads * kPointerDynamic,
              glimpse_dynamic.Grow(int64_t{kPointerHeads} * kPointerDynamic));
}

void PointerWeights::Clear(PointerSums& sums) const {
  const int64_t heads = heads_width() * hidden_;
  sums.embed.GrowZero(hidden_ * features_);
  sums.encoder_input.GrowZero(4 * hidden_ * features_);
  sums.context.GrowZero(4 * hidden_ * kPointerColumnPadding);
  for (AlignedBuffer<float>* buffer : {&sums.query, &sums.key, &sums.value, &sums.out}) {
    buffer->GrowZero(heads);
  }
  sums.pointer.GrowZero(hidden_ * hidden_);
  sums.dynamic.GrowZero(kPointerColumnPadding * hidden_);
  sums.dynamic_bias.GrowZero(kPointerColumnPadding);
}

// Adds the gradients of both factors of weights * padded, given the product's gradient `composed`.
void PointerWeights::FinishComposed(const float* weights, const std::vector<float>& padded,
                                    float* composed, float* d_padded, float* d_weights) const {
  const int64_t columns = std::ssize(padded) / hidden_;
  AlignedBuffer<float> packed;
  dense_.pack(padded.data(), 1, columns, {.rows = 0, .inner = columns, .columns = hidden_},
              packed.Grow(hidden_ * columns));
  dense_.multiply_add({composed, columns}, packed.data(),
                      {.rows = 4 * hidden_, .inner = columns, .columns = hidden_},
                      {d_weights, hidden_});
  dense_.add_transposed({weights, hidden_}, {composed, columns},
                        {.rows = hidden_, .inner = 4 * hidden_, .columns = columns},
                        {d_padded, columns});
}

void PointerWeights::FinishAttention(const float* parameters, PointerSums& sums,
                                     float* gradient) const {
  const auto add_rows = [&](const char* name, const float* from) {
    float* const to = gradient + Offset(name);
    for (int64_t i = 0; i < hidden_; ++i) {
      const float* const row = from + Padded(i) * hidden_;
      for (int64_t j = 0; j < hidden_; ++j) to[i * hidden_ + j] += row[j];
    }
  };
  add_rows("glimpse.query.weight", sums.query.data());
  add_rows("glimpse.key.weight", sums.key.data());
  add_rows("glimpse.value.weight", sums.value.data());
  float* out_gradient = gradient + Offset("glimpse.out.weight");
  for (int64_t i = 0; i < hidden_ * kPointerHeads; ++i, out_gradient += width_) {
    const float* const from = sums.out.data() + i * channels_;
    for (int64_t j = 0; j < width_; ++j) out_gradient[j] += from[j];
  }
  float* const composed = sums.pointer.data();
  const float scale = 1 / std::sqrt(static_cast<float>(hidden_));
  for (int64_t i = 0; i < hidden_ * hidden_; ++i) composed[i] *= scale;
  const DenseShape square{.rows = hidden_, .inner = hidden_, .columns = hidden_};
  AlignedBuffer<float> packed;
  dense_.pack(composed, 1, hidden_, square, packed.Grow(hidden_ * hidden_));
  dense_.multiply_add({parameters + Offset("pointer.key.weight"), hidden_}, packed.data(), square,
                      {gradient + Offset("pointer.query.weight"), hidden_});
  dense_.pack(composed, hidden_, 1, square, packed.data());
  dense_.multiply_add({parameters + Offset("pointer.query.weight"), hidden_}, packed.data(), square,
                      {gradient + Offset("pointer.key.weight"), hidden_});
  for (int64_t i = 0; i < kPointerDynamic * hidden_; ++i) {
    gradient[Offset("pointer.dynamic.weight") + i] += sums.dynamic.data()[i];
  }
  for (int64_t i = 0; i < kPointerDynamic; ++i) {
    gradient[Offset("pointer.dynamic.bias") + i] += sums.dynamic_bias.data()[i];
  }
}

void PointerWeights::Finish(const float* parameters, PointerSums& sums, float* gradient) const {
  const float* const embed_weight = parameters + Offset("embed.weight");
  FinishComposed(parameters + encoder[0].input_offset,
                 PadColumns(embed_weight, parameters + Offset("embed.bias"), FeatureShape()),
                 sums.encoder_input.data(), sums.embed.data(), gradient + encoder[0].input_offset);
  std::vector<float> d_context(static_cast<size_t>(hidden_ * kPointerColumnPadding), 0.0f);
  FinishComposed(parameters + decoder[0].input_offset,
                 PadColumns(parameters + Offset("context.weight"), nullptr,
                            {kPointerContext, kPointerColumnPadding}),
                 sums.context.data(), d_context.data(), gradient + decoder[0].input_offset);
  for (int64_t h = 0; h < hidden_; ++h) {
    const float* const row = sums.embed.data() + h * features_;
    const int64_t inputs = inputs_.width();
    for (int64_t f = 0; f < inputs; ++f) {
      gradient[Offset("embed.weight") + h * inputs + f] += row[f];
    }
    gradient[Offset("embed.bias") + h] += row[inputs];
    for (int64_t f = 0; f < kPointerContext; ++f) {
      gradient[Offset("context.weight") + h * kPointerContext + f] +=
          d_context[static_cast<size_t>(h * kPointerColumnPadding + f)];
    }
  }
  for (int64_t i = 0; i < 4 * hidden_; ++i) {
    gradient[encoder[0].bias_offset + i] +=
        sums.encoder_input.data()[i * features_ + inputs_.width()];
  }
  for (const std::vector<PointerLayer>* layers : {&encoder, &decoder}) {
    for (const PointerLayer& layer : *layers) {
      std::copy_n(gradient + layer.bias_offset, 4 * hidden_, gradient + layer.other_bias_offset);
    }
  }
  FinishAttention(parameters, sums, gradient);
}

}  // namespace vrp
