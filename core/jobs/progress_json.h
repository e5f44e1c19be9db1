// A job's progress as stored text.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/jobs/job.h"
#include "core/jobs/solve_part.h"
#include "core/train/run/trainer.h"

namespace vrp {

// Whether to write the times of a run's phases, which only ends of epochs and whole jobs need.
enum class RunTimes { kKeep, kLeaveOut };

// Returns the progress as JSON. Here and below every double is read back bit for bit; NaN and
// infinities, which JSON lacks, are written as words.
std::string WriteProgress(const TrainingProgress& progress, RunTimes run_times = RunTimes::kKeep);
// Parses such text. Unknown keys are skipped. Absent ones, as written by earlier versions, keep
// their defaults, or NaN if that means no value. kDataLoss: WriteProgress did not write the text.
absl::StatusOr<TrainingProgress> ParseProgress(std::string_view text);

// Write and parse the published weights of a job in the same way.
std::string WritePublished(const PublishedWeights& published);
absl::StatusOr<PublishedWeights> ParsePublished(std::string_view text);

std::string WriteSolveProgress(const SolveProgress& progress);
absl::StatusOr<SolveProgress> ParseSolveProgress(std::string_view text);

}  // namespace vrp
