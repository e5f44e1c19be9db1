// Stores instances on the host and on the device, in the form that the kernels of the decoder and
// of forced decoding read.
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
    std::vector<StepRules> device_rules;
    for (const CaseOptions& options : cases) {
      cases_.push_back(std::make_unique<RoutingCase>(options));
      const RoutingProblem& problem = cases_.back()->problem();
      nodes_ = std::max(nodes_, problem.nodes);
      steps_ = std::max(steps_, MaxTourSteps(problem));
      host_.push_back(MakeStepRules(problem));
      device_rules.push_back(host_.back());
      CopyToDevice(device_rules.back().problem);
    }
    device_ = std::make_unique<Buffer<StepRules>>(std::move(device_rules));
  }

  int32_t size() const { return static_cast<int32_t>(host_.size()); }
  int32_t nodes() const { return nodes_; }  // nodes of the largest instance
  int32_t steps() const { return steps_; }  // longest trajectory
  const StepRules& at(size_t instance) const { return host_[instance]; }
  const StepRules* data(bool cuda) { return cuda ? device_->data(true) : host_.data(); }

 private:
  // Copies the arrays of `problem` to the device and makes it point to the copies.
  void CopyToDevice(RoutingProblem& problem) {
    const auto size = static_cast<size_t>(problem.nodes);
    for (const double** array :
         {&problem.x, &problem.y, &problem.demands, &problem.backhauls, &problem.window_opens,
          &problem.window_closes, &problem.services}) {
      CopyToDevice(*array, size);
    }
    CopyToDevice(problem.distances, size * size);
    CopyToDevice(problem.durations, size * size);
  }
  void CopyToDevice(const double*& array, size_t size) {
    if (array == nullptr) return;
    arrays_.push_back(std::make_unique<Buffer<double>>(std::vector<double>(array, array + size)));
    array = arrays_.back()->data(true);
  }

  std::vector<std::unique_ptr<RoutingCase>> cases_;
  std::vector<std::unique_ptr<Buffer<double>>> arrays_;
  std::vector<StepRules> host_;
  std::unique_ptr<Buffer<StepRules>> device_;
  int32_t nodes_ = 0;
  int32_t steps_ = 0;
};

}  // namespace vrp::test
