// What steps came to, gathered on the device and told to the host some steps later. Needs torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "core/device/step_stream.h"
#include "core/model/whole_steps.h"

namespace vrp {

// A ring of two halves: one is written while the other is copied to page-locked memory.
class StepReports {
 public:
  // `every`: steps a half. The stream outlives it.
  StepReports(StepStream* stream, int32_t every, at::Device device);

  // Of the device's memory, all but `step` [] double.
  struct Row {
    at::Tensor loss = {};
    at::Tensor cost = {};
    at::Tensor norm = {};
    at::Tensor pass_difference = {};
    at::Tensor instances = {};
    at::Tensor accuracy = {};
    at::Tensor stuck = {};
    at::Tensor applied = {};
  };
  // Part of a step's work; `step` [] int64, from 1.
  void Write(const at::Tensor& step, const Row& row);

  // The next step is that behind `steps`; no copy is under way.
  void Begin(int64_t steps) { told_ = steps; }
  // Before step `step` is begun: where it fills a half, the one before it, on its way since `every`
  // steps, is waited for.
  absl::Status WaitForRoom(int64_t step) { return step % every_ == 0 ? Read() : absl::OkStatus(); }
  // Step `step` is in the stream: where it fills a half, that is copied aside.
  absl::Status StepBegun(int64_t step) {
    return step % every_ == 0 ? CopyHalf(step) : absl::OkStatus();
  }
  // Waits for those up to `step`.
  absl::Status Finish(int64_t step);
  std::vector<WholeStepReport> Take();

 private:
  absl::Status CopyHalf(int64_t step);
  // Reads what was copied, of steps up to `until`.
  absl::Status Read();

  StepStream* const stream_;
  const int64_t every_;
  const at::Tensor ring_;   // [2 * every, kColumns] double
  const at::Tensor slots_;  // [2 * every, 1] int64: 0 ...
  const std::array<at::Tensor, 2> host_;
  std::unique_ptr<StepCopy> copy_;
  int64_t copied_until_ = 0;  // the last step of `copy_`
  int64_t told_ = 0;
  std::vector<WholeStepReport> reports_;
};

}  // namespace vrp
