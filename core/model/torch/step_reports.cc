#include "core/model/torch/step_reports.h"

#include <ATen/ATen.h>

#include <utility>

#include "core/base/status_macros.h"

namespace vrp {
namespace {

constexpr int64_t kReportColumns = 8;  // number of values in StepReports::Row

at::Tensor Rows(int64_t every, at::Device device) {
  return at::zeros({every, kReportColumns}, at::TensorOptions(at::kDouble).device(device));
}

at::Tensor RowsOnHost(int64_t every, at::Device device) {
  return at::zeros({every, kReportColumns},
                   at::TensorOptions(at::kDouble).pinned_memory(device.is_cuda()));
}

}  // namespace

StepReports::StepReports(StepStream* stream, int32_t every, at::Device device)
    : stream_(stream),
      every_(every),
      rows_(Rows(every_, device)),
      slots_(at::arange(every_, at::TensorOptions(at::kLong).device(device)).unsqueeze(1)),
      staging_{Rows(every_, device), Rows(every_, device)},
      host_{RowsOnHost(every_, device), RowsOnHost(every_, device)} {}

void StepReports::Write(const at::Tensor& step, const Row& row) {
  std::vector<at::Tensor> columns;
  for (const at::Tensor& column : {row.loss, row.cost, row.norm, row.pass_difference, row.instances,
                                   row.accuracy, row.stuck, row.applied}) {
    columns.push_back(column.to(at::kDouble));
  }
  const at::Tensor slot = at::remainder(step - 1, every_);
  rows_.copy_(at::where(slots_ == slot, at::stack(columns).unsqueeze(0), rows_));
}

absl::Status StepReports::Finish(int64_t step) {
  VRP_RETURN_IF_ERROR(Read());
  if (reported_ == step) return absl::OkStatus();
  VRP_RETURN_IF_ERROR(Copy(step));
  return Read();
}

absl::Status StepReports::Copy(int64_t step) {
  const size_t buffer = BufferOf(step);
  const at::Tensor& from = staging_[buffer];
  const at::Tensor& to = host_[buffer];
  VRP_RETURN_IF_ERROR(stream_->Run([&] {
    from.copy_(rows_);
    return absl::OkStatus();
  }));
  VRP_ASSIGN_OR_RETURN(
      copy_, stream_->CopyToHostAsync(to.mutable_data_ptr<double>(), from.const_data_ptr<double>(),
                                      from.numel() * static_cast<int64_t>(sizeof(double))));
  copied_until_ = step;
  return absl::OkStatus();
}

absl::Status StepReports::Read() {
  if (copy_ == nullptr) return absl::OkStatus();
  VRP_RETURN_IF_ERROR(std::exchange(copy_, nullptr)->Wait());
  const double* const rows = host_[BufferOf(copied_until_)].const_data_ptr<double>();
  for (; reported_ < copied_until_; ++reported_) {
    const double* const row = rows + reported_ % every_ * kReportColumns;
    reports_.push_back({.step = reported_ + 1,
                        .loss = row[0],
                        .cost = row[1],
                        .gradient_norm = row[2],
                        .pass_difference = row[3],
                        .instances = static_cast<int64_t>(row[4]),
                        .accuracy = row[5],
                        .stuck = static_cast<int64_t>(row[6]),
                        .applied = row[7] != 0});
  }
  return absl::OkStatus();
}

std::vector<CapturedStepReport> StepReports::Take() { return std::exchange(reports_, {}); }

}  // namespace vrp
