// What our network says of a parity case: `policy_probe CASE OUT` reads the safetensors file CASE
// (see parity_case.h) and writes to OUT, with the case's shapes:
//   log_likelihoods, second_pass [B, P]  float64: of the case's tours, by a rollout and by
//   AddGradient greedy [B, P, T], greedy_costs       int32 (-1 after a tour's end) and float64
//   gradient.NAME                        float32
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
T Value(absl::StatusOr<T> value) {
  if (value.ok()) return *std::move(value);
  std::cerr << "policy_probe: " << value.status() << "\n";
  std::exit(1);
}

template <typename T>
TensorView View(std::string name, TensorType type, std::vector<int64_t> shape,
                const std::vector<T>& values) {
  return {std::move(name), type, std::move(shape), std::as_bytes(std::span(values))};
}

std::string Probe(const ParityCase& parity, CpuPool& pool) {
  const std::unique_ptr<PolicyEngine> network = Value(parity.MakeNetwork());
  const RolloutRequest follow = parity.Follow(&pool);
  RolloutRequest greedily = follow;
  greedily.choice = Choice::kGreedy;
  greedily.choices = {};
  const Trajectories followed = Value(network->Run(parity.batch(), follow));
  const Trajectories greedy = Value(network->Run(parity.batch(), greedily));
  network->parameters().TrackGradient();
  GradientRequest request;
  request.rollout = follow;
  const GradientOutcome outcome =
      Value(network->AddGradient(parity.batch(), request,
                                 [&](int64_t first, std::span<const double>,
                                     std::span<double> weights) { parity.Weigh(first, weights); }));
  const int64_t instances = parity.batch().size();
  const int64_t count = parity.trajectories();
  std::vector<TensorView> tensors = {
      View("log_likelihoods", TensorType::kFloat64, {instances, count}, followed.log_likelihoods),
      View("second_pass", TensorType::kFloat64, {instances, count},
           outcome.trajectories.log_likelihoods),
      View("greedy_costs", TensorType::kFloat64, {instances, count}, greedy.costs),
      View("greedy", TensorType::kInt32, {instances, count, greedy.steps}, greedy.choices),
  };
  const FlatParameters& parameters = network->parameters();
  for (const ParameterShape& shape : parameters.layout().shapes()) {
    const auto gradient =
        parameters.gradient().subspan(parameters.layout().Offset(shape.name),
                                      static_cast<size_t>(ParameterLayout::Elements(shape)));
    tensors.push_back(
        {"gradient." + shape.name, TensorType::kFloat32, shape.shape, std::as_bytes(gradient)});
  }
  return WriteSafetensors(tensors);
}

int Main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: policy_probe CASE OUT\n";
    return 2;
  }
  CpuPool pool(static_cast<int>(std::thread::hardware_concurrency()));
  const std::string result = Probe(Value(ParityCase::Read(argv[1])), pool);
  const absl::Status written = AtomicWriteFile(argv[2], result);
  if (!written.ok()) std::cerr << "policy_probe: " << written << "\n";
  return written.ok() ? 0 : 1;
}

}  // namespace
}  // namespace vrp

int main(int argc, char** argv) { return vrp::Main(argc, argv); }
