// Measures the encoder on one thread: instances/s and GFLOP/s (see encoder_flops.h), forward only
// and forward with backward. Varies the numbers of nodes, of instances in a group and of edge
// features. Times are CPU seconds of the best of several rounds, because other processes may share
// the machine.
//
//   encoder_bench [nodes] [group]     without arguments: all
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

#include "core/base/isa.h"
#include "core/base/random.h"
#include "core/kernels/encoder/encoder.h"
#include "tests/bench/encoder_flops.h"
#include "tests/bench/json_line.h"

namespace vrp {
namespace {

constexpr int kMaxRounds = 60;
constexpr double kMaxSeconds = 1;

std::vector<float> RandomFloats(int64_t count, double bound) {
  CounterRandom random(1, static_cast<uint64_t>(count));
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = static_cast<float>(bound * (2 * random.UniformDouble() - 1));
  return values;
}

// Returns the offsets of consecutive parameters, and adds the number of parameters to `size`.
std::vector<EncoderLayerOffsets> Offsets(const EncoderShape& s, int64_t& size) {
  const int64_t h = s.hidden;
  const int64_t f = s.feed_forward;
  std::vector<EncoderLayerOffsets> layers;
  const auto take = [&size](int64_t count) {
    size += count;
    return size - count;
  };
  for (int32_t l = 0; l < s.layers; ++l) {
    EncoderLayerOffsets o;
    o.qkv_weight = take(3 * h * h);
    o.qkv_bias = take(3 * h);
    o.out_weight = take(h * h);
    o.out_bias = take(h);
    o.edge_weight = take(int64_t{s.heads} * s.edge_features);
    o.norm1_scale = take(h);
    o.norm1_shift = take(h);
    o.feed1_weight = take(f * h);
    o.feed1_bias = take(f);
    o.feed2_weight = take(h * f);
    o.feed2_bias = take(h);
    o.norm2_scale = take(h);
    o.norm2_shift = take(h);
    layers.push_back(o);
  }
  return layers;
}

// Returns the shortest CPU time of a call, which other processes on the machine disturb least.
template <typename F>
double BestSeconds(const F& call) {
  double best = 1e9;
  const double end = ThreadCpuSeconds() + kMaxSeconds;
  for (int round = 0; round < kMaxRounds && ThreadCpuSeconds() < end; ++round) {
    const double begin = ThreadCpuSeconds();
    call();
    best = std::min(best, ThreadCpuSeconds() - begin);
  }
  return best;
}

void Measure(int32_t nodes, int32_t group, int32_t edge_features) {
  EncoderShape shape;
  shape.edge_features = edge_features;
  int64_t parameter_count = 0;
  const std::vector<EncoderLayerOffsets> layers = Offsets(shape, parameter_count);
  const std::unique_ptr<Encoder<float>> encoder = MakeEncoder<float>(shape, layers, BestIsa());
  const std::vector<float> parameters = RandomFloats(parameter_count, 0.1);
  encoder->Pack(parameters.data());
  std::vector<int32_t> first_rows = {0};
  for (int32_t b = 0; b < group; ++b) first_rows.push_back(first_rows.back() + nodes);
  const std::vector<float> edges = RandomFloats(int64_t{edge_features} * nodes * nodes, 1);
  const std::vector<const float*> edge_pointers(edge_features > 0 ? group : 0, edges.data());
  const EncoderGroup<float> arguments{first_rows, edge_pointers};
  const std::vector<float> x = RandomFloats(int64_t{nodes} * group * shape.hidden, 1);
  std::vector<float> y = x;
  std::vector<float> saved(encoder->SavedSize(first_rows));
  std::vector<float> scratch(encoder->ScratchSize(first_rows));
  std::vector<float> gradient(parameters.size());
  const double forward =
      BestSeconds([&] { encoder->Forward(arguments, y.data(), nullptr, scratch.data()); });
  const double both = BestSeconds([&] {
    std::copy(x.begin(), x.end(), y.begin());
    encoder->Forward(arguments, y.data(), saved.data(), scratch.data());
    encoder->Backward(arguments, y.data(), saved.data(), scratch.data(), gradient.data());
  });
  const double flops = group * EncoderForwardFlops(shape, nodes);
  PrintMeasurement(
      {{"case", "encoder"},
       {"isa", IsaName(BestIsa())},
       {"nodes", nodes},
       {"group", group},
       {"edge_features", edge_features},
       {"forward_instances_per_s", group / forward},
       {"forward_gflops", flops / forward * 1e-9},
       {"train_instances_per_s", group / both},
       {"train_gflops", 3 * flops / both * 1e-9},
       {"saved_mib_per_instance", static_cast<double>(saved.size() * 4) / group / (1 << 20)},
       {"scratch_mib", static_cast<double>(scratch.size() * 4) / (1 << 20)}},
      1);
}

}  // namespace
}  // namespace vrp

int main(int argc, char** argv) {
  const int wanted_nodes = argc > 1 ? std::atoi(argv[1]) : 0;
  const int wanted_group = argc > 2 ? std::atoi(argv[2]) : 0;
  for (const int edge_features : {4, 0}) {
    for (const int nodes : {11, 21, 51, 101}) {
      for (const int group : {1, 4, 8, 16, 32}) {
        if (wanted_nodes != 0 && nodes != wanted_nodes) continue;
        if (wanted_group != 0 && group != wanted_group) continue;
        vrp::Measure(nodes, group, edge_features);
      }
    }
  }
  return 0;
}
