#include "tests/bench/sequence_profile.h"

#include <x86intrin.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "core/model/habits/sequence_pass.h"
#include "core/model/weights/flat_parameters.h"
#include "nlohmann/json.hpp"
#include "tests/bench/core_peak.h"
#include "tests/bench/json_line.h"

namespace vrp {
namespace {

// Adds a pass's milliseconds to `line`.
void AddParts(const std::string& pass, const SequenceCycles& cycles, double ms_per_cycle,
              nlohmann::ordered_json& line) {
  const auto add = [&](const std::string& part, int64_t count) {
    line[Concat(pass, "_", part, "_ms")] = ms_per_cycle * static_cast<double>(count);
  };
  const EncoderCycles& e = cycles.encoder;
  const int64_t parts = e.norms + e.projections + e.attention + e.feed_forward + e.weight_gradients;
  add("embedding", cycles.embedding);
  add("norms", e.norms);
  add("projections", e.projections);
  add("attention", e.attention);
  add("feed_forward", e.feed_forward);
  add("weight_gradients", e.weight_gradients);
  add("encoder_copies", cycles.whole_encoder - parts);
  add("pointer", cycles.pointer);
  add("softmax", cycles.softmax);
}

}  // namespace

void MeasureSequenceProfile(Bf16 bf16, const SequenceTransformerOptions& network,
                            const SequenceCase& sizes) {
  SequenceBuffers buffers;
  Collate(DrawSequences(sizes), sizes, buffers);
  const FlatParameters parameters(SequenceLayout(network), 1);
  SequencePass<float> pass(network, BestIsa(), bf16);
  pass.Pack(parameters.values().data());
  std::vector<float> gradient(parameters.values().size());
  SequenceGroup<float> group;
  pass.ClearSums(group);
  SequenceCycles forward;
  SequenceCycles backward;
  const absl::Time begin = SteadyNow();
  const uint64_t first_cycle = __rdtsc();
  for (int32_t s = 0; s < sizes.samples; ++s) {
    group.cycles = &forward;
    pass.Forward(buffers.View(), {s, 1}, false, true, group);
    pass.Loss(buffers.View(), 0.1, 1e-5, group);
    group.cycles = &backward;
    pass.Backward(buffers.View(), group, gradient.data());
  }
  const double ms = absl::ToDoubleMilliseconds(SteadyNow() - begin);
  const double ms_per_cycle = ms / static_cast<double>(__rdtsc() - first_cycle);
  nlohmann::ordered_json line = {{"what", "sequence_profile"},
                                 {"precision", KindName({bf16, 0})},
                                 {"batch", sizes.samples},
                                 {"all_ms", ms}};
  AddParts("forward", forward, ms_per_cycle, line);
  AddParts("backward", backward, ms_per_cycle, line);
  PrintMeasurement(line, 1);
}

}  // namespace vrp
