#include "core/model/torch/engine_trajectories.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/text.h"

namespace vrp {

absl::Status CheckTorchRequest(const NetworkBatch& batch, const RolloutRequest& request) {
  if (request.choice == Choice::kBeam) {
    return absl::UnimplementedError(
        "method: beam search runs only on the CPU; decode there, or use samples or several starts");
  }
  if (request.trajectories < 1) {
    return absl::InvalidArgumentError(
        Concat("trajectories: got ", request.trajectories, ", wanted at least 1"));
  }
  const auto rows = static_cast<size_t>(batch.size()) * static_cast<size_t>(request.trajectories);
  if (request.choice != Choice::kForced || request.choices.size() == rows) return absl::OkStatus();
  return absl::InvalidArgumentError(
      Concat("choices: got ", request.choices.size(), " trajectories, wanted ", rows));
}

void AppendTrajectories(const Trajectories& part, Trajectories& to) {
  const auto rows = static_cast<int64_t>(to.lengths.size());
  const int32_t steps = std::max(to.steps, part.steps);
  if (to.steps < steps) {
    std::vector<int32_t> wider(static_cast<size_t>(rows * steps), -1);
    for (int64_t row = 0; row < rows; ++row) {
      std::copy_n(to.choices.begin() + row * to.steps, to.steps, wider.begin() + row * steps);
    }
    to.choices = std::move(wider);
    to.steps = steps;
  }
  to.count = part.count;
  to.choices.resize(to.choices.size() + part.lengths.size() * static_cast<size_t>(steps), -1);
  for (int64_t row = 0; row < std::ssize(part.lengths); ++row) {
    std::copy_n(part.choices.begin() + row * part.steps, part.steps,
                to.choices.begin() + (rows + row) * steps);
  }
  const auto append = [](const auto& from, auto& column) {
    column.insert(column.end(), from.begin(), from.end());
  };
  append(part.lengths, to.lengths);
  append(part.costs, to.costs);
  append(part.log_likelihoods, to.log_likelihoods);
  append(part.agreements, to.agreements);
}

at::Tensor SumSteps(const at::Tensor& terms, const Trajectories& trajectories) {
  // On a GPU, a rollout runs several steps after the last tour has ended.
  const auto rows = std::max<int64_t>(std::ssize(trajectories.lengths), 1);
  return terms.view({rows, terms.numel() / rows}).sum(1);
}

void FillForced(const ReplayTerms& terms, Transfers& transfers, Trajectories& trajectories) {
  const at::Tensor host =
      transfers.ToHost(at::stack({SumSteps(terms.chosen.detach().to(at::kDouble), trajectories),
                                  SumSteps(terms.agrees.to(at::kDouble), trajectories)}));
  const auto* values = host.const_data_ptr<double>();
  const size_t rows = trajectories.lengths.size();
  trajectories.log_likelihoods.assign(values, values + rows);
  for (size_t row = 0; row < rows; ++row) {
    trajectories.agreements[row] = static_cast<int32_t>(values[rows + row]);
  }
}

}  // namespace vrp
