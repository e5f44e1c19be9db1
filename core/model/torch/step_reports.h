// What steps came to, gathered on the device and told to the host some steps later. Needs torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "core/device/step_stream.h"
#include "core/model/policy/captured_steps.h"

namespace vrp {

// Rows that steps write one after the other; when all are new, they are set aside in the stream,
// and from there, while steps write them again, copied to page-locked memory.
class StepReports {
 public:
  // `every`: how many rows. The stream outlives it.
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
  // Before step `step` is begun: where it writes the last row, what was copied `every` steps ago is
  // waited for.
  absl::Status WaitForReportSlot(int64_t step) { return step % every_ == 0 ? Read() : absl::OkStatus(); }
  // Step `step` is in the stream: where it writes the last row, all are copied.
  absl::Status StepBegun(int64_t step) {
    return step % every_ == 0 ? Copy(step) : absl::OkStatus();
  }
  // Waits for those up to `step`.
  absl::Status Finish(int64_t step);
  std::vector<CapturedStepReport> Take();

 private:
  // Of steps up to `step`.
  absl::Status Copy(int64_t step);
  // Reads what was copied.
  absl::Status Read();
  size_t TurnOf(int64_t step) const { return static_cast<size_t>((step - 1) / every_ % 2); }

  StepStream* const stream_;
  const int64_t every_;
  const at::Tensor rows_;   // [every, kColumns] double
  const at::Tensor slots_;  // [every, 1] int64: 0 ...
  // By turns: one is written while the other is copied.
  const std::array<at::Tensor, 2> aside_;  // as rows_
  const std::array<at::Tensor, 2> host_;
  std::unique_ptr<StepCopy> copy_;
  int64_t copied_until_ = 0;  // the last step of `copy_`
  int64_t told_ = 0;
  std::vector<CapturedStepReport> reports_;
};

}  // namespace vrp
