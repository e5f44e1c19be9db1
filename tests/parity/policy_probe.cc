// Runs our network on a parity case. `policy_probe CASE OUT` reads the safetensors file CASE (see
// parity_case.h) and writes to OUT, with the case's shapes:
//   log_likelihoods, second_pass [B, P]  float64: of the case's tours, by a rollout and AddGradient
//   greedy [B, P, T], greedy_costs       int32 (-1 after a tour's end) and float64
//   gradient.NAME                        float32
//   second_pass64, gradient64.NAME       float64: by the engine in double precision
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "core/base/file.h"
#include "tests/parity/parity_case.h"

namespace vrp {
namespace {

template <typename T>
T ValueOrExit(absl::StatusOr<T> value) {
  if (value.ok()) return *std::move(value);
  std::cerr << "policy_probe: " << value.status() << "\n";
  std::exit(1);
}

template <typename T>
TensorView View(std::string name, TensorType type, std::vector<int64_t> shape,
                const std::vector<T>& values) {
  return {std::move(name), type, std::move(shape), std::as_bytes(std::span(values))};
}

// Computes the gradient of the case's loss for the case's tours.
GradientOutcome Differentiate(const ParityCase& parity, CpuPool& pool, PolicyEngine& network) {
  network.parameters().TrackGradient();
  GradientRequest request;
  request.rollout = parity.ForcedRequest(&pool);
  return ValueOrExit(
      network.AddGradient(parity.batch(), request,
                          [&](int64_t first, std::span<const double>, std::span<double> weights) {
                            parity.CopyWeights(first, weights);
                          }));
}

// Adds `gradient` [parameters] to `tensors` as one tensor per parameter.
template <typename T>
void AddGradients(const std::string& prefix, TensorType type, const ParameterLayout& layout,
                  std::span<const T> gradient, std::vector<TensorView>& tensors) {
  for (const ParameterShape& shape : layout.shapes()) {
    const auto part = gradient.subspan(layout.Offset(shape.name),
                                       static_cast<size_t>(ParameterLayout::Elements(shape)));
    tensors.push_back({prefix + shape.name, type, shape.shape, std::as_bytes(part)});
  }
}

std::string Probe(const ParityCase& parity, CpuPool& pool) {
  const std::unique_ptr<PolicyEngine> network = ValueOrExit(parity.MakeNetwork());
  const std::unique_ptr<Float64Engine> exact = ValueOrExit(parity.MakeFloat64Network());
  RolloutRequest greedy_request = parity.ForcedRequest(&pool);
  greedy_request.choice = Choice::kGreedy;
  greedy_request.choices = {};
  const Trajectories forced =
      ValueOrExit(network->Run(parity.batch(), parity.ForcedRequest(&pool)));
  const Trajectories greedy = ValueOrExit(network->Run(parity.batch(), greedy_request));
  const Trajectories second = Differentiate(parity, pool, *network).trajectories;
  const Trajectories second64 = Differentiate(parity, pool, *exact).trajectories;
  const std::vector<int64_t> shape = {parity.batch().size(), parity.trajectories()};
  std::vector<TensorView> tensors = {
      View("log_likelihoods", TensorType::kFloat64, shape, forced.log_likelihoods),
      View("second_pass", TensorType::kFloat64, shape, second.log_likelihoods),
      View("second_pass64", TensorType::kFloat64, shape, second64.log_likelihoods),
      View("greedy_costs", TensorType::kFloat64, shape, greedy.costs),
      View("greedy", TensorType::kInt32, {shape[0], shape[1], greedy.steps}, greedy.choices),
  };
  const FlatParameters& parameters = network->parameters();
  AddGradients("gradient.", TensorType::kFloat32, parameters.layout(), parameters.gradient(),
               tensors);
  AddGradients("gradient64.", TensorType::kFloat64, parameters.layout(), exact->LastGradient(),
               tensors);
  return WriteSafetensors(tensors);
}

int Main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: policy_probe CASE OUT\n";
    return 2;
  }
  CpuPool pool(static_cast<int>(std::thread::hardware_concurrency()));
  const std::string result = Probe(ValueOrExit(ParityCase::Read(argv[1])), pool);
  const absl::Status written = AtomicWriteFile(argv[2], result);
  if (!written.ok()) std::cerr << "policy_probe: " << written << "\n";
  return written.ok() ? 0 : 1;
}

}  // namespace
}  // namespace vrp

int main(int argc, char** argv) { return vrp::Main(argc, argv); }
