// A job's progress as the store keeps it.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/jobs/job.h"
#include "core/jobs/solve_part.h"
#include "core/train/run/trainer.h"

namespace vrp {

// The times of a run's phases are needed at the ends of epochs and for the whole job alone.
enum class RunTimes { kKeep, kLeaveOut };

// For both kinds: every double comes back bit for bit; NaN and the infinities (which JSON lacks)
// are kept as words.
std::string WriteProgress(const TrainingProgress& progress, RunTimes run_times = RunTimes::kKeep);
// Unknown keys are passed over; absent ones, as of an earlier version, keep their defaults, or are
// NaN where that means that there is no value. kDataLoss for text that WriteProgress did not write.
absl::StatusOr<TrainingProgress> ParseProgress(std::string_view text);

// The published weights of a job, likewise.
std::string WritePublished(const PublishedWeights& published);
absl::StatusOr<PublishedWeights> ParsePublished(std::string_view text);

std::string WriteSolveProgress(const SolveProgress& progress);
absl::StatusOr<SolveProgress> ParseSolveProgress(std::string_view text);

}  // namespace vrp
