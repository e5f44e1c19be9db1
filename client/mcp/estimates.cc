#include "client/mcp/estimates.h"

#include <algorithm>

#include "client/support/text.h"

namespace vrp::client::mcp {

std::optional<double> RemainingSeconds(const v1::TrainingJob& job) {
  const v1::TrainingProgress& progress = job.progress();
  const bool has_pace = progress.has_seconds_per_epoch() || progress.has_seconds_per_step();
  if (job.state() != v1::JOB_STATE_RUNNING || !has_pace) return std::nullopt;
  if (progress.total_steps() <= 0 || progress.total_epochs() <= 0) return std::nullopt;
  const double steps_per_epoch =
      static_cast<double>(progress.total_steps()) / static_cast<double>(progress.total_epochs());
  const int64_t limit = job.spec().epoch_limit();
  const double epochs = static_cast<double>(limit > 0 ? std::min(limit, progress.total_epochs())
                                                      : progress.total_epochs());
  const double done = static_cast<double>(progress.step()) / steps_per_epoch;
  // The duration of an epoch includes its validation, that of a step does not.
  const double per_epoch = progress.has_seconds_per_epoch()
                               ? progress.seconds_per_epoch()
                               : progress.seconds_per_step() * steps_per_epoch;
  double remaining = std::max(0.0, (epochs - done) * per_epoch);
  if (job.spec().has_time_limit()) {
    const absl::Duration left = ToDuration(job.spec().time_limit()) - ToDuration(job.run_time());
    remaining = std::min(remaining, std::max(0.0, absl::ToDoubleSeconds(left)));
  }
  return remaining;
}

std::optional<double> RemainingSeconds(const v1::SolveJob& job) {
  if (job.state() != v1::JOB_STATE_RUNNING) return std::nullopt;
  const absl::Duration left = ToDuration(job.budget()) - ToDuration(job.progress().search_time());
  return std::max(0.0, absl::ToDoubleSeconds(left));
}

}  // namespace vrp::client::mcp
