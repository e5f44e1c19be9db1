#include "tests/bench/step_flops.h"

#include "core/model/graph_transformer/graph_transformer_architecture.h"
#include "core/model/pointer_network/pointer_architecture.h"
#include "core/problem/instance/input_names.h"
#include "tests/bench/encoder_flops.h"

namespace vrp {
namespace {

// The forward operations of all instances or choices of a step.
struct ForwardFlops {
  double encode = 0;
  double decode = 0;
};

// Returns the operations of the graph transformer. It embeds nodes from the default inputs, encodes
// them, and projects them four times for the decoder. The decoder multiplies with them three times
// per choice.
ForwardFlops GraphTransformerFlops(const BenchCase& c, double choices) {
  const GraphTransformerOptions options;
  const double nodes = c.customers + 1;
  const double h = options.hidden;
  const auto inputs = static_cast<double>(kNodeFeatureNames.size());
  const double encoder = EncoderForwardFlops(EncoderShapeOf(options), c.customers + 1);
  return {.encode = c.batch * (encoder + nodes * 2 * h * (inputs + 4 * h)),
          .decode = choices * 3 * 2 * nodes * h};
}

// Returns the operations of the pointer network. An LSTM layer has eight square matrices. Nodes are
// projected three times for the decoder. Per choice, the decoder runs its LSTM layers, three
// projections and three products with the nodes.
ForwardFlops PointerNetworkFlops(const BenchCase& c, double choices) {
  const PointerNetworkOptions options;
  const double nodes = c.customers + 1;
  const double h = options.hidden;
  const double row = 2 * h * h * (8 * options.layers + 3);
  return {.encode = c.batch * nodes * row, .decode = choices * (row + 3 * 2 * nodes * h)};
}

}  // namespace

PhaseFlops FlopsByPhase(const BenchCase& c, double choices) {
  const bool pointer = c.architecture == "ptrnet";
  const ForwardFlops forward =
      pointer ? PointerNetworkFlops(c, choices) : GraphTransformerFlops(c, choices);
  PhaseFlops flops{};
  const auto at = [&flops](Phase phase) -> double& { return flops[static_cast<size_t>(phase)]; };
  at(Phase::kEncode) = forward.encode;
  // Labels are decoded once. The second pass repeats a rollout's forward steps.
  at(Phase::kRollout) = c.supervised ? 0 : forward.decode;
  // The graph transformer's second pass includes its backward pass.
  at(Phase::kSecondPass) = (pointer ? 1 : 3) * forward.decode;
  at(Phase::kBackward) = 2 * (forward.encode + (pointer ? forward.decode : 0));
  return flops;
}

}  // namespace vrp
