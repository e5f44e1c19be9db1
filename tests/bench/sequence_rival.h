// A training step of the sequence transformer as a first version is often written in torch: loops
// over samples and steps make a tensor for each token, mask and loss. It is the rival of our
// engine.
#pragma once

#include <memory>
#include <span>

#include "core/model/habits/sequence_parameters.h"
#include "tests/bench/sequence_case.h"

namespace vrp {

// The ways in which a rival's batch is made.
enum class RivalLoops {
  kSamplesAndSteps,  // tensors of single tokens, masks and losses
  kNone,             // a few operators for the whole batch
};

// A rival with its own random weights, on one thread like our engine.
class SequenceRival {
 public:
  SequenceRival(const SequenceTransformerOptions& options, const SequenceCase& sizes);
  ~SequenceRival();

  // Collates the samples, and takes a step of AdamW. Returns the loss.
  double Step(std::span<const SequenceSample> samples, RivalLoops loops);
  // Only adds the embeddings of the samples' tokens, with their gradients.
  void Embed(std::span<const SequenceSample> samples, RivalLoops loops);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vrp
