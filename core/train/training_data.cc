#include "core/train/training_data.h"

#include <utility>

#include "core/base/status_macros.h"
#include "core/search/construct.h"

namespace vrp {

absl::StatusOr<std::vector<NetworkInput>> GenerateInputs(const ProblemConfig& problem,
                                                         uint64_t seed, int64_t first,
                                                         int64_t count) {
  const GeneratorOptions options{.kind = problem.kind,
                                 .customers = problem.customers,
                                 .seed = seed,
                                 .capacity = problem.capacity};
  std::vector<NetworkInput> inputs;
  inputs.reserve(static_cast<size_t>(count));
  for (int64_t index = first; index < first + count; ++index) {
    VRP_ASSIGN_OR_RETURN(const Instance instance, GenerateInstance(options, index));
    inputs.push_back(MakeNetworkInput(instance));
  }
  return inputs;
}

int64_t BaselineInstances(int64_t replacements) {
  constexpr int64_t kFirst = int64_t{1} << 44;
  constexpr int64_t kApart = int64_t{1} << 24;
  return kFirst + replacements * kApart;
}

double MeanReferenceCost(const std::vector<NetworkInput>& inputs) {
  double sum = 0;
  for (const NetworkInput& input : inputs) {
    sum += PlanCost(input.instance, NearestNeighbourPlan(input.instance));
  }
  return inputs.empty() ? 0 : sum / static_cast<double>(inputs.size());
}

}  // namespace vrp
