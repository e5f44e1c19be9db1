// Fuzzes requests of EstimateService.EstimateCosts, up to the network.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "core/estimate/added_customer.h"
#include "core/estimate/estimate_features.h"
#include "core/estimate/subset_bases.h"
#include "server/convert/estimate_convert.h"
#include "server/convert/status_convert.h"
#include "tests/fuzz/received.h"

namespace vrp {
namespace {

constexpr int32_t kMaxFuzzedNodes = 200;
constexpr size_t kMaxFuzzedSubsets = 20;  // the others are only read

void CheckFinite(const auto& values) {
  for (const float value : values) {
    if (!std::isfinite(value)) std::abort();
  }
}

void Compute(const Subproblem& problem) {
  if (!(problem.scale() > 0)) return;
  EstimateFeatures features;
  features.Compute(problem);
  CheckFinite(features.globals());
  CheckFinite(features.node_features());
  CheckFinite(features.pair_features());
}

void ReadSubsets(const v1::EstimateCostsRequest& request, const Instance& instance) {
  const auto subsets = SubsetsFromProto(request, instance);
  (void)ToGrpcStatus(subsets.status());
  if (!subsets.ok()) return;
  const std::vector<SubsetBase> bases = FindSubsetBases(*subsets);
  for (size_t i = 0; i < std::min(subsets->size(), kMaxFuzzedSubsets); ++i) {
    Subproblem problem;
    const absl::Status chosen = problem.Choose(instance, (*subsets)[i]);
    (void)ToGrpcStatus(chosen);
    if (chosen.ok()) Compute(problem);
    if (bases[i].base < 0) continue;
    const std::vector<NodeIndex>& base = (*subsets)[static_cast<size_t>(bases[i].base)];
    AddedCustomer added;
    if (base.size() + 1 != (*subsets)[i].size()) std::abort();
    if (!added.SetBase(instance, base).ok()) continue;
    const auto features = added.Compute(bases[i].added);
    if (features.ok()) CheckFinite(*features);
  }
}

void ReadEstimates(const v1::EstimateCostsRequest& request) {
  const absl::Status counted = CheckEstimateCounts(request);
  (void)ToGrpcStatus(counted);
  if (!counted.ok()) return;
  const auto instances = InstancesToEstimate(request, nullptr, kMaxFuzzedNodes);
  (void)ToGrpcStatus(instances.status());
  if (!instances.ok()) return;
  if (request.subsets_size() > 0) return ReadSubsets(request, instances->front());
  for (size_t i = 0; i < instances->size(); ++i) {
    Subproblem problem;
    const absl::Status chosen = problem.ChooseAll((*instances)[i]);
    if (chosen.ok()) {
      Compute(problem);
    } else {
      (void)ToGrpcStatus(EstimateInputError(request.inputs(static_cast<int>(i)), "inputs[0]",
                                            (*instances)[i], chosen));
    }
  }
}

}  // namespace
}  // namespace vrp

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  vrp::v1::EstimateCostsRequest request;
  if (vrp::fuzz::Receive({reinterpret_cast<const char*>(data), size}, request)) {
    vrp::ReadEstimates(request);
  }
  return 0;
}
