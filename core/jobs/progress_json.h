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
enum class RunTimes { kInclude, kOmit };

// Returns the progress as JSON. Doubles are read back bit for bit. NaN and infinities, which JSON
// lacks, are written as words.
std::string WriteProgress(const TrainingProgress& progress,
                          RunTimes run_times = RunTimes::kInclude);
// Parses the text of WriteProgress. Skips unknown keys. Values whose keys are absent, as in texts
// of earlier versions, keep their defaults, or are NaN if NaN means no value. Returns kDataLoss,
// which names `source` (the database and its column), if the text is not a JSON object, or a value
// has a wrong type.
absl::StatusOr<TrainingProgress> ParseProgress(std::string_view text, std::string_view source);

// Writes or parses a job's published weights, like WriteProgress and ParseProgress. The key
// `reason` must be present.
std::string WritePublished(const PublishedWeights& published);
absl::StatusOr<PublishedWeights> ParsePublished(std::string_view text, std::string_view source);

// Writes or parses the progress of a solve job, like WriteProgress and ParseProgress.
std::string WriteSolveProgress(const SolveProgress& progress);
absl::StatusOr<SolveProgress> ParseSolveProgress(std::string_view text, std::string_view source);

}  // namespace vrp
