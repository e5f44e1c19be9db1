#include "core/model/torch/rules.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace vrp {
namespace {

static_assert(std::is_trivially_copyable_v<StepRules>);

constexpr int64_t kRulesBytes = sizeof(StepRules);  // of one instance

// Calls visit(array, elements) for each array of the problem.
template <typename Visit>
void ForEachArray(RoutingProblem& problem, const Visit& visit) {
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

std::vector<StepRules> RulesOf(const NetworkBatch& batch, int32_t first, int32_t count) {
  std::vector<StepRules> rules;
  rules.reserve(static_cast<size_t>(count));
  for (int32_t b = first; b < first + count; ++b) {
    rules.push_back(MakeStepRules(batch.problems[static_cast<size_t>(b)]));
  }
  return rules;
}

}  // namespace

RulesImage::RulesImage(const NetworkBatch& batch, int32_t first, int32_t count, int32_t padded)
    : rules_(RulesOf(batch, first, count)), count_(count) {
  rules_.resize(static_cast<size_t>(std::max(count, padded)), rules_.front());
  for (StepRules& one : rules_) {
    ForEachArray(one.problem, [&](const double*& array, int64_t size) {
      if (begin_ == nullptr) begin_ = end_ = array;
      begin_ = std::min(begin_, array);
      end_ = std::max(end_, array + size);
    });
  }
}

int64_t RulesImage::bytes() const {
  return std::ssize(rules_) * kRulesBytes + (end_ - begin_) * static_cast<int64_t>(sizeof(double));
}

int64_t RulesImage::matrix_bytes() const {
  int64_t bytes = 0;
  for (int32_t b = 0; b < count_; ++b) {
    const RoutingProblem& problem = rules_[static_cast<size_t>(b)].problem;
    const int64_t matrices =
        (problem.distances == nullptr ? 0 : 1) + (problem.durations == nullptr ? 0 : 1);
    bytes += matrices * problem.nodes * problem.nodes * static_cast<int64_t>(sizeof(double));
  }
  return bytes;
}

void RulesImage::Write(uint8_t* to, const uint8_t* address) const {
  const int64_t size = std::ssize(rules_) * kRulesBytes;
  const auto* const arrays = reinterpret_cast<const double*>(address + size);
  std::vector<StepRules> moved = rules_;
  for (StepRules& one : moved) {
    ForEachArray(one.problem,
                 [&](const double*& array, int64_t) { array = arrays + (array - begin_); });
  }
  std::memcpy(to, moved.data(), static_cast<size_t>(size));
  std::copy(begin_, end_, reinterpret_cast<double*>(to + size));
}

DeviceRules MakeDeviceRules(const NetworkBatch& batch, int32_t first, int32_t count,
                            Transfers& transfers) {
  const auto allocate = [&](int64_t bytes) {
    DeviceRules result;
    result.memory = at::empty({bytes}, at::TensorOptions(at::kByte).device(transfers.device()));
    result.rules = reinterpret_cast<const StepRules*>(result.memory.mutable_data_ptr<uint8_t>());
    return result;
  };
  if (transfers.device().is_cpu()) {
    const std::vector<StepRules> rules = RulesOf(batch, first, count);
    DeviceRules result = allocate(count * kRulesBytes);
    std::memcpy(result.memory.mutable_data_ptr<uint8_t>(), rules.data(),
                rules.size() * sizeof(StepRules));
    return result;
  }
  const RulesImage image(batch, first, count);
  const int64_t bytes = image.bytes();
  DeviceRules result = allocate(bytes);
  transfers.CountMatrix(image.matrix_bytes());
  at::Tensor host = at::empty({bytes}, at::TensorOptions(at::kByte).pinned_memory(true));
  image.Write(host.mutable_data_ptr<uint8_t>(), result.memory.const_data_ptr<uint8_t>());
  // Torch reuses page-locked memory only after the device has read it.
  result.memory.copy_(host, /*non_blocking=*/true);
  transfers.Count(bytes);
  return result;
}

}  // namespace vrp
