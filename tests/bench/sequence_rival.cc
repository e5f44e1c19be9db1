#include "tests/bench/sequence_rival.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/generated/variable_factories.h>

#include <vector>

#include "tests/model/torch_sequence_reference.h"

namespace vrp {
namespace {

constexpr double kRivalSmoothing = 0.1;

at::Tensor FloatsOf(const float* from, int64_t count) {
  return at::from_blob(const_cast<float*>(from), {count}, at::kFloat).clone();
}

}  // namespace

struct SequenceRival::State {
  SequenceTransformerOptions options;
  SequenceCase sizes;
  at::Tensor flat;
  at::Tensor mean;
  at::Tensor square;
  SequenceBuffers buffers;
  test::TorchSequenceTransformer network;

  State(const SequenceTransformerOptions& network_options, const SequenceCase& sample_sizes)
      : options(network_options),
        sizes(sample_sizes),
        flat((0.1 * at::randn({SequenceLayout(network_options).size()})).set_requires_grad(true)),
        mean(at::zeros_like(flat).detach()),
        square(at::zeros_like(flat).detach()),
        network(network_options, flat) {}

  // Returns the embedded tokens of a sample, [L, width], one operator per token and part.
  at::Tensor EmbedByTokens(const SequenceSample& sample) const {
    const at::Tensor contexts = network.Parameter("embed.context.weight");
    const at::Tensor types = network.Parameter("embed.type.weight");
    const at::Tensor positions = network.Parameter("embed.position.weight");
    std::vector<at::Tensor> tokens;
    for (int64_t t = 0; t < std::ssize(sample.types); ++t) {
      const at::Tensor context =
          FloatsOf(sample.contexts.data() + t * sizes.features, sizes.features);
      at::Tensor token = at::mv(contexts, context);
      token = token + types[static_cast<int64_t>(sample.types[t])];
      token = token + positions[t];
      tokens.push_back(token);
    }
    for (int64_t t = std::ssize(sample.types); t < sizes.max_tokens; ++t) {
      tokens.push_back(at::zeros({options.width}));
    }
    return at::stack(tokens);
  }
  at::Tensor EmbedAll(std::span<const SequenceSample> samples) const {
    std::vector<at::Tensor> sequences;
    for (const SequenceSample& sample : samples) sequences.push_back(EmbedByTokens(sample));
    return at::stack(sequences);
  }

  // Returns the mean loss, a few small tensors per predicted position.
  at::Tensor LossByPositions(std::span<const SequenceSample> samples) const {
    const at::Tensor hidden = network.Encode(EmbedAll(samples));
    std::vector<at::Tensor> losses;
    for (int64_t s = 0; s < std::ssize(samples); ++s) {
      const SequenceSample& sample = samples[s];
      const int64_t count = std::ssize(sample.visited_from);
      std::vector<at::Tensor> keys;
      for (int64_t c = 0; c < count; ++c) {
        keys.push_back(
            network.Keys(FloatsOf(sample.candidates.data() + c * sizes.features, sizes.features)));
      }
      for (int64_t t = 0; t < std::ssize(sample.types); ++t) {
        if (sample.targets[t] == kNoTarget) continue;
        at::Tensor mask = at::zeros({count}, at::kBool);
        for (int64_t c = 0; c < count; ++c) mask[c] = sample.visited_from[c] <= t;
        const at::Tensor logits =
            network.Logits(network.Queries(hidden[s][t]), at::stack(keys)).masked_fill(mask, -1e30);
        const at::Tensor log_probabilities = at::log_softmax(logits, 0);
        const at::Tensor allowed = mask.logical_not();
        losses.push_back(-((1 - kRivalSmoothing) * log_probabilities[sample.targets[t]] +
                           kRivalSmoothing * log_probabilities.masked_select(allowed).mean()));
      }
    }
    return at::stack(losses).mean();
  }
  at::Tensor LossOfBatch(std::span<const SequenceSample> samples) {
    Collate(samples, sizes, buffers);
    return network.Loss(test::SequencesOf(buffers.View(), sizes.features, at::kFloat),
                        kRivalSmoothing);
  }

  void Update() {
    const at::Tensor gradient = flat.grad();
    mean.mul_(0.9).add_(gradient, 0.1);
    square.mul_(0.999).addcmul_(gradient, gradient, 0.001);
    flat.detach().addcdiv_(mean, square.sqrt().add_(1e-8), -1e-4);
    flat.mutable_grad() = at::Tensor();
  }
};

SequenceRival::SequenceRival(const SequenceTransformerOptions& options, const SequenceCase& sizes)
    : state_(std::make_unique<State>(options, sizes)) {
  at::set_num_threads(1);
}
SequenceRival::~SequenceRival() = default;

double SequenceRival::Step(std::span<const SequenceSample> samples, RivalLoops loops) {
  const at::Tensor loss =
      loops == RivalLoops::kNone ? state_->LossOfBatch(samples) : state_->LossByPositions(samples);
  loss.backward();
  state_->Update();
  return loss.item<double>();
}

void SequenceRival::Embed(std::span<const SequenceSample> samples, RivalLoops loops) {
  State& s = *state_;
  at::Tensor tokens;
  if (loops == RivalLoops::kNone) {
    Collate(samples, s.sizes, s.buffers);
    const test::TorchSequences batch =
        test::SequencesOf(s.buffers.View(), s.sizes.features, at::kFloat);
    tokens = s.network.Embed(batch.types, batch.contexts);
  } else {
    tokens = s.EmbedAll(samples);
  }
  tokens.sum().backward();
  s.flat.mutable_grad() = at::Tensor();
}

}  // namespace vrp
