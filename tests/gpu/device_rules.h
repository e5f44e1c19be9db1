// Instances on the host and on the device, in the form of the decoder's and forced decoding's
// kernels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/kernels/decoder/attention_decoder.h"
#include "core/kernels/routing/routing_rules.h"
#include "core/kernels/routing/routing_step.h"
#include "tests/gpu/device_buffer.h"
#include "tests/kernels/routing_case.h"

namespace vrp::test {

class DeviceRules {
 public:
  explicit DeviceRules(const std::vector<CaseOptions>& cases) {
    std::vector<StepRules> there;
    for (const CaseOptions& options : cases) {
      cases_.push_back(std::make_unique<RoutingCase>(options));
      const RoutingProblem& problem = cases_.back()->problem();
      nodes_ = std::max(nodes_, problem.nodes);
      steps_ = std::max(steps_, MaxTourSteps(problem));
      here_.push_back(MakeStepRules(problem));
      there.push_back(here_.back());
      Move(there.back().problem);
    }
    there_ = std::make_unique<Buffer<StepRules>>(std::move(there));
  }

  int32_t size() const { return static_cast<int32_t>(here_.size()); }
  int32_t nodes() const { return nodes_; }  // of the largest instance
  int32_t steps() const { return steps_; }  // longest trajectory
  const StepRules& at(size_t instance) const { return here_[instance]; }
  const StepRules* data(bool cuda) { return cuda ? there_->data(true) : here_.data(); }

 private:
  void Move(RoutingProblem& problem) {
    const auto size = static_cast<size_t>(problem.nodes);
    for (const double** array :
         {&problem.x, &problem.y, &problem.demands, &problem.backhauls, &problem.window_opens,
          &problem.window_closes, &problem.services}) {
      Move(*array, size);
    }
    Move(problem.distances, size * size);
    Move(problem.durations, size * size);
  }
  void Move(const double*& array, size_t size) {
    if (array == nullptr) return;
    arrays_.push_back(std::make_unique<Buffer<double>>(std::vector<double>(array, array + size)));
    array = arrays_.back()->data(true);
  }

  std::vector<std::unique_ptr<RoutingCase>> cases_;
  std::vector<std::unique_ptr<Buffer<double>>> arrays_;
  std::vector<StepRules> here_;
  std::unique_ptr<Buffer<StepRules>> there_;
  int32_t nodes_ = 0;
  int32_t steps_ = 0;
};

}  // namespace vrp::test
