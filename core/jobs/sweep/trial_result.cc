#include "core/jobs/sweep/trial_result.h"

#include <cmath>

#include "core/base/text.h"
#include "core/jobs/held_trial.h"
#include "core/jobs/sweep/sweep_schedule.h"

namespace vrp {

TrialResult ResultOfTrial(const Job& job) {
  return {.trial = job.spec.trial,
          .job = ResourceName(job),
          .state = job.state,
          .dropped = job.state == JobState::kCancelled && HasReachedPause(job),
          .run_time = job.run_time,
          .error = std::string(FromAbsl(job.error.message())),
          .progress = job.progress,
          .best = job.best,
          .published = job.published};
}

std::optional<double> ComparedCost(const TrialResult& result) {
  Job job;
  job.best = result.best;
  job.published = result.published;
  const double cost = StatusOfTrial(job).cost;
  if (!std::isfinite(cost)) return std::nullopt;
  return cost;
}

}  // namespace vrp
