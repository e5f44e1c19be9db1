#include "core/model/torch_step_reports.h"

#include <ATen/ATen.h>

#include <utility>

#include "core/base/status_macros.h"

namespace vrp {
namespace {

constexpr int64_t kReportColumns = 8;

at::Tensor HalfOnHost(int64_t every, at::Device device) {
  return at::zeros({every, kReportColumns},
                   at::TensorOptions(at::kDouble).pinned_memory(device.is_cuda()));
}

}  // namespace

StepReports::StepReports(StepStream* stream, int32_t every, at::Device device)
    : stream_(stream),
      every_(every),
      ring_(at::zeros({2 * every_, kReportColumns}, at::TensorOptions(at::kDouble).device(device))),
      slots_(at::arange(2 * every_, at::TensorOptions(at::kLong).device(device)).unsqueeze(1)),
      host_{HalfOnHost(every_, device), HalfOnHost(every_, device)} {}

void StepReports::Write(const at::Tensor& step, const Row& row) {
  std::vector<at::Tensor> columns;
  for (const at::Tensor& column : {row.loss, row.cost, row.norm, row.pass_difference, row.instances,
                                   row.accuracy, row.stuck, row.applied}) {
    columns.push_back(column.to(at::kDouble));
  }
  const at::Tensor slot = at::remainder(step - 1, 2 * every_);
  ring_.copy_(at::where(slots_ == slot, at::stack(columns).unsqueeze(0), ring_));
}

absl::Status StepReports::Finish(int64_t step) {
  VRP_RETURN_IF_ERROR(Read());
  if (told_ == step) return absl::OkStatus();
  VRP_RETURN_IF_ERROR(CopyHalf(step));
  return Read();
}

absl::Status StepReports::CopyHalf(int64_t step) {
  const int64_t half = (step - 1) / every_ % 2;
  const at::Tensor from = ring_.narrow(0, half * every_, every_);
  const at::Tensor& to = host_[static_cast<size_t>(half)];
  VRP_ASSIGN_OR_RETURN(
      copy_, stream_->CopyAside(to.mutable_data_ptr<double>(), from.const_data_ptr<double>(),
                                from.numel() * static_cast<int64_t>(sizeof(double))));
  copied_until_ = step;
  return absl::OkStatus();
}

absl::Status StepReports::Read() {
  if (copy_ == nullptr) return absl::OkStatus();
  VRP_RETURN_IF_ERROR(std::exchange(copy_, nullptr)->Wait());
  const int64_t half = (copied_until_ - 1) / every_ % 2;
  const double* const rows = host_[static_cast<size_t>(half)].const_data_ptr<double>();
  for (; told_ < copied_until_; ++told_) {
    const double* const row = rows + told_ % every_ * kReportColumns;
    reports_.push_back({.step = told_ + 1,
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

std::vector<WholeStepReport> StepReports::Take() { return std::exchange(reports_, {}); }

}  // namespace vrp
