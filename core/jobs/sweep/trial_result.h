// The state of one trial of a sweep, and its result once it has one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/jobs/job.h"

namespace vrp {

// A trial. Without a job, it waits for its turn.
struct TrialResult {
  int32_t trial = 0;                   // from 1
  std::string job = {};                // trainingJobs/{id}
  JobState state = JobState::kQueued;  // of the job
  bool dropped = false;                // whether a selection ended the trial
  absl::Duration run_time = absl::ZeroDuration();
  std::string error = {};                          // of a failed trial
  std::optional<TrainingProgress> progress = {};   // the last one
  std::optional<TrainingProgress> best = {};       // with the lowest validation cost
  std::optional<PublishedWeights> published = {};  // set once the trial has succeeded
};

// Returns the result so far of a trial's job.
TrialResult ResultOfTrial(const Job& job);

// Returns the validation cost by which the trial is compared; nullopt without a validation.
std::optional<double> ComparedCost(const TrialResult& result);

// Writes and reads the stored form. `source` names the store in errors.
std::string WriteTrialResult(const TrialResult& result);
absl::StatusOr<TrialResult> ParseTrialResult(std::string_view text, std::string_view source);

}  // namespace vrp
