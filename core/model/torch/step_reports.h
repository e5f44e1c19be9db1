// Reports of steps, which are gathered on the device and copied to the host some steps later. Needs
// torch.
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

// Rows that steps write in turn. When all are new, the stream copies them to a second buffer, and
// from there to page-locked memory. Meanwhile the next steps write the rows again.
class StepReports {
 public:
  // Makes `every` rows. `stream` must outlive the StepReports.
  StepReports(StepStream* stream, int32_t every, at::Device device);

  // Scalars in the device's memory, [] each, of any type. Write stores them as double.
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
  // Writes a row as part of a step's work; `step` [] int64, from 1.
  void Write(const at::Tensor& step, const Row& row);

  // Sets the number of finished steps. No copy may be under way.
  void Begin(int64_t steps) { reported_ = steps; }
  // Prepares for step `step`. If the step writes the last row, waits for the copy of the previous
  // rows.
  absl::Status WaitForReportSlot(int64_t step) {
    return step % every_ == 0 ? Read() : absl::OkStatus();
  }
  // Starts the copy of all rows if step `step`, which is in the stream, writes the last row.
  absl::Status OnStepQueued(int64_t step) {
    return step % every_ == 0 ? Copy(step) : absl::OkStatus();
  }
  // Waits for the reports up to `step`.
  absl::Status Finish(int64_t step);
  // Returns the reports read since the last call, in order.
  std::vector<CapturedStepReport> Take();

 private:
  // Copies the rows of steps up to `step`.
  absl::Status Copy(int64_t step);
  // Reads the rows that were copied.
  absl::Status Read();
  size_t BufferOf(int64_t step) const { return static_cast<size_t>((step - 1) / every_ % 2); }

  StepStream* const stream_;
  const int64_t every_;
  const at::Tensor rows_;   // [every, kReportColumns] double
  const at::Tensor slots_;  // [every, 1] int64: 0, 1, ...
  // Second buffers, used alternately: one is written while the other is copied.
  const std::array<at::Tensor, 2> staging_;  // shaped like rows_
  const std::array<at::Tensor, 2> host_;
  std::unique_ptr<StepCopy> copy_;
  int64_t copied_until_ = 0;  // the last step in `copy_`
  int64_t reported_ = 0;
  std::vector<CapturedStepReport> reports_;
};

}  // namespace vrp
