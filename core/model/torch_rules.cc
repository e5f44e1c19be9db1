#include "core/model/torch_rules.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace vrp {
namespace {

static_assert(std::is_trivially_copyable_v<StepRules>);

constexpr int64_t kRulesBytes = sizeof(StepRules);

// Calls visit(array, elements) for each array that the problem has.
template <typename Visit>
void ForArrays(RoutingProblem& problem, const Visit& visit) {
  const int64_t nodes = problem.nodes;
  for (const double*& array : {std::ref(problem.x), std::ref(problem.y), std::ref(problem.demands),
                               std::ref(problem.backhauls), std::ref(problem.window_opens),
                               std::ref(problem.window_closes), std::ref(problem.services)}) {
    if (array != nullptr) visit(array, nodes);
  }
  for (const double*& matrix : {std::ref(problem.distances), std::ref(problem.durations)}) {
    if (matrix != nullptr) visit(matrix, nodes * nodes);
  }
}

// What of the batch's storage the problems point to.
struct Range {
  const double* begin = nullptr;
  const double* end = nullptr;
  int64_t bytes() const { return (end - begin) * static_cast<int64_t>(sizeof(double)); }
};

Range StorageOf(std::vector<StepRules>& rules) {
  Range range;
  for (StepRules& one : rules) {
    ForArrays(one.problem, [&](const double*& array, int64_t size) {
      if (range.begin == nullptr) range = {array, array};
      range.begin = std::min(range.begin, array);
      range.end = std::max(range.end, array + size);
    });
  }
  return range;
}

int64_t MatrixBytes(const std::vector<StepRules>& rules) {
  int64_t bytes = 0;
  for (const StepRules& one : rules) {
    const RoutingProblem& problem = one.problem;
    const int64_t matrices =
        (problem.distances == nullptr ? 0 : 1) + (problem.durations == nullptr ? 0 : 1);
    bytes += matrices * problem.nodes * problem.nodes * static_cast<int64_t>(sizeof(double));
  }
  return bytes;
}

}  // namespace

DeviceRules MakeDeviceRules(const NetworkBatch& batch, int32_t first, int32_t count,
                            Transfers& transfers) {
  std::vector<StepRules> rules;
  rules.reserve(static_cast<size_t>(count));
  for (int32_t b = first; b < first + count; ++b) {
    rules.push_back(MakeStepRules(batch.problems[static_cast<size_t>(b)]));
  }
  const bool here = transfers.device().is_cpu();
  const Range storage = here ? Range() : StorageOf(rules);
  const int64_t bytes = count * kRulesBytes + storage.bytes();
  DeviceRules result;
  result.memory = at::empty({bytes}, at::TensorOptions(at::kByte).device(transfers.device()));
  auto* const there = result.memory.mutable_data_ptr<uint8_t>();
  result.rules = reinterpret_cast<const StepRules*>(there);
  if (here) {
    std::memcpy(there, rules.data(), static_cast<size_t>(bytes));
    return result;
  }
  transfers.CountMatrix(MatrixBytes(rules));
  const auto* const arrays = reinterpret_cast<const double*>(there + count * kRulesBytes);
  for (StepRules& one : rules) {
    ForArrays(one.problem,
              [&](const double*& array, int64_t) { array = arrays + (array - storage.begin); });
  }
  at::Tensor host = at::empty({bytes}, at::TensorOptions(at::kByte).pinned_memory(true));
  auto* const to = host.mutable_data_ptr<uint8_t>();
  std::memcpy(to, rules.data(), rules.size() * sizeof(StepRules));
  std::memcpy(to + count * kRulesBytes, storage.begin, static_cast<size_t>(storage.bytes()));
  // Torch gives page-locked memory out again only when the device has read it.
  result.memory.copy_(host, /*non_blocking=*/true);
  transfers.Count(bytes);
  return result;
}

}  // namespace vrp
